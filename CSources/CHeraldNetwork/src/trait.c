/* The whole library as one file, for the Swift package. Without the package's trait Network this file is empty, and
 * libnats is not needed. The Makefile compiles the files one by one. */
#ifdef HERALD_NETWORK
#include "net_center.c"
#include "ack.c"
#include "answer.c"
#include "net_complaint.c"
#include "connection.c"
#include "dial.c"
#include "ending.c"
#include "event.c"
#include "followed.c"
#include "hearing.c"
#include "interest.c"
#include "json.c"
#include "net_begin.c"
#include "net_inbox.c"
#include "net_kept.c"
#include "net_loop.c"
#include "net.c"
#include "nkey.c"
#include "outlet.c"
#include "question.c"
#include "net_queue.c"
#include "registry.c"
#include "sender.c"
#include "server.c"
#include "signature.c"
#include "stream.c"
#include "subject.c"
#include "subscription.c"
#else
extern int herald_net_is_off; /* a C file must not be empty */
#endif
