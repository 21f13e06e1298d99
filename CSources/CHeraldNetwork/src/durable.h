/* A durable observer, and the consumer by which a JetStream server remembers what it has heard. */
#ifndef HERALD_NET_DURABLE_H
#define HERALD_NET_DURABLE_H

#include "json.h"
#include "subject.h"
#include <nats/nats.h>
#include <pthread.h>

enum {
    HERALD_NET_DURABLE_ROOM = 129, /* of the name of a durable observer or of a stream */
    HERALD_NET_HEARD_MOST = 8192,  /* how many messages a process remembers as heard, without an order */
    HERALD_NET_CONSUMER_CALL_ROOM = 64 + 2 * HERALD_NET_DURABLE_ROOM
};

struct herald_net_center;

/* What a program has asked for. Never changes, except for `stream`, which the loop writes under the lock. */
struct herald_net_wish {
    char name[HERALD_NET_DURABLE_ROOM];
    char stream[HERALD_NET_DURABLE_ROOM]; /* "": not found yet */
    char *subject;                        /* of the name's posts without an object; or the beginning of all */
    char *filter;                         /* of messages about any object of the name; or of all subjects observed */
    bool is_wide;                         /* all subjects that begin with `subject` are observed */
    HeraldDurableOrder order;
    uint32_t in_flight, attempts;
    uint64_t ack_wait; /* nanoseconds, as are all times */
    HeraldDurableStart start;
    uint64_t sequence;
    int64_t time;
};

/* A consumer as the server describes it. */
struct herald_net_consumer {
    int64_t created; /* in seconds: another consumer of the same name has heard nothing. (A server that is begun again
                      * may say another part of a second.) */
    bool is_whole;   /* it brings all that the stream stores */
    uint64_t ack_wait, in_flight;
    uint64_t unacknowledged; /* how many messages were given out and not acknowledged */
    uint64_t pending;        /* how many were not given out */
    uint64_t waiting;        /* how many requests for messages wait at the server */
    uint64_t floor;          /* all messages up to this number have been heard, or do not concern it */
    uint64_t deliveries;     /* counts what was given out */
};

/* A message, between the loop and the thread that calls the observer. */
struct herald_net_parcel {
    struct herald_net_parcel *next;
    natsMsg *message;
    size_t size;
    HeraldStored stored;
    uint64_t at; /* when it came, or when the server was told last that this process works on it */
    enum { HERALD_NET_NOTHING, HERALD_NET_HEARD, HERALD_NET_AGAIN, HERALD_NET_RETURNED, HERALD_NET_ENOUGH } verdict;
    uint64_t pause; /* with HERALD_NET_AGAIN */
    uint32_t epoch; /* of the durable observer when it came */
    uint32_t calls;
};

struct herald_net_parcels {
    struct herald_net_parcel *first, **end;
    size_t bytes;
};

/* A message that was heard. */
struct herald_net_heard_message {
    uint64_t sequence;
    int64_t time; /* a server that has lost its last messages gives their numbers to others */
};

struct HeraldDurable {
    struct HeraldDurable *next, **link; /* in the center's list; changed under the lock, and taken off by the loop */
    struct herald_net_center *network;
    HeraldCenterRef center; /* has the one registration, so the core calls it, ends it and traces it */
    HeraldToken token;
    HeraldDurableCallback callback;
    HeraldNameRef about; /* NULL: several names */
    struct herald_net_wish wish;
    _Atomic uint32_t references; /* the program's, the list's, the thread's */
    _Atomic uint64_t ack_wait;

    /* The center's lock: */
    pthread_cond_t ready;
    struct herald_net_parcels lane, over; /* what waits to be heard; what the server is to be told of */
    struct herald_net_parcel *running;
    uint64_t before;  /* the newest flush that had been requested when it was added */
    bool is_ended;    /* it calls nobody any more */
    bool is_off;      /* it is in no list any more */
    bool is_settled;  /* the server, or its silence, has once said whether the observer can begin */
    bool is_held;     /* the center is suspended, or the registration is blocked */
    bool is_stale;    /* a message has waited here for so long that another process may have it */
    bool ack_denied;  /* it was told that the server does not allow acknowledgements */
    uint32_t epoch;   /* grows when the server does not know any more what was heard */
    uint64_t again;   /* how many messages that another process had are to come again, before the first is called */
    char denial[256]; /* the server has not allowed a request; "": it has */

