/* What a center's transport is told: which names have observers here (transport.h: `observed`).
 *
 * The scheme: levels with versions. After each change the transport is told whether the name is observed, with a number
 * that is drawn under the center's lock. No lock is held during the hook, so hooks of two changes may run at once and
 * arrive in the other order. The transport ignores a version that is older than the newest it has accepted.
 *
 * An add tells the transport before it publishes, and publishes only while what it told still holds. A removal tells
 * the transport afterwards.
 */
#ifndef HERALD_TOLD_H
#define HERALD_TOLD_H

#include "center.h"
#include "under.h"

/* What an add tells the transport of: a name (NULL: any), or the names below a prefix. */
struct herald_told_of {
    enum herald_told_hook hook;
    HeraldNameRef name;
};

/* What one thread tells the transport. While it exists, the transport is not destroyed, the center's memory stays, and
 * the bucket is not evicted. It is in the heap, so that a thread that ends in the hook hands it in (R17). */
struct herald_telling {
    struct herald_telling *next; /* the center's lock: all of the center's */
    const void *thread;          /* &herald_self */
    HeraldCenterRef center;
    struct herald_told_of of;
    struct herald_bucket *bucket; /* of an add: what the transport knows is kept there. NULL: of a removal */
    uint64_t version;             /* of the call */
    uint64_t accepted;            /* the newest version that the transport has accepted for an add that has not
                                     published yet; 0: none */
};

HERALD_BEGIN
HERALD_INLINE struct herald_told_of herald_told_of_name(HeraldCenterRef center, HeraldNameRef name) {
    struct herald_told_of of = {center->transport.observed ? HERALD_TOLD_NAME : HERALD_TOLD_NOTHING, name};
    return of;
}
/* A transport without the hook for prefixes is told as of any name. */
struct herald_told_of herald_told_of_prefix(HeraldCenterRef center, struct herald_under *under);

/* Under the center's lock, for an add that tells the transport. `*telling` is NULL if the transport knows already that
 * there is an observer. Otherwise the caller tells it, and ends the telling. */
HeraldStatus herald_told_begin(HeraldCenterRef center, const struct herald_told_of *of,
                               struct herald_telling **telling);
/* Under no lock: calls the hook. */
HeraldStatus herald_told_call(struct herald_telling *telling);
/* Under the lock of a center that is not closed, after the transport has accepted: whether what it was told still
 * holds, so that the caller may publish. If not, draws the version of the next call. */
bool herald_told_holds(struct herald_telling *telling);
/* Under no lock. If the transport has accepted an add that has not published, tells it if there is no observer. */
void herald_told_end(struct herald_telling *telling);

/* Under the center's lock: a registration for a prefix has been published (1), or has ended (-1). */
void herald_told_count(HeraldCenterRef center, struct herald_under *under, int change);

/* Under the center's lock: notes this bucket, if it has lost its last observer and the transport knows of it. */
void herald_told_note_reached(HeraldCenterRef center, struct herald_bucket *bucket);
HERALD_INLINE void herald_told_note(HeraldCenterRef center, struct herald_bucket *name_bucket) {
    if (herald_unlikely(name_bucket->reached)) herald_told_note_reached(center, name_bucket);
}

/* Under no lock: takes the next noted bucket, and tells the transport if it still has no observer. False if none is
 * noted. */
bool herald_told_next(HeraldCenterRef center);

/* Under the lock of a center that is closed: notes all buckets, because they have lost their observers. */
void herald_told_note_all(HeraldCenterRef center);

/* Around a post that the transport carries. The transport is destroyed when its center has been closed and the last
 * such post has ended. */
void herald_transport_retain(HeraldCenterRef center);
void herald_transport_release(HeraldCenterRef center);
static inline void herald_transport_used(HeraldCenterRef *center) { herald_transport_release(*center); }

/* Until the end of the block, however it is left, the transport stays, even if the center ends. */
#define HERALD_RETAIN_TRANSPORT(center)                                                                                \
    HERALD_RETAIN_MEMORY(kept, center);                                                                                \
    herald_transport_retain(center);                                                                                   \
    HeraldCenterRef used __attribute__((cleanup(herald_transport_used))) = (center);                                   \
    (void)used

/* As HERALD_RETAIN_TRANSPORT, while a hook of the transport runs. */
#define HERALD_USE_TRANSPORT(center)                                                                                   \
    HERALD_RETAIN_TRANSPORT(center);                                                                                   \
    HERALD_HOOKS(hooks)

/* Whether a version was drawn before the fork that made this process. Then the transport must hear of the name again,
 * because its threads do not exist here. */
bool herald_told_is_inherited(uint64_t version);
/* For a thread that ends in a hook: the hook has refused. */
void herald_told_hand_in(HeraldCenterRef center);
void herald_told_in_child(void);
/* In the child: the hooks of other threads are over. */
void herald_told_after_fork(HeraldCenterRef center);
HERALD_END
#endif
