/* Copies of messages, for suspended centers: what is known of the tag that messages carry. */
#ifndef HERALD_COPY_H
#define HERALD_COPY_H

#include "order.h"

HERALD_BEGIN
/* The tag of every message, by its address, and how posts with it are held. */
extern const char herald_message_tag;
extern const HeraldTagOptions herald_message_options;

/* The thread's: why its last copy was not made; HeraldOK: there was none, or it was made. */
extern __thread HeraldStatus herald_copy_problem __attribute__((tls_model("initial-exec")));
HERALD_END
#endif
