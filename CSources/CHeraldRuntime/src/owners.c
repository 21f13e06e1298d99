/* The registrations of each owner with one center.
 *
 * Ordering: The tables of a center have one lock, `lock`. No registration is ended under this lock, because ending a
 * registration may run user code, which may call these functions again. A listener's release hook takes the listener
 * out of the tables, under the lock, before the listener is freed. So a thread that holds the lock may read each
 * listener in the tables.
 * Progress: Adding, replacing and removing a registration take constant time. A listener is stale when its owner or its
 * subject is gone. Each add looks at two listeners in the tables, and ends the registrations of the stale ones. So the
 * tables never have more stale listeners than the largest number of live listeners that they have had at one time.
 * Ownership: Unowned references keep the memory of owners and subjects. So no address in the tables is used again for
 * another instance. No strong reference to an owner or a subject is made here, because releasing it could deinitialize
 * the instance on an unrelated thread. The struct herald_swift_owners of a center lives while Swift has a handle on the
 * center, and also while the center has a listener with an owner. There may be a time without a handle, in which only C
 * keeps the center. A later handle then finds the registrations that were made before that time.
 */
#include "ground_table.h"
#include "listener.h"
#include "swift.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct herald_swift_owners {
    pthread_mutex_t lock;
    pthread_mutex_t adding; /* locked by add_once; a thread that takes both locks takes this one first */
    uint32_t references;    /* atomic */
    HeraldCenterRef center;
    /* Under `lock`: */
    struct ground_table places; /* listeners, by owner, kind, key and subject; some differ in their files alone */
    struct ground_table newest; /* the newest listener of each owner; its `next` leads to the older ones */
    uint32_t looked_up_to;      /* the place in `places` at which the last sweep stopped */
};

/* ---- Hashes ------------------------------------------------------------------------------------------------------ */

struct place {
    const void *owner, *subject;
    HeraldNameRef key;
    enum herald_swift_kind kind;
    const char *file; /* compared by text, because each module has a literal of its own; not hashed */
};

static struct place place_of(const struct herald_swift_owned_listener *listener) {
    return (struct place){listener->owner, listener->subject, listener->key,
                          (enum herald_swift_kind)listener->base.kind,
                          (const char *)(uintptr_t)listener->base.base.base.file};
}

static uint64_t hash_place(const struct place *place) {
    uint64_t hash = ground_mix((uintptr_t)place->owner ^ ground_mix((uintptr_t)place->key));
    return ground_mix(hash ^ (uintptr_t)place->subject ^ (uint64_t)place->kind);
}

static uint64_t hash_record(const void *item) {
    struct place place = place_of(item);
    return hash_place(&place);
}

/* Whether a listener is at a place, regardless of the file. */
static bool is_at(const void *item, const void *key) {
    const struct place *place = key;
    struct place other = place_of(item);
    return other.owner == place->owner && other.key == place->key && other.subject == place->subject &&
           other.kind == place->kind;
}

/* Whether a listener is at a place, and was registered in the place's file. */
static bool is_at_in_file(const void *item, const void *key) {
    const struct place *place = key;
    const char *file = place_of(item).file;
    return is_at(item, key) && (file == place->file || (file && place->file && strcmp(file, place->file) == 0));
}

static uint64_t hash_owner(const void *item) {
    return ground_mix((uintptr_t)((const struct herald_swift_owned_listener *)item)->owner);
}

static bool is_of(const void *item, const void *owner) {
    return ((const struct herald_swift_owned_listener *)item)->owner == owner;
}

static void **find_newest(const struct herald_swift_owners *owners, const void *owner) {
    return ground_table_find(&owners->newest, ground_mix((uintptr_t)owner), is_of, owner);
}

/* ---- The owners of a center -------------------------------------------------------------------------------------- */

static uint64_t hash_center(const void *item) {
    return ground_mix((uintptr_t)((const struct herald_swift_owners *)item)->center);
}

