/* The files that call observers and hooks, compiled so that a C++ exception or the end of a thread unwinds them (R17).
 *
 * That takes -fexceptions, which a Makefile can pass to the C compiler and a package may not; but a C++ file has it
 * without asking. So the package builds this file in place of those, which are valid in both languages.
 */
#include "call.c"
#include "deliver.c"
#include "describer.c"
#include "life.c"
#include "message.c"
#include "observe.c"
#include "post.c"
#include "public.c"
#include "release.c"
#include "remove.c"
#include "span.c"
#include "suspension.c"
#include "tracer.c"
#include "turn.c"
#include "under.c"
#include "visit.c"
