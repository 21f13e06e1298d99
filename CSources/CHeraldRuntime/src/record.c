/* Records of observers. Ordering, progress: the core's. Ownership: a registered record is its registration's, and ends
 * in the release hook, after the last call (R10). */
#include "record.h"
#include "swift.h"

#include <stdlib.h>

struct herald_record *herald_record_create(const struct herald_wish *wish, size_t size) {
    struct herald_record *record = malloc(size);
    if (!record) return NULL;
    record->body = wish->body;
    record->extra = wish->extra;
    return record;
}

void herald_record_dispose(struct herald_record *record) {
    if (record->extra) swift_release((void *)record->extra); /* first: it ends the mailbox */
    if (record->body.context) swift_release((void *)record->body.context);
}

void herald_wish_dispose(const struct herald_wish *wish) {
    struct herald_record record = {wish->body, wish->extra};
    herald_record_dispose(&record);
}

HeraldStatus herald_record_register(struct herald_record *record, const struct herald_wish *wish,
                                    void (*release)(void *record), HeraldToken *token) {
    HeraldObserverOptions options = {.size = sizeof options,
                                     .suspensionBehavior = wish->behavior,
                                     .release = release,
                                     .taggedCallback = herald_receiver(wish->kind, wish->form)};
    return HeraldCenterAddObserverWithOptions(wish->center, record, NULL, wish->name, wish->subject, &options, token);
}

static void release(void *record) {
    herald_record_dispose(record);
    free(record);
}

HeraldStatus herald_observe(const struct herald_wish *wish, HeraldToken *token) {
    bool ends = wish->form == HERALD_WHILE;
    struct herald_record *record =
        herald_record_create(wish, ends ? sizeof(struct herald_ending_record) : sizeof *record);
    if (!record) {
        herald_wish_dispose(wish);
        return HeraldOutOfMemory;
    }
    HeraldToken *written = ends ? &((struct herald_ending_record *)record)->token : token;
    HeraldStatus status = herald_record_register(record, wish, release, written);
    /* The record is still there: a mailbox ends with its token at the earliest, which nobody has yet. */
    *token = *written;
    if (status != HeraldOK) release(record);
    return status;
}
