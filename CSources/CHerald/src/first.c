/* Decides which copy is the first, once and for ever. Mostly it is the copy that makes its claim before all others. The
 * scheme: Burns and Lamport's one-bit algorithm. A copy makes a claim, has a full fence, and looks at all other claims;
 * the linker's order decides a tie.
 *
 * Ordering: A copy that sees no claim of another copy makes one, and looks again. If two copies do so at once, at least
 * one of them sees the other's claim, because each has a full fence between its claim and its second look. The copy
 * that is later in the linker's order takes its claim back, and waits until the earlier copy is the first. The earlier
 * copy waits until the later copy's claim is gone. Tests/Model/first.c is a model of this, with three copies.
 *
 * Progress: Bounded: a copy waits at most five seconds for claims that neither succeed nor are taken back. (The child
 * of a fork inherits such a claim if the claiming thread stays in the parent.) If two copies have both waited for five
 * seconds, and then claim at the same instant, both may become the first.
 *
 * Ownership: A copy belongs to the program or shared library (to the linker: the object) that contains it. A copy that
 * has been used is never unloaded (pin.c). Other copies may be unloaded, so copies are looked for and read only under
 * the dynamic linker's lock.
 */
#include "first.h"
#include "mutex.h"
#include "order.h"
#include "sleeper.h"

#include <link.h>
#include <string.h>

#ifdef HERALD_EXPLORE
bool herald_first_is_here = true; /* there is one copy */
#else
bool herald_first_is_here;
#endif
const struct herald_functions *herald_first_functions;
static struct herald_copy *own; /* protected by `lock` */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- Copies in the process --------------------------------------------------------------------------------------- */

struct note {
    uint32_t name_size, size, type;
    char name[8];
    int32_t distance; /* from this member to the copy */
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

/* Visits one segment of notes. An object that was linked from several libraries may have several copies. */
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

/* Whether the other copy can be the first one for this copy: it has all functions that this copy knows. */
static bool is_fit(const struct herald_copy *copy) {
    return copy->generation == HERALD_GENERATION && copy->level >= HERALD_LEVEL;
}

struct rivals {
    const struct herald_copy *first;
    bool own, before, behind; /* own: the visit has come to this copy; before, behind: another copy with a claim comes
                                 before this copy, or after it */
};

static bool see_claim(void *context, struct herald_copy *copy, const struct dl_phdr_info *object) {
    (void)object;
    struct rivals *rivals = context;
    uint32_t claim = load_acquire(&copy->claim); /* acquire: if that copy is the first, its table is complete */
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
    fence_full(); /* partner: the same fence in another copy */
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
