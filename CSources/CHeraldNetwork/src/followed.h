/* A followed name: one with observers that begin with what is kept (R25).
 *
 * It says how far this process has come with each of its subjects. The numbers are those of the stream, raised by the
 * center's `base` (net_begin.c). A beginner is a registration that has not heard yet what is kept.
 */
#ifndef HERALD_NET_FOLLOWED_H
#define HERALD_NET_FOLLOWED_H

#include "ground_table.h"
#include "net_platform.h"

struct herald_net_question;

/* So many beginners of a name that have failed are remembered, and twice as many for a moment. Most of more have been
 * removed since. */
enum { HERALD_NET_FAILED_MOST = 4096 };

struct herald_net_beginner {
    struct herald_net_beginner *next;
    HeraldToken token;
    bool any;       /* it observes any object of the name */
    bool is_told;   /* `began` was called with a failure */
    char subject[]; /* the subject that it begins with; for any object, the subject of the name alone */
};

struct herald_net_followed {
    HeraldNameRef name;
    struct herald_net_question *question; /* the one question about the name that is under way; NULL: none */
    struct herald_net_beginner *waiting;  /* they are asked for by the next question */
    struct herald_net_beginner *failed;   /* they are asked for again after the next connection, the newest first */
    uint32_t failed_count;
    bool any;                  /* some beginner observes any object */
    bool has_begun;            /* some beginner has begun */
    bool mends;                /* the next question also looks for what was missed */
    bool looks;                /* the next question also looks whether the stream is another one */
    bool is_told;              /* an event has said that what is kept cannot be had */
    uint64_t behind_since;     /* the time since which the stream's leader has known less than this process; 0: it knows
                                  more */
    struct ground_table heard; /* struct herald_net_heard; bounded for all names together */
    char subject[];            /* the subject to which the name's messages without an object are published */
};

/* How far this process has come with one subject. */
struct herald_net_heard {
    uint64_t heard;    /* the number of the last message that came in; 0: none */
    uint64_t known;    /* the highest number that the stream's leader has answered; 0: none was kept */
    uint64_t answered; /* the number of the last question in whose answers it was */
    bool is_new;       /* neither is known yet */
    char subject[];
};

struct herald_net_follows {
    struct ground_table all; /* the followed names */
    size_t bytes;            /* of all struct herald_net_heard */
    uint32_t count;          /* of them */
};

HERALD_BEGIN
/* All functions are called under the center's lock. */
void herald_net_follows_create(struct herald_net_follows *follows);
void herald_net_follows_destroy(struct herald_net_follows *follows);

struct herald_net_followed *herald_net_follows_find(const struct herald_net_follows *follows, HeraldNameRef name);
/* NULL when memory is out. */
struct herald_net_followed *herald_net_follows_obtain(struct herald_net_follows *follows, HeraldNameRef name,
                                                      const char *subject);
/* The name has no observers any more. */
void herald_net_follows_forget(struct herald_net_follows *follows, HeraldNameRef name);

/* Finds what is known of a subject. NULL: nothing. */
struct herald_net_heard *herald_net_heard_find(const struct herald_net_followed *followed, const char *subject);
/* Finds or makes what is known of a subject. NULL: memory is out, or too many subjects are known. Then repeats and
 * losses of the subject are not noticed. */
struct herald_net_heard *herald_net_heard_obtain(struct herald_net_follows *follows,
                                                 struct herald_net_followed *followed, const char *subject);

/* Notes a message that came in. `before` is the number of the subject's last message before it, 0: none. Returns false
 * if the message is not newer than what came in before. `*missed`: at least one message before it did not come. */
bool herald_net_heard_note(struct herald_net_heard *heard, uint64_t number, uint64_t before, bool *missed);

/* Puts a failed beginner into its list, which is bounded. */
void herald_net_followed_fail(struct herald_net_followed *followed, struct herald_net_beginner *beginner);
void herald_net_beginners_destroy(struct herald_net_beginner *first);
HERALD_END
#endif
