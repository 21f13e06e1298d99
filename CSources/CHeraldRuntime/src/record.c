/* Records of observers. Ordering, progress: the core's. Ownership: a registered record is its registration's, and ends
 * in the release hook, after the last call (R10). */
#include "record.h"
#include "swift.h"
#include <herald/transport.h>

#include <stdlib.h>

struct herald_record *herald_record_create(const struct herald_wish *wish, size_t size) {
    struct herald_record *record = malloc(size);
    if (!record) return NULL;
    record->body = wish->body;
    record->file = (uintptr_t)wish->file;
    record->line = wish->line < HERALD_LINE_MOST ? wish->line : HERALD_LINE_MOST;
    record->has_extra = size >= sizeof(struct herald_extra_record);
    if (record->has_extra) ((struct herald_extra_record *)record)->extra = wish->extra;
    return record;
}

static void dispose(const void *context, const void *extra) {
    if (extra) swift_release((void *)extra); /* first: it ends the mailbox */
    if (context) swift_release((void *)context);
}

void herald_record_dispose(struct herald_record *record) { dispose(record->body.context, herald_record_extra(record)); }

void herald_wish_dispose(const struct herald_wish *wish) { dispose(wish->body.context, wish->extra); }

HeraldStatus herald_record_register(struct herald_record *record, const struct herald_wish *wish,
                                    void (*release)(void *record), HeraldToken *token) {
    HeraldObserverOptions options = {.size = sizeof options,
                                     .suspensionBehavior = wish->behavior,
                                     .release = release,
                                     .taggedCallback = herald_receiver(wish->kind, wish->form)};
    if (wish->under) return wish->under(wish->center, record, NULL, wish->prefix, &options, token);
    if (wish->prefix)
        return HeraldCenterAddObserverUnder(wish->center, record, NULL, wish->prefix, &options, NULL, NULL, token);
    return HeraldCenterAddObserverWithOptions(wish->center, record, NULL, wish->name, wish->subject, &options, token);
}

void herald_record_free(struct herald_ending_record *record) {
    if (__atomic_sub_fetch(&record->references, 1, __ATOMIC_ACQ_REL) == 0) free(record);
}

static void release_plain(void *record) {
    herald_record_dispose(record);
    free(record);
}

static void release_ending(void *record) {
    herald_record_dispose(record);
    herald_record_free(record);
}

static HeraldStatus observe_plainly(const struct herald_wish *wish, struct herald_record *record, HeraldToken *token) {
    HeraldStatus status = herald_record_register(record, wish, release_plain, token);
    if (status != HeraldOK) release_plain(record);
    return status;
}

/* Its first call may end it, on another thread, before this returns. */
static HeraldStatus observe_while(const struct herald_wish *wish, struct herald_ending_record *record,
                                  HeraldToken *token) {
    record->references = 2;
    record->has_owner = false;
    HeraldStatus status = herald_record_register(&record->base.base, wish, release_ending, &record->token);
    *token = record->token;
    if (status != HeraldOK) release_ending(record);
    herald_record_free(record);
    return status;
}

HeraldStatus herald_observe(const struct herald_wish *wish, HeraldToken *token) {
    bool ends = wish->form == HERALD_WHILE;
    struct herald_record *record = herald_record_create(wish, ends          ? sizeof(struct herald_ending_record)
                                                              : wish->extra ? sizeof(struct herald_extra_record)
                                                                            : sizeof *record);
    if (!record) {
        herald_wish_dispose(wish);
        return HeraldOutOfMemory;
    }
    return ends ? observe_while(wish, (struct herald_ending_record *)record, token)
                : observe_plainly(wish, record, token);
}
