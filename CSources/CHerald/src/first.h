/* Several copies of the library in one process (R22), such as a program that carries the static one and a plugin that
 * brings libherald.so: the first of them has all centers and names, and the others pass their calls on to it.
 *
 * A copy is found by a note in the object that carries it (functions.c). What copies know of each other is the two
 * structs below, what the public headers declare, and that an odd address is a name (HeraldNameForAddress). All of it
 * only ever grows at its ends, and then the level rises; or the generation changes.
 */
#ifndef HERALD_FIRST_H
#define HERALD_FIRST_H

#include "entry_points.h"

HERALD_BEGIN
/* Posts are passed on with the address that they were made from, which a trace tells. */
size_t herald_post_from(HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                        const void *tag, unsigned options, const void *caller);
size_t herald_topic_post_from(HeraldTopicRef topic, const void *userInfo, const void *tag, const void *caller);
HeraldStatus herald_message_post_from(HeraldCenterRef center, HeraldNameRef name, const HeraldMessage *message,
                                      const void *caller);

/* A copy's HeraldTraceCount, to be kept like the first one's. */
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

/* What the note leads to. Up to `first` it is the same in every generation. A copy whose object has no note, as when
 * functions.o was left in an archive of single objects, is alone. */
enum {
    HERALD_NOTE = 1,
    HERALD_GENERATION = 1, /* copies of other generations stay apart */
    HERALD_LEVEL = 2       /* rises with each function above, and each member or bit of a public header (make api) */
};
enum { HERALD_NO_CLAIM, HERALD_CLAIMS, HERALD_IS_FIRST };
struct herald_copy {
    uint32_t generation, level;      /* what others may read before the object is relocated, */
    uint32_t claim;                  /* and this, which is atomic */
    char version[20];                /* for people; likewise */
    const bool *is_first;            /* its herald_first_is_here */
    const struct herald_copy *first; /* atomic: whose centers it has; NULL: it has not been used */
    const struct herald_functions *functions;
    uint32_t *traces;                  /* its HeraldTraceCount */
    struct herald_copy *next_follower; /* the first copy's */
};

HERALD_BEGIN
/* Whether this copy has found out that it is the first one. Atomic, and not a step for the explorer: it knows one copy.
 */
extern bool herald_first_is_here;
/* The functions of the first copy, once it is known to be another one. Atomic. */
extern const struct herald_functions *herald_first_functions;

/* Finds out: the functions of the first copy; NULL: this is it. */
const struct herald_functions *herald_first_find(void);

/* Calls `see` for each copy in this process, in the linker's order, until it says false; under the linker's lock
 * (glibc's), so an object whose loading may yet fail is there meanwhile. */
struct dl_phdr_info;
void herald_first_visit(bool (*see)(void *context, struct herald_copy *copy, const struct dl_phdr_info *object),
                        void *context);
static inline bool herald_first_is_own(const struct herald_copy *copy) {
    return copy->is_first == &herald_first_is_here;
}

void herald_first_before_fork(void);
void herald_first_after_fork(void);
HERALD_END

/* For signal handlers: NULL, too, while it is not known. */
HERALD_INLINE const struct herald_functions *herald_first_known(void) {
    return __atomic_load_n(&herald_first_functions, __ATOMIC_ACQUIRE);
}

/* NULL: this is the first copy. */
HERALD_INLINE const struct herald_functions *herald_first_elsewhere(void) {
    if (herald_likely(__atomic_load_n(&herald_first_is_here, __ATOMIC_ACQUIRE))) return NULL;
    const struct herald_functions *known = herald_first_known();
    return herald_likely(known != NULL) ? known : herald_first_find();
}

#endif