static bool is_of_center(const void *item, const void *center) {
    return ((const struct herald_swift_owners *)item)->center == center;
}

static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;
/* The struct herald_swift_owners of each center. Under known_lock. An item that has no reference left is about to be
 * taken out or replaced. */
static struct ground_table known = {.hash = hash_center};

/* Returns false if there is no reference left. */
static bool retain_if_alive(struct herald_swift_owners *owners) {
    uint32_t references = __atomic_load_n(&owners->references, __ATOMIC_RELAXED);
    while (references && !__atomic_compare_exchange_n(&owners->references, &references, references + 1, true,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return references != 0;
}

/* Makes a recursive mutex. It must be recursive because registering a listener may run work that other threads have
 * left to this thread. The work may be user code, which may call these functions again. */
static void init_recursive(pthread_mutex_t *mutex) {
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(mutex, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

static struct herald_swift_owners *create(HeraldCenterRef center) {
    struct herald_swift_owners *owners = malloc(sizeof *owners);
    if (!owners) return NULL;
    *owners = (struct herald_swift_owners){
        .references = 1, .center = center, .places = {.hash = hash_record}, .newest = {.hash = hash_owner}};
    pthread_mutex_init(&owners->lock, NULL);
    init_recursive(&owners->adding);
    return owners;
}

/* Under known_lock. Returns NULL when memory is out. */
static struct herald_swift_owners *find_or_create(HeraldCenterRef center) {
    void **place = ground_table_find(&known, ground_mix((uintptr_t)center), is_of_center, center);
    if (place && retain_if_alive(*place)) return *place;
    if (!place && !ground_table_reserve(&known)) return NULL;
    struct herald_swift_owners *owners = create(center);
    if (place) {
        if (owners) *place = owners;
    } else if (owners) {
        ground_table_insert(&known, owners);
    } else {
        ground_table_unreserve(&known);
    }
    return owners;
}

struct herald_swift_owners *herald_swift_owners_of(HeraldCenterRef center) {
    pthread_mutex_lock(&known_lock);
    struct herald_swift_owners *owners = find_or_create(center);
    pthread_mutex_unlock(&known_lock);
    return owners;
}

void herald_swift_owners_release(struct herald_swift_owners *owners) {
    if (__atomic_sub_fetch(&owners->references, 1, __ATOMIC_ACQ_REL)) return;
    pthread_mutex_lock(&known_lock);
    void **place = ground_table_place(&known, owners);
    if (place) ground_table_remove(&known, place); /* NULL: find_or_create has replaced it */
    pthread_mutex_unlock(&known_lock);
    pthread_mutex_destroy(&owners->lock);
    pthread_mutex_destroy(&owners->adding);
    ground_table_clear(&owners->places);
    ground_table_clear(&owners->newest);
    free(owners);
}

/* ---- Ending ------------------------------------------------------------------------------------------------------ */

static void (*end_extra)(const void *extra);
static long (*count_dropped)(const void *extra);

void herald_swift_extras_are(void (*end)(const void *extra), long (*count)(const void *extra)) {
    end_extra = end;
    count_dropped = count;
}

/* Under the lock: takes the listener out of the tables. */
static void forget(struct herald_swift_owners *owners, struct herald_swift_owned_listener *listener) {
    ground_table_remove(&owners->places, ground_table_place(&owners->places, listener));
    if (listener->next) listener->next->previous = listener->previous;
    if (listener->previous) {
        listener->previous->next = listener->next;
    } else {
        void **newest = ground_table_place(&owners->newest, listener);
        if (listener->next) {
            *newest = listener->next;
        } else {
            ground_table_remove(&owners->newest, newest);
        }
    }
    listener->base.is_noted = false;
}

/* Under the lock: takes the listener out of the tables, and puts it in front of a list of registrations to be ended.
 * The list has one reference to the listener, and one to its extra. */
static void take(struct herald_swift_owners *owners, struct herald_swift_owned_listener *listener,
                 struct herald_swift_owned_listener **ended) {
    forget(owners, listener);
    __atomic_add_fetch(&listener->base.references, 1, __ATOMIC_RELAXED);
    swift_retain((void *)listener->base.base.extra);
    listener->next = *ended;
    *ended = listener;
}

/* Ends the registrations in a list, under no lock. A registration may have ended by now. */
static void end_all(HeraldCenterRef center, struct herald_swift_owned_listener *ended) {
    while (ended) {
        struct herald_swift_owned_listener *listener = ended;
        const void *extra = listener->base.base.extra;
        ended = listener->next;
        if (extra) end_extra(extra); /* no queued body begins after this */
        HeraldCenterRemoveToken(center, listener->base.token);
        swift_release((void *)extra);
        herald_swift_listener_free(&listener->base);
    }
}

/* Frees a listener that was not registered, and gives up the listener's references. The body and the extra still belong
 * to the wish. */
static void abandon(struct herald_swift_owned_listener *listener) {
    struct herald_swift_owners *owners = listener->owners;
    swift_unownedRelease((void *)listener->owner);
    free(listener);
    herald_swift_owners_release(owners);
}

static void release(void *observer) {
    struct herald_swift_owned_listener *listener = observer;
    struct herald_swift_owners *owners = listener->owners;
    /* The lock is needed even if the listener is in no table, because the thread that took the listener out may still
     * be reading it. */
    pthread_mutex_lock(&owners->lock);
    if (listener->base.is_noted) forget(owners, listener);
    listener->base.is_over = true;
    pthread_mutex_unlock(&owners->lock);
    swift_unownedRelease((void *)listener->owner);
    herald_swift_listener_dispose(&listener->base.base.base);
    herald_swift_listener_free(&listener->base);
    herald_swift_owners_release(owners);
}

/* ---- Adding ------------------------------------------------------------------------------------------------------ */

static bool is_gone(const struct herald_swift_owned_listener *listener) {
    return swift_isDeallocating(listener->owner) ||
           (listener->base.has_instance && swift_isDeallocating(listener->subject));
}

enum { LOOKS = 2 /* each add brings one listener and looks at two */, STEPS = 32 };

/* Under the lock: looks at the next listeners, and takes the stale ones out of the tables. */
static void sweep(struct herald_swift_owners *owners, struct herald_swift_owned_listener **ended) {
    for (uint32_t steps = 0, looks = 0; looks < LOOKS && steps < STEPS; steps++) {
        struct herald_swift_owned_listener *listener = ground_table_turn(&owners->places, &owners->looked_up_to);
        if (!listener) continue;
        looks++;
        if (!is_gone(listener)) continue;
        take(owners, listener, ended);
        owners->looked_up_to--; /* another listener may have moved to this place */
    }
}

static bool has(struct herald_swift_owners *owners, const struct place *place) {
    pthread_mutex_lock(&owners->lock);
    bool has = ground_table_find(&owners->places, hash_place(place), is_at, place);
    pthread_mutex_unlock(&owners->lock);
    return has;
}

static bool reserve(struct herald_swift_owners *owners) {
    pthread_mutex_lock(&owners->lock);
    bool is_room = ground_table_reserve(&owners->places);
    if (is_room && !ground_table_reserve(&owners->newest)) {
        ground_table_unreserve(&owners->places);
        is_room = false;
    }
    pthread_mutex_unlock(&owners->lock);
    return is_room;
}

/* Under the lock. */
static void unreserve(struct herald_swift_owners *owners) {
    ground_table_unreserve(&owners->places);
    ground_table_unreserve(&owners->newest);
}

/* Under the lock. */
static void insert(struct herald_swift_owners *owners, struct herald_swift_owned_listener *listener) {
    ground_table_insert(&owners->places, listener);
    void **newest = find_newest(owners, listener->owner);
    listener->previous = NULL;
    listener->next = newest ? *newest : NULL;
    if (newest) {
        listener->next->previous = listener;
        *newest = listener;
        ground_table_unreserve(&owners->newest);
    } else {
        ground_table_insert(&owners->newest, listener);
    }
    listener->base.is_noted = true;
}

/* Puts a registered listener into the tables. If there is an older listener at the same place and of the same file,
 * takes it out. If the owner is in its `deinit`, the new registration may have ended already. Then its listener is not
 * put into the tables. */
static void note(struct herald_swift_owners *owners, struct herald_swift_owned_listener *listener,
                 struct herald_swift_owned_listener **ended) {
    struct place place = place_of(listener);
    pthread_mutex_lock(&owners->lock);
    sweep(owners, ended);
    if (listener->base.is_over) {
        unreserve(owners);
    } else {
        void **there = ground_table_find(&owners->places, hash_place(&place), is_at_in_file, &place);
        if (there) take(owners, *there, ended);
        insert(owners, listener);
    }
    pthread_mutex_unlock(&owners->lock);
}

/* Called before the first call of a listener that begins with what is kept. In the call, the body may already observe
 * again or remove the owner, so the listener must be in the tables, and the one that it replaces must have ended. */
static void prepare(void *observer) {
    struct herald_swift_owned_listener *listener = observer, *ended = NULL;
    note(listener->owners, listener, &ended);
    end_all(listener->owners->center, ended);
}

static struct herald_swift_owned_listener *create_record(const struct herald_swift_wish *wish,
                                                         struct herald_swift_owners *owners, const void *owner,
                                                         const void *observer, size_t size) {
    struct herald_swift_owned_listener *listener = (void *)herald_swift_listener_create(wish, sizeof *listener + size);
    if (!listener) return NULL;
    listener->owner = swift_unownedRetain((void *)owner);
    listener->owners = owners;
    __atomic_add_fetch(&owners->references, 1, __ATOMIC_RELAXED);
    listener->key = wish->key;
    listener->subject = wish->subject;
    listener->base.has_instance = wish->has_instance;
    listener->base.kind = (uint8_t)wish->kind;
    listener->base.is_noted = listener->base.is_over = false;
    listener->base.references = 2;
    listener->base.has_owner = true;
    if (size) memcpy(listener + 1, observer, size);
    return listener;
}

/* Called under no lock, or under `adding`. The caller ends what is put into the list `ended`. */
static HeraldStatus add(const struct herald_swift_wish *wish, struct herald_swift_owners *owners, const void *owner,
                        const void *observer, size_t size, struct herald_swift_owned_listener **ended) {
    if (!reserve(owners)) return HeraldOutOfMemory;
    struct herald_swift_owned_listener *listener = create_record(wish, owners, owner, observer, size);
    HeraldStatus status = HeraldOutOfMemory;
    if (listener)
        status =
            herald_swift_listener_register(&listener->base.base.base, wish, release, prepare, &listener->base.token);
    if (status == HeraldOK) {
        if (!herald_swift_begins_here(wish)) note(owners, listener, ended);
        herald_swift_listener_free(&listener->base);
        return HeraldOK;
    }
    if (listener) abandon(listener);
    pthread_mutex_lock(&owners->lock);
    unreserve(owners);
    pthread_mutex_unlock(&owners->lock);
    return status;
}

/* Adds an observer of a protocol (HERALD_SWIFT_CALLS), unless the observer has been added before. If two threads add
 * the same observer at once, the second waits for `adding`, and then finds the observer in the tables. */
static HeraldStatus add_once(const struct herald_swift_wish *wish, struct herald_swift_owners *owners,
                             const void *owner, const void *observer, size_t size,
                             struct herald_swift_owned_listener **ended) {
    struct place place = {.owner = owner, .subject = wish->subject, .key = wish->key, .kind = wish->kind};
    pthread_mutex_lock(&owners->adding);
    HeraldStatus status = has(owners, &place) ? HeraldOK : add(wish, owners, owner, observer, size, ended);
    pthread_mutex_unlock(&owners->adding);
    return status;
}

HeraldStatus herald_swift_observe_by(const struct herald_swift_wish *wish, struct herald_swift_owners *owners,
                                     const void *owner, const void *observer, size_t size) {
    struct herald_swift_owned_listener *ended = NULL;
    /* The wish for an observer of a protocol has no body and no extra. So if the observer has been added before,
     * nothing is left to dispose of. */
    HeraldStatus status = wish->kind == HERALD_SWIFT_CALLS ? add_once(wish, owners, owner, observer, size, &ended)
                                                           : add(wish, owners, owner, observer, size, &ended);
    end_all(owners->center, ended);
    if (status != HeraldOK) herald_swift_wish_dispose(wish);
    return status;
}

/* Registers an owner that hears first what is kept. `function` and `context` are a Swift closure that does not escape.
 */
SWIFT HeraldStatus herald_swift_observe_by_from_kept(struct herald_swift_wish *wish, struct herald_swift_owners *owners,
                                                     const void *owner, const void *function, const void *context);
SWIFT HeraldStatus herald_swift_observe_by_from_kept(struct herald_swift_wish *wish, struct herald_swift_owners *owners,
                                                     const void *owner, const void *function, const void *context) {
    wish->start = HeraldStartKept;
    wish->began = (struct herald_swift_closure){function, context};
    return herald_swift_observe_by(wish, owners, owner, NULL, 0);
}

/* ---- Removing ---------------------------------------------------------------------------------------------------- */

static bool is_chosen(const struct herald_swift_owned_listener *listener, const struct herald_swift_choice *choice) {
    if (!choice->by_key) return true;
    return listener->base.kind == choice->kind && listener->key == choice->key;
}

/* Under the lock: takes out the listeners at a place, of all files. */
static void take_at(struct herald_swift_owners *owners, const struct place *place,
                    struct herald_swift_owned_listener **ended) {
    void **found;
    while ((found = ground_table_find(&owners->places, hash_place(place), is_at, place))) take(owners, *found, ended);
}

/* Under the lock: takes out the owner's listeners that are chosen regardless of the subject. The oldest registration
 * ends first: the walk begins with the newest, and puts each in front of the list. */
static void take_chosen(struct herald_swift_owners *owners, const void *owner, const struct herald_swift_choice *choice,
                        struct herald_swift_owned_listener **ended) {
    void **newest = find_newest(owners, owner);
    for (struct herald_swift_owned_listener *older, *listener = newest ? *newest : NULL; listener; listener = older) {
        older = listener->next;
        if (is_chosen(listener, choice)) take(owners, listener, ended);
    }
}

void herald_swift_owners_remove(struct herald_swift_owners *owners, const void *owner,
                                const struct herald_swift_choice *choice) {
    struct place place = {.owner = owner, .subject = choice->subject, .key = choice->key, .kind = choice->kind};
    struct herald_swift_owned_listener *ended = NULL;
    pthread_mutex_lock(&owners->lock);
    if (choice->by_subject) {
        take_at(owners, &place, &ended);
    } else {
        take_chosen(owners, owner, choice, &ended);
    }
    pthread_mutex_unlock(&owners->lock);
    end_all(owners->center, ended);
}

/* ---- Counting ---------------------------------------------------------------------------------------------------- */

long herald_swift_owners_count_dropped(struct herald_swift_owners *owners, const void *owner) {
    long dropped = 0;
    pthread_mutex_lock(&owners->lock);
    void **newest = find_newest(owners, owner);
    for (struct herald_swift_owned_listener *listener = newest ? *newest : NULL; listener; listener = listener->next)
        if (listener->base.base.extra) dropped += count_dropped(listener->base.base.extra);
    pthread_mutex_unlock(&owners->lock);
    return dropped;
}
