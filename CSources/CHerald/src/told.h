/* What a center's transport is told: which names have observers here (transport.h: `observed`).
 *
 * The scheme: states with versions. For each change the transport is told the new state: whether the name is observed.
 * With the state comes its version, a number that is drawn under the center's lock. No lock is held while the hook
 * runs. So the hooks of two changes may run at the same time, and the transport may hear of the later change first. The
 * transport ignores a version that is older than the newest it has accepted.
 *
 * An add tells the transport before posts can find the registration. Then it publishes the registration, but only if
 * the transport still believes that the name is observed. A removal tells the transport after the registration has
 * ended.
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

/* What one thread tells the transport. While this struct exists, the transport is not destroyed, the center's memory
 * stays, and the bucket is not evicted. The struct lies on the heap, because its thread may end in the hook without
 * unwinding the stack (R17). Then herald_told_hand_in ends the telling. */
struct herald_telling {
    struct herald_telling *next, **link; /* center's lock: the list of the center's tellings */
    const void *thread;                  /* &herald_self */
    HeraldCenterRef center;
    struct herald_told_of of;
    struct herald_bucket *bucket; /* for an add: the bucket that notes what the transport knows; NULL: for a removal */
    uint64_t version;             /* the version that the hook is called with */
    uint64_t accepted;            /* the newest version that the transport has accepted for an add that has not
                                     published yet; 0: none */
};

HERALD_BEGIN
HERALD_INLINE struct herald_told_of herald_told_of_name(HeraldCenterRef center, HeraldNameRef name) {
    struct herald_told_of of = {center->transport.observed ? HERALD_TOLD_NAME : HERALD_TOLD_NOTHING, name};
    return of;
}
/* If the transport has no hook for prefixes, it is told of an observer of any name instead. */
struct herald_told_of herald_told_of_prefix(HeraldCenterRef center, struct herald_under *under);

/* Under the center's lock, for an add that tells the transport. If the transport knows already that there is an
 * observer, `*telling` becomes NULL. Otherwise the caller calls the hook (herald_told_call), and later ends the telling
 * (herald_told_end). */
HeraldStatus herald_told_begin(HeraldCenterRef center, const struct herald_told_of *of,
                               struct herald_telling **telling);
/* Under no lock: calls the hook. */
HeraldStatus herald_told_call(struct herald_telling *telling);
/* Call this under the lock of a center that is not closed, after the transport has accepted. Returns whether the
 * transport still believes that the name is observed. If so, the caller may publish its registration. If not, draws the
 * version with which the caller calls the hook again. */
bool herald_told_holds(struct herald_telling *telling);
/* Under no lock: ends the telling. If the transport has accepted the add, but the add has published nothing, and there
 * is no other observer, tells the transport that there is none. */
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
/* Returns false if the transport has been destroyed: the center has ended, and a callback or a hook of it
 * is still running. Else
 * keeps the transport and the center's memory until herald_transport_used(used). */
bool herald_transport_use(HeraldCenterRef center, HeraldCenterRef *used);
/* Releases the transport, and then the center's memory. */
void herald_transport_used(HeraldCenterRef *used);

/* Until the end of the block, however it is left, the transport stays, even if the center ends; if `is_there`. */
#define HERALD_RETAIN_TRANSPORT(center)                                                                                \
    HeraldCenterRef used __attribute__((cleanup(herald_transport_used))) = NULL;                                       \
    const bool is_there __attribute__((unused)) = herald_transport_use(center, &used)

/* As HERALD_RETAIN_TRANSPORT, while a hook of the transport runs. */
#define HERALD_USE_TRANSPORT(center)                                                                                   \
    HERALD_RETAIN_TRANSPORT(center);                                                                                   \
    HERALD_HOOKS(hooks)

/* Whether a version was drawn before the fork that made this process. If so, the transport must hear of the name again,
 * because the threads that the transport had in the parent do not exist here. */
bool herald_told_is_inherited(uint64_t version);
/* Called for a thread that has ended in a hook: ends the thread's tellings. The hook counts as having refused. */
void herald_told_hand_in(HeraldCenterRef center);
void herald_told_in_child(void);
/* In the child, under every lock: ends the tellings of all other threads. Those threads do not exist here, so their
 * hooks never return. */
void herald_told_after_fork(HeraldCenterRef center);
HERALD_END
#endif