    /* The loop: */
    natsSubscription *subscription; /* of answers and messages; NULL: to be made */
    struct herald_net_consumer consumer;
    bool finds;       /* the stream is not given: it is the one that stores what is observed */
    bool filters;     /* the consumer is to be made with filters, if it has two */
    bool makes;       /* the consumer is not there, and is to be made */
    bool stands;      /* the server has described the consumer */
    bool pulls;       /* a request for messages is open */
    bool knows_state; /* it was asked what the stream has discarded */
    bool is_new;      /* the last message that came was given out for the first time */
    /* How far it has come since it has ended. DRAINS: the server is asked; what it has sent before its answer still
     * comes. DRAINED: it has answered. CLOSES: the server ends the subscription; what it has sent before still comes.
     * PARTS: the subscription is gone, and the server is asked, so that it knows that nothing is requested any more.
     * LEFT: it has answered. */
    enum {
        HERALD_NET_STAYS,
        HERALD_NET_DRAINS,
        HERALD_NET_DRAINED,
        HERALD_NET_CLOSES,
        HERALD_NET_PARTS,
        HERALD_NET_LEFT
    } leaving;
    uint64_t number;                  /* of the subscription */
    uint32_t question;                /* counts the questions: older ones are not answered any more */
    uint32_t pull;                    /* counts the requests for messages */
    int64_t outstanding;              /* how many messages the request may still bring */
    size_t largest;                   /* of the messages that came lately */
    uint32_t silent;                  /* how many questions in a row were not answered */
    uint64_t ask_at, pause;           /* the time of the next question; the pause after the last failure */
    uint64_t heard_at, tended_at;     /* the times of the last sign of the server, and of the last pass of the loop */
    uint64_t progress_at;             /* the time at which the server was told last what this process works on */
    uint64_t troubled_at;             /* since when it cannot begin or go on; 0: it can */
    uint64_t left_at;                 /* when silence counts as the answer */
    uint64_t delivery;                /* the consumer's newest one that has come here, or was none of this process's */
    uint64_t patient_till, begins_at; /* until when one that is to be alone waits, and when it begins; 0: not known */
    uint64_t lost;                    /* messages up to this number are known to be lost */
    char call[HERALD_NET_CONSUMER_CALL_ROOM]; /* the subject of the last question; written under the lock */
    char told[256];                           /* why it cannot begin or go on; "": it can */

    /* The thread: */
    struct herald_net_heard_message mark;   /* the last one */
    struct herald_net_heard_message *heard; /* HERALD_NET_HEARD_MOST of them; NULL with HeraldDurableStrict */
    uint32_t heard_epoch;                   /* of what was heard */
    bool has_skipped;                       /* it was told that it skips messages */
};

struct herald_net_durables {
    struct HeraldDurable *first;
    _Atomic bool any; /* there was one since the loop looked last: who has none pays for this look alone */
    uint64_t newest;  /* counts subscriptions */
};

HERALD_BEGIN
/* ---- What is asked, and what is answered (durable.c) ---- */

/* Whether a text can be the name of a durable observer or of a stream. */
bool herald_net_durable_is_name(const char *name);
/* The text of the request that makes the consumer. The caller frees it. NULL when memory is out. */
char *herald_net_consumer_write(const struct herald_net_wish *wish, bool filters);
/* Reads what a server says of a consumer. Returns false, with the reason, if it is not as it was wished. */
bool herald_net_consumer_read(struct herald_net_json all, const struct herald_net_wish *wish,
                              struct herald_net_consumer *consumer, char reason[256]);
/* Reads to what a message is to be acknowledged, and the place of this delivery among all of the consumer. False: it is
 * no message of a consumer. */
bool herald_net_stored_read(const char *reply, HeraldStored *stored, uint64_t *delivery);
/* Whether a subject is observed. */
bool herald_net_wish_has(const struct herald_net_wish *wish, const char *subject);

void herald_net_parcels_create(struct herald_net_parcels *parcels);
void herald_net_parcels_put(struct herald_net_parcels *parcels, struct herald_net_parcel *parcel);
/* In the order of their messages. O(n log n), with log n calls on the stack. */
void herald_net_parcels_sort(struct herald_net_parcels *parcels);
struct herald_net_parcel *herald_net_parcels_take(struct herald_net_parcels *parcels);
void herald_net_parcels_clear(struct herald_net_parcels *parcels);
void herald_net_parcel_destroy(struct herald_net_parcel *parcel);
HERALD_END
#endif
