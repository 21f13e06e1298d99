/* Several copies of the library in one process (R22): for example, a program is linked with the static library, and a
 * plugin brings libherald.so. The first copy has all centers and names, and the others pass their calls on to it.
 *
 * A copy is found by a note in the object that carries it (functions.c). Copies rely on three things in each other: the
 * two structs below, what the public headers declare, and that a name from HeraldNameForAddress is an odd address. An
 * addition to them goes to the end and raises HERALD_LEVEL. Any other change of them raises HERALD_GENERATION.
 */
#ifndef HERALD_FIRST_H
#define HERALD_FIRST_H

#include "entry_points.h"

HERALD_BEGIN
/* A post is passed on with the code address that it was made from, for traces. */
size_t herald_post_from(HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                        const void *tag, unsigned options, const void *caller);
size_t herald_topic_post_from(HeraldTopicRef topic, const void *userInfo, const void *tag, const void *caller);
HeraldStatus herald_message_post_from(HeraldCenterRef center, HeraldNameRef name, const HeraldMessage *message,
                                      const void *caller);

/* Keeps a copy's HeraldTraceCount equal to the first copy's from now on. */
struct herald_copy;
void herald_trace_follow(struct herald_copy *copy);
HERALD_END

struct herald_functions {
    __typeof__(herald_post_from) *post;
    __typeof__(herald_topic_post_from) *post_topic;
    __typeof__(herald_message_post_from) *post_message;
    __typeof__(herald_trace_follow) *follow;
#define HERALD_MEMBER(result, name, parameters, arguments) result(*name) parameters;
    HERALD_ENTRY_POINTS(HERALD_MEMBER)
#undef HERALD_MEMBER
};

/* A copy of the library. The copy's note leads to this struct. The members up to and including `first` are the same in
 * every generation. A copy without a note stays alone. This happens when a linker takes only some members of an
 * archive, without functions.o. */
enum {
    HERALD_NOTE = 1,
    HERALD_GENERATION = 1, /* copies of other generations stay apart */
    HERALD_LEVEL = 7       /* rises with each function above, and each member or bit of a public header (make api) */
};
enum { HERALD_NO_CLAIM, HERALD_CLAIMS, HERALD_IS_FIRST };
struct herald_copy {
    uint32_t generation, level;      /* may be read before the object is relocated, as may `claim` and `version` */
    uint32_t claim;                  /* atomic */
    char version[20];                /* for people */
    const bool *is_first;            /* its herald_first_is_here */
    const struct herald_copy *first; /* atomic: the copy whose centers it uses; NULL: not found out yet */
    const struct herald_functions *functions;
    uint32_t *traces;                  /* its HeraldTraceCount */
    struct herald_copy *next_follower; /* in the first copy's list: the next copy whose `traces` it updates */
};

HERALD_BEGIN
/* Whether this copy has found out that it is the first one. Atomic, but not a step for the explorer (explore.h),
 * which runs with one copy. */
extern bool herald_first_is_here;
/* The first copy's functions, once this copy has found out that another copy is the first; until then NULL. Atomic. */
extern const struct herald_functions *herald_first_functions;

/* Finds out which copy is the first, and returns its functions. NULL: it is this copy. */
const struct herald_functions *herald_first_find(void);

/* Calls `see` for each copy in this process, in the linker's order, until `see` returns false. glibc's linker lock is
 * held during the visit. So no object goes away in that time. This is true even of an object that is just being loaded
 * and whose loading will fail. */
struct dl_phdr_info;
void herald_first_visit(bool (*see)(void *context, struct herald_copy *copy, const struct dl_phdr_info *object),
                        void *context);
static inline bool herald_first_is_own(const struct herald_copy *copy) {
    return copy->is_first == &herald_first_is_here;
}

void herald_first_before_fork(void);
void herald_first_after_fork(void);
HERALD_END

/* The functions of the first copy. NULL: this copy is the first, or it has not found out yet. */
HERALD_INLINE const struct herald_functions *herald_first_known(void) {
    return __atomic_load_n(&herald_first_functions, __ATOMIC_ACQUIRE);
}

/* The functions of the first copy, found out if need be. NULL: this copy is the first. */
HERALD_INLINE const struct herald_functions *herald_first_elsewhere(void) {
    if (herald_likely(__atomic_load_n(&herald_first_is_here, __ATOMIC_ACQUIRE))) return NULL;
    const struct herald_functions *known = herald_first_known();
    return herald_likely(known != NULL) ? known : herald_first_find();
}

#endif
