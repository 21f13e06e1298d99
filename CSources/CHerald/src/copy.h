/* How a message is copied, to be held or kept: the options of the tag that every message carries. */
#ifndef HERALD_COPY_H
#define HERALD_COPY_H

#include "order.h"

HERALD_BEGIN
/* The address of herald_message_tag is the tag of every message. herald_message_options say how posts with this tag are
 * held, herald_kept_message_options how they are kept. Either copies may take 16 MiB in the process. */
extern const char herald_message_tag;
extern const HeraldTagOptions herald_message_options, herald_kept_message_options;

/* How many bytes all kept messages have. */
uint64_t herald_copy_bytes_kept(void);

/* Why this thread could not make its last copy; HeraldOK if it made the copy, or if no copy was wanted. */
extern __thread HeraldStatus herald_copy_problem __attribute__((tls_model("initial-exec")));
HERALD_END
#endif
