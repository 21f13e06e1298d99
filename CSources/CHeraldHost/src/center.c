/* The host center: a transport of names under a center of the core.
 *
 * Ordering. A post counts in the entry, then checks whether the segment is retired (see move.c). Progress. A post takes
 * no lock, but for the first of a name and for a look once a second. Ownership. The center lives for ever.
 */
#include "complaint.h"
#include "watched.h"
#include "watcher.h"
#include <string.h>

/* ---- Observers --------------------------------------------------------------------------------------------------- */

static HeraldStatus first_observer(void *context, HeraldCenterRef center, HeraldNameRef ref) {
    (void)context;
    if (!ref)
        return herald_complain(HeraldInvalidArgument, "observers of any name cannot be served by the host center");
    struct herald_host_name *name;
    herald_session_lock();
    HeraldStatus status = herald_watcher_watch(ref, &name);
    if (status == HeraldOK) name->center = center;
    herald_session_unlock();
    return status;
}

static void last_observer(void *context, HeraldCenterRef center, HeraldNameRef ref) {
    (void)context, (void)center;
    struct herald_host_name *name = ref ? herald_host_name_find(ref) : NULL;
    if (!name) return;
    herald_session_lock();
    name->center = NULL;
    herald_watched_remove_if_unused(name);
    herald_session_unlock();
}

/* ---- Posting ----------------------------------------------------------------------------------------------------- */

/* The entry of a name that this process cannot remember now, as its lock is taken. */
static struct herald_entry *find_by_text(const char *text, struct herald_segment *segment) {
    uint32_t length = herald_host_name_length(text);
    herald_session.posted_texts = herald_session.looks;
    return length && strncmp(text, "self.", 5) != 0 ? herald_entry_find(segment, text, length) : NULL;
}

/* The name's entry, by the slow way. */
static HERALD_SLOW struct herald_entry *look_up(HeraldNameRef ref, struct herald_segment *segment) {
    struct herald_host_name *name;
    struct herald_entry *entry = NULL;
    if (!herald_session_try_lock(NULL)) return find_by_text(HeraldNameGetUTF8String(ref), segment);
    segment = herald_move_look(false);
    if (segment && herald_host_name_obtain(ref, &name) == HeraldOK) {
        name->posted = herald_session.looks;
        entry = herald_host_name_look_up(name, segment);
    }
    herald_session_unlock();
    return entry;
}

static struct herald_entry *entry_of(HeraldNameRef ref, struct herald_segment *segment) {
    struct herald_host_name *name = herald_host_name_find(ref);
    if (herald_unlikely(!name)) return look_up(ref, segment);
    uint32_t looks = herald_session.looks;
    if (herald_unlikely(name->posted != looks)) name->posted = looks;
    struct herald_entry *entry = name->entry;
    if (herald_likely(entry != NULL)) return entry;
    if (herald_likely(name->absent_at == segment->header->changes)) return NULL;
    return look_up(ref, segment);
}

/* After the count: a process that retires the segment counts what was posted before; else it is posted again,
 * elsewhere. The same if this process has moved: see herald_segment. */
static bool is_done(const struct herald_segment *segment) {
    return herald_likely(!herald_does(RETIRED) || (!segment->header->retired && herald_session.segment == segment));
}

enum { FILES = 10 /* that one post tries: each may be spoilt while it is in it */ };

static inline __attribute__((always_inline)) void post_name(HeraldNameRef name) {
    const struct herald_segment *before = NULL;
    for (int file = 0; file < FILES; file++) {
        struct herald_segment *segment = herald_move_segment();
        if (herald_unlikely(!segment || segment == before)) return;
        struct herald_entry *entry = entry_of(name, segment);
        if (entry && herald_session.segment == segment) herald_entry_post(entry, segment); /* else it is another's */
        if (is_done(segment)) return;
        before = segment;
    }
}

static size_t post(void *context, HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                   const void *tag, unsigned options) {
    (void)context, (void)center, (void)object, (void)userInfo, (void)tag, (void)options;
    post_name(name);
    return 0;
}

/* A text is made a name of only when some process has observed it: of those there are not many. */
HeraldStatus HeraldHostPost(const char *text) {
    uint32_t length = herald_host_name_length(text);
    if (!length) return HeraldInvalidArgument;
    HeraldNameRef name = HeraldNameFind(text);
    struct herald_segment *segment = herald_move_segment();
    if (!segment) return HeraldTransportFailed;
    if (!name || !herald_host_name_find(name)) {
        if (!herald_entry_find(segment, text, length)) {
            herald_session.posted_texts = herald_session.looks;
            if (is_done(segment)) return HeraldOK;
        }
        HeraldStatus status = herald_host_name_create(text, &name);
        if (status != HeraldOK) return status;
    }
    post_name(name);
    return HeraldOK;
}

/* ---- The center -------------------------------------------------------------------------------------------------- */

static HeraldCenterRef _Atomic host_center;

/* Without a lock, so that a fork finds none taken. Of two threads that come first one makes a center that is not used.
 */
static HERALD_SLOW HeraldCenterRef make_center(void) {
    HeraldTransport transport = {.size = sizeof transport,
                                 .firstObserver = first_observer,
                                 .lastObserver = last_observer,
                                 .post = post,
                                 .ignoresObjects = true,
                                 .livesForever = true};
    HeraldCenterRef center, none = NULL;
    if (HeraldCenterCreateWithTransport(NULL, &transport, &center) != HeraldOK) return host_center;
    return atomic_compare_exchange_strong(&host_center, &none, center) ? center : none;
}

HeraldCenterRef HeraldCenterGetHostCenter(void) {
    HeraldCenterRef center = host_center;
    return herald_likely(center != NULL) ? center : make_center();
}
