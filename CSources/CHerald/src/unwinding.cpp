/* The files that call observers and hooks, compiled so that a C++ exception or the end of a thread unwinds them (R17).
 *
 * This needs -fexceptions. A Makefile can pass this flag to the C compiler, but a Swift package may not. For C++ files
 * the flag is the default. So the package builds this file in place of the files below, which are valid C and valid
 * C++.
 */
#include "call.c"
#include "carried.c"
#include "deliver.c"
#include "describer.c"
#include "edges.c"
#include "follower.c"
#include "held.c"
#include "hold.c"
#include "keep.c"
#include "life.c"
#include "message.c"
#include "observe.c"
#include "post.c"
#include "public.c"
#include "release.c"
#include "remove.c"
#include "span.c"
#include "suspension.c"
#include "told.c"
#include "tokens.c"
#include "topic.c"
#include "tracer.c"
#include "under.c"
#include "visit.c"
