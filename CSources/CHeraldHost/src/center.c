/* The host center: a transport of names under a center of the core. */
#include "complaint.h"
#include "host.h"
#include "watcher.h"

/* ---- Observers -------------------------------------------------------------------------------------------------- */

static HeraldStatus observe(HeraldNameRef ref) {
    struct herald_host_name *name;
    HeraldStatus status = herald_host_name_obtain(ref, &name);
    if (status != HeraldOK) return status;
    struct herald_segment *segment = herald_host_look(true);
    if (!segment) return HeraldTransportFailed;
    status = herald_host_name_enter(name, segment);
    if (status == HeraldOK) status = herald_watcher_watch(name, segment);
    if (status == HeraldOK) name->observed = true;
    return status;
}

static HeraldStatus first_observer(void *context, HeraldCenterRef center, HeraldNameRef name) {
    (void)context, (void)center;
    if (!name) return herald_fail_with(HeraldInvalidArgument, "observers of any name cannot be served by the host center");
    herald_host_lock();
    HeraldStatus status = observe(name);
    herald_host_unlock();
    return status;
}

static void last_observer(void *context, HeraldCenterRef center, HeraldNameRef ref) {
    (void)context, (void)center;
    struct herald_host_name *name = ref ? herald_host_name_find(ref) : NULL;
    if (!name) return;
    herald_host_lock();
    name->observed = false;
    if (!name->descriptors) herald_watcher_forget(name);
    herald_host_unlock();
}

/* ---- Posting ---------------------------------------------------------------------------------------------------- */

/* The name's entry, by the slow way. */
static HERALD_SLOW struct herald_entry *look_up(HeraldNameRef ref) {
    struct herald_host_name *name;
    struct herald_entry *entry = NULL;
    herald_host_lock();
    struct herald_segment *segment = herald_host_look(false);
    if (segment && herald_host_name_obtain(ref, &name) == HeraldOK) {
        name->posted = true;
        entry = herald_host_name_look_up(name, segment);
    }
    herald_host_unlock();
    return entry;
}

static struct herald_entry *entry_of(HeraldNameRef ref, const struct herald_segment *segment) {
    struct herald_host_name *name = herald_host_name_find(ref);
    if (herald_unlikely(!name || !name->posted)) return look_up(ref);
    struct herald_entry *entry = name->entry;
    if (herald_likely(entry != NULL)) return entry;
    if (herald_likely(name->absent_at == segment->header->changes)) return NULL;
    return look_up(ref);
}

static size_t post(void *context, HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                   const void *tag, unsigned options) {
    (void)context, (void)center, (void)object, (void)userInfo, (void)tag, (void)options;
    for (int attempt = 0; attempt < 3; attempt++) {
        struct herald_segment *segment = herald_host_segment();
        if (herald_unlikely(!segment)) return 0;
        struct herald_entry *entry = entry_of(name, segment);
        if (!entry) return 0;
        herald_entry_post(entry, segment);
        /* After the count: who retires the segment counts what was posted before. */
        if (herald_likely(!segment->header->retired)) return 0;
    }
    return 0;
}

HeraldStatus HeraldHostPost(const char *text) {
    uint32_t length = herald_host_name_length(text);
    if (!length) return HeraldInvalidArgument;
    HeraldNameRef known = HeraldNameFind(text);
    if (known && herald_host_name_find(known)) {
        HeraldCenterPostNotification(HeraldCenterGetHostCenter(), known, NULL, NULL, false);
        return herald_host_segment() ? HeraldOK : HeraldTransportFailed;
    }
    for (int attempt = 0; attempt < 3; attempt++) {
        struct herald_segment *segment = herald_host_segment();
        if (!segment) return HeraldTransportFailed;
        struct herald_entry *entry = herald_entry_find(segment, text, length);
        if (entry) herald_entry_post(entry, segment);
        if (!segment->header->retired) break;
    }
    return HeraldOK;
}

/* ---- The center ------------------------------------------------------------------------------------------------- */

static HeraldCenterRef _Atomic host_center;

static HERALD_SLOW HeraldCenterRef make_center(void) {
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
    HeraldTransport transport = {.size = sizeof transport,
                                 .firstObserver = first_observer,
                                 .lastObserver = last_observer,
                                 .post = post,
                                 .ignoresObjects = true,
                                 .livesForever = true};
    HeraldCenterRef center = NULL;
    pthread_mutex_lock(&making);
    if (!host_center && HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK) host_center = center;
    center = host_center;
    pthread_mutex_unlock(&making);
    return center;
}

HeraldCenterRef HeraldCenterGetHostCenter(void) {
    HeraldCenterRef center = host_center;
    return herald_likely(center != NULL) ? center : make_center();
}
