/* Records: making one of a wish, registering it, and what its registration's end gives back. */
#ifndef HERALD_RECORD_H
#define HERALD_RECORD_H

#include "herald_runtime.h"

/* A record of `size` bytes, with the wish's body and place, and with its extra if there is room; NULL when memory is
 * out. */
struct herald_record *herald_record_create(const struct herald_wish *wish, size_t size);

/* An instance of Observation.Extra; or NULL. */
static inline const void *herald_record_extra(const struct herald_record *record) {
    return record->has_extra ? ((const struct herald_extra_record *)record)->extra : NULL;
}

/* Gives back the body and the extra. Runs deinitializers of what the body has captured. */
void herald_record_dispose(struct herald_record *record);

/* Gives one of its references up; with the last one the memory goes. */
void herald_record_free(struct herald_ending_record *record);

/* Gives back what a wish brings that no record has taken. */
void herald_wish_dispose(const struct herald_wish *wish);

/* Registers the record with the core, which writes `token` before any post can see the registration. */
HeraldStatus herald_record_register(struct herald_record *record, const struct herald_wish *wish,
                                    void (*release)(void *record), HeraldToken *token);

/* What calls the body. */
HeraldTaggedCallback herald_receiver(enum herald_kind kind, enum herald_form form);

#endif
