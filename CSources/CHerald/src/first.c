/* Which copy is the first: the one that says so first, and keeps to it.
 *
 * Ordering. A copy that sees no other's claim makes one, and looks again; of two that do so at once one sees the
 * other's claim at least, for each has a full fence between its claim and its look. The one that the linker has put
 * behind stands back until the other is the first; that one waits until it has. Tests/Model/first.c is this, with three
 * copies.
 *
 * Progress. Bounded: who has claimed for five seconds, and neither is the first nor stands back, is waited for no more
 * (its process has forked meanwhile). Two copies that begin in one instant after such five seconds may both be first.
 *
 * Ownership. Copies are objects' own; one that has been used is never unloaded (pin.c), and nobody trusts another.
 */
#include "first.h"
#include "mutex.h"
#include "order.h"
#include "sleeper.h"

#include <link.h>
#include <string.h>

#ifdef HERALD_EXPLORE
bool herald_first_is_here = true; /* there is one */
#else
bool herald_first_is_here;
#endif
const struct herald_functions *herald_first_functions;
static struct herald_copy *own; /* the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- Copies in the process --------------------------------------------------------------------------------------- */

struct note {
    uint32_t name_size, size, type;
    char name[8];
    int32_t distance; /* of the copy, from here */
};

static size_t padded(size_t size, size_t alignment) { return (size + alignment - 1) & ~(alignment - 1); }

struct note_visit {
    bool (*see)(void *context, struct herald_copy *copy, const struct dl_phdr_info *object);
    void *context;
};

static bool is_ours(const struct note *note) {
    return note->name_size == sizeof "Herald" && note->size == sizeof note->distance && note->type == HERALD_NOTE &&
           memcmp(note->name, "Herald", sizeof "Herald") == 0;
}

/* A segment of notes: an object that was linked of several libraries may have several copies. */
static bool visit_notes(const struct note_visit *visit, const struct dl_phdr_info *object, const ElfW(Phdr) * segment) {
    const char *at = (const char *)(object->dlpi_addr + segment->p_vaddr), *end = at + segment->p_memsz;
    size_t alignment = segment->p_align == 8 ? 8 : 4;
    while ((size_t)(end - at) >= sizeof(struct note)) {
        const struct note *note = (const struct note *)(const void *)at;
        uintptr_t copy = (uintptr_t)&note->distance + (uintptr_t)(intptr_t)note->distance;
        if (is_ours(note) && !visit->see(visit->context, (struct herald_copy *)copy, object)) return false;
        size_t step = padded(offsetof(struct note, name) + note->name_size, alignment) + padded(note->size, alignment);
        if (step > (size_t)(end - at)) break;
        at += step;
    }
    return true;
}

static int visit_object(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_NOTE && !visit_notes(context, object, &object->dlpi_phdr[i])) return 1;
    return 0;
}

void herald_first_visit(bool (*see)(void *context, struct herald_copy *copy, const struct dl_phdr_info *object),
                        void *context) {
    struct note_visit visit = {see, context};
    dl_iterate_phdr(visit_object, &visit);
}

static bool see_own(void *context, struct herald_copy *copy, const struct dl_phdr_info *object) {
    (void)object;
    if (!herald_first_is_own(copy)) return true;
    *(struct herald_copy **)context = copy;
    return false;
}

/* ---- Which is the first ------------------------------------------------------------------------------------------ */

/* It has all that this copy knows. */
static bool is_fit(const struct herald_copy *copy) {
    return copy->generation == HERALD_GENERATION && copy->level >= HERALD_LEVEL;
}

struct rivals {
    const struct herald_copy *first;
    bool own, before, behind; /* it has been seen; another that claims stands before it, or behind */
};

static bool see_claim(void *context, struct herald_copy *copy, const struct dl_phdr_info *object) {
    (void)object;
    struct rivals *rivals = context;
    uint32_t claim = load_acquire(&copy->claim); /* the first one's table is complete */
    if (copy == own) {
        rivals->own = true;
    } else if (is_fit(copy) && claim == HERALD_IS_FIRST) {
        rivals->first = copy;
    } else if (is_fit(copy) && claim == HERALD_CLAIMS) {
        *(rivals->own ? &rivals->behind : &rivals->before) = true;
    }
    return !rivals->first;
}

static struct rivals look_at_claims(void) {
    struct rivals rivals = {NULL, false, false, false};
    herald_first_visit(see_claim, &rivals);
    return rivals;
}

enum { PATIENCE = 5000 }; /* naps of a millisecond */

static void set_claim(bool *has_claim, bool claims) {
    exchange_full(&own->claim, (uint32_t)(claims ? HERALD_CLAIMS : HERALD_NO_CLAIM));
    fence_full(); /* partner: the same in another copy */
    *has_claim = claims;
}

/* Under the lock. */
static const struct herald_copy *agree(void) {
    bool has_claim = false;
    for (int waited = 0;;) {
        struct rivals rivals = look_at_claims();
        bool is_patient = waited < PATIENCE, must_wait = is_patient && (rivals.before || rivals.behind);
        if (has_claim && (rivals.first || (is_patient && rivals.before))) set_claim(&has_claim, false);
        if (rivals.first) return rivals.first;
        if (must_wait) {
            herald_nap();
            waited++;
        } else if (has_claim) {
            store_release(&own->claim, (uint32_t)HERALD_IS_FIRST);
            return own;
        } else {
            set_claim(&has_claim, true);
        }
    }
}

/* Under the lock. */
static void find_out(void) {
    herald_first_visit(see_own, &own);
    const struct herald_copy *first = own ? agree() : NULL;
    if (first == own) {
        if (own) store_release(&own->first, first);
        __atomic_store_n(&herald_first_is_here, true, __ATOMIC_RELEASE);
        return;
    }
    store_release(&own->first, first);
    first->functions->follow(own);
    store_release(&herald_first_functions, first->functions);
}

HERALD_SLOW const struct herald_functions *herald_first_find(void) {
    herald_mutex_lock(&lock);
    if (!herald_first_is_here && !herald_first_functions) find_out();
    const struct herald_functions *found = herald_first_functions;
    herald_mutex_unlock(&lock);
    return found;
}

__attribute__((constructor)) static void find_out_early(void) { herald_first_elsewhere(); }

void herald_first_before_fork(void) { herald_mutex_lock(&lock); }
void herald_first_after_fork(void) { herald_mutex_unlock(&lock); }
