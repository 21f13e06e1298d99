/* The files that call observers and hooks, compiled so that a C++ exception or the end of a thread unwinds them (R17).
 *
 * That takes -fexceptions, which a Makefile can pass to the C compiler and a package may not; but a C++ file has it
 * without asking. So the package builds this file instead of the seven, which are valid in both languages.
 */
#include "center.c"
#include "observe.c"
#include "post.c"
#include "release.c"
#include "remove.c"
#include "suspension.c"
#include "transport.c"
