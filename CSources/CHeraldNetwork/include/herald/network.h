/* The network center: the same calls, heard on every machine, through NATS (https://nats.io).
 *
 * It is a HeraldCenterRef like any other (herald.h). It carries names, and messages (message.h):
 *
 *      HeraldNetworkOptions options = {.size = sizeof options, .servers = "nats://a:4222,nats://b:4222"};
 *      HeraldCenterRef network;
 *      HeraldStatus status = HeraldNetworkCenterCreate(&options, &network);    -- connects in the background
 *      status = HeraldCenterAddObserver(network, me, refresh, name, NULL, HeraldSuspensionDeliverImmediately);
 *      HeraldCenterPostNotification(network, name, NULL, NULL, false);         -- in every process that observes it
 *      HeraldNetworkClose(network, 2);
 *      HeraldCenterRelease(network);
 *
 * It is in libherald-network (herald-network.pc), which needs libnats.
 *
 * The rules stand at the end: WHAT IS CARRIED, SUBJECTS, WHEN OBSERVERS ARE CALLED, WHAT IS LOST, KEPT MESSAGES, STORED
 * MESSAGES, DURABLE OBSERVERS, FORK, EXIT and ERRORS.
 */
#ifndef HERALD_NETWORK_H
#define HERALD_NETWORK_H

#include <herald/message.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    HeraldNetworkConnected = 1,
    HeraldNetworkDisconnected, /**< a connection has ended, or an attempt has failed; another attempt will follow */
    HeraldNetworkRefused,      /**< posts were refused after they had been taken, or by a call that returns no status */
    HeraldNetworkDenied,       /**< the server does not allow posting or observing the name */
    HeraldNetworkSlow,         /**< posts were dropped, because observers take too long */
    HeraldNetworkClosed,       /**< the last event of a center */
    HeraldNetworkUnkept,       /**< what is kept cannot be had or kept now: `reason` says why; `name` says of which */
    HeraldNetworkLost,    /**< a stream has discarded messages that a durable observer has not heard: `count` at most,
                               besides those that had been given out */
    HeraldNetworkGivenUp, /**< a durable observer is not called with a message again; `count`: its number in the stream
                           */
    HeraldNetworkSkipped  /**< told once of a durable observer: it also gets what it does not observe, and skips this */
} HeraldNetworkEventKind;

/** An event. The struct and its texts are valid during the call of `event`. */
typedef struct {
    size_t size; /**< sizeof(HeraldNetworkEvent) of the library that calls */
    HeraldNetworkEventKind kind;
    HeraldNameRef name;  /**< the name that the event is about; NULL: none, or several */
    const char *reason;  /**< a sentence; never NULL */
    uint64_t count;      /**< how many posts were refused, dropped or not kept, or how often the server denied */
    const char *durable; /**< the name of the durable observer that the event is about, or NULL. With
                              HeraldNetworkDenied: it cannot begin or go on now. It tries again until it can; the event
                              comes again if the reason changes */
} HeraldNetworkEvent;

/** The options of HeraldNetworkCenterCreate, which copies them. */
typedef struct {
    size_t size; /**< sizeof(HeraldNetworkOptions); the struct only ever grows */

    /** One or more servers, separated by commas: nats://host:4222, tls://host, host, nats://user:password@host,
     *  nats://token@host. A user, a password and a token must not contain commas. All schemes in the list must be the
     *  same. A server reports the other servers of its cluster, which are then used, too. With tls://,
     *  `certificateAuthority` or `certificate`, nothing is sent without TLS. */
    const char *servers;

    /** The beginning of all subjects: segments separated by dots, without wildcards. NULL: "herald"; "": none. */
    const char *prefix;

    const char *credentials;          /**< a .creds file, read for every connection; or NULL */
    const char *nkeySeed;             /**< a file with an nkey's seed; or NULL */
    const char *certificateAuthority; /**< a PEM file, which makes the connection TLS; or NULL */
    const char *certificate, *key;    /**< PEM files, both or none: what this process shows to the server */

    /** Bytes that may wait to be sent; 0: 8 MiB. Posting a message larger than this returns HeraldTooLarge. */
    size_t queueLimit;

    /** Called for each event, one at a time, on a thread of the center's. It may post, add and remove.
     *  HeraldNetworkSynchronize and HeraldNetworkClose do not wait in it: they return HeraldTransportFailed, and Close
     *  begins to end the center. While this function runs, the center sends nothing. If an event with a count comes
     *  while an event of the same kind, name and reason waits, only the count of the waiting event is raised. While 256
     *  events wait, any waiting event of the same kind takes the count. May be NULL. */
    void (*event)(void *context, const HeraldNetworkEvent *event);
    void *context;

    /** Not 0: when connected, the center makes the stream that keeps messages (HeraldNetworkCreateKept) with so many
     *  replicas, unless it is there. What goes wrong is an event (HeraldNetworkUnkept). */
    unsigned keptReplicas;
} HeraldNetworkOptions;

/** Counts since the center was created. */
typedef struct {
    size_t size;
    uint64_t posted;   /**< posts that were taken: sent, waiting, or refused afterwards; and calls that forget */
    uint64_t sent;     /**< handed to a server */
    uint64_t refused;  /**< posts that failed, at once or afterwards; and posts that may not have been kept or stored */
    uint64_t received; /**< posts that came in; a repeat is not counted */
    uint64_t missed;  /**< lost posts of names that are observed here; gaps in their senders' numbers show them, and for
                           kept messages gaps in the stream's */
    uint64_t dropped; /**< posts that came in, and were dropped because observers are slow; `missed` counts them, too,
                           as soon as the sender's next post comes in */
    uint64_t undecodable; /**< posts whose subject stands for no name, and posts of new names after other programs have
                               made 65,536 names */
    uint64_t reconnects;
    uint64_t waiting; /**< posts that wait to be sent, or to be stored */
} HeraldNetworkStatistics;

/** Creates a network center, which connects in the background. The program may post to it and observe it at once. On
 *  success the caller owns the center, and should call HeraldNetworkClose before HeraldCenterRelease. After a release
 *  alone, a background thread sends the waiting posts, for two seconds at most. HeraldInvalidArgument for NULL, for an
 *  impossible size, and for servers, a prefix or files that cannot be used. HeraldTransportFailed if no thread or
 *  descriptor can be had. After a failure `*center` is NULL. */
HERALD_EXPORT HeraldStatus HeraldNetworkCenterCreate(const HeraldNetworkOptions *options, HeraldCenterRef *center);

/** The call that 0.2 had for observing a prefix, for network centers alone. It does the same as
 *  HeraldCenterAddObserverWithOptions with HeraldObserverOptions.prefix (R26). Names in the posts of other programs
 *  become names of this process, 65,536 at most. Posts of further new names are dropped, and counted as undecodable. */
HERALD_ADDS HeraldStatus HeraldNetworkAddObserverUnder(HeraldCenterRef center, const void *observer,
                                                       HeraldCallback callback, const char *prefix,
                                                       const HeraldObserverOptions *options, HeraldToken *token);

/** The name that HeraldGetErrorDescription (herald.h) had in 0.2. */
HERALD_EXPORT const char *HeraldNetworkGetErrorDescription(void);

/** After HeraldTooLarge: the size, in bytes, of what HeraldGetErrorDescription calls too large. The size of a whole
 *  message includes an allowance for its headers. 0 after any other failure that a network center finds. */
HERALD_EXPORT size_t HeraldNetworkGetErrorSize(void);

/** Waits until the server knows of all observers and all posts from before this call, whichever threads have added or
 *  made them, and until the stream has answered to the kept ones, whatever it has answered. Returns
 * HeraldTransportFailed if the server has not confirmed this within `seconds`, for example because there is no server;
 * it never waits longer. `seconds` may be any number: a negative one is no time, and a hundred years or more are no
 * limit. Posts that were handed to a server whose connection has ended are not sent again. A callback for a post cannot
 *  bring the stream's answers while it waits: there it returns HeraldTransportFailed at once if answers to kept posts
 * are awaited. */
HERALD_EXPORT HeraldStatus HeraldNetworkSynchronize(HeraldCenterRef center, double seconds);

/** Sends the waiting posts, for `seconds` at most, and ends the connection. All later calls fail with
 *  HeraldTransportFailed. No further observer is called; callbacks that are running go on. Returns
 *  HeraldTransportFailed if one of these holds: posts were left, which are counted as refused; the server has not
 *  confirmed what was sent; since the last HeraldNetworkSynchronize, a connection has ended before its server had
 *  confirmed what it got; the center was closed already. In a callback for a post it does not wait for the stream's
 *  answers: kept posts that have none yet count as refused, with an event, though the stream may keep them, and what
 * was to be forgotten may not be. The center must still be released. */
HERALD_EXPORT HeraldStatus HeraldNetworkClose(HeraldCenterRef center, double seconds);

/** Makes the JetStream stream that keeps messages (HeraldPostKeep) for the center's prefix, with this many replicas (1
 * to 5). HeraldOK, too, if a stream that does the same is there, with so many replicas or more; its limits are the
 *  operator's. Otherwise HeraldTransportFailed with the server's reason: no JetStream, no permission, a stream of this
 *  name that does something else, no answer within `seconds`. HeraldTransportFailed, too, in a callback for a post and
 * in `event`, where it does not wait. HeraldInvalidArgument for another number of replicas, and for a prefix that is
 * too long. An operator calls this once. */
HERALD_EXPORT HeraldStatus HeraldNetworkCreateKept(HeraldCenterRef center, unsigned replicas, double seconds);

/** Asks the stream's leader for what is kept for exactly this name and object (NULL: the message without an object).
 *  `answer` is called once, on a thread of the center's, unless the call itself fails: with HeraldOK and the message,
 * or NULL if none is kept; or with HeraldTransportFailed. The message is valid during the call. */
HERALD_EXPORT HeraldStatus HeraldNetworkAskKept(HeraldCenterRef center, HeraldNameRef name, const char *object,
                                                void (*answer)(void *context, HeraldStatus status,
                                                               const HeraldMessage *message),
                                                void *context);

/** Forgets what is kept for exactly this name and object, in order with this center's posts. Nobody hears of it. This
 *  center's later posts wait until the stream has answered, until two seconds after the call at most; behind several
 *  such calls, until two seconds after the last of them. `answer` is called once, on a thread of the center's, unless
 *  the call itself fails: `forgotten` is whether something was kept. If that is not known after two seconds, because
 *  there is no server, or the posts before or the stream take longer, it gets HeraldTransportFailed. Then what is kept
 *  may have been forgotten if the message had been sent already, and is not forgotten later. (While the center tries to
 *  connect, it may get it as late as that attempt ends.) */
HERALD_EXPORT HeraldStatus HeraldNetworkForget(HeraldCenterRef center, HeraldNameRef name, const char *object,
                                               void (*answer)(void *context, HeraldStatus status, bool forgotten),
                                               void *context);

/** Posts a message, and tells when a stream has stored it (R28): see STORED MESSAGES. It is tried for `seconds`, more
 * than 0 and at most 120. If the call returns HeraldOK, `told` is called exactly once, on the center's own thread: with
 * HeraldOK and the message's number in the stream; or with HeraldNotStored and 0, and then HeraldGetErrorDescription
 * says why in it. For the messages of a name it is called in the order of the calls, so a message may be told later
 * than after its own time; and while the center tries to connect, as late as that attempt ends. HeraldNetworkClose
 * returns after the last of these calls, unless its own time ends first, or it does not wait. While `told` runs, the
 * center sends nothing; as in `event`, HeraldNetworkSynchronize and HeraldNetworkClose do not wait in it. If the call
 * fails, nothing was posted: HeraldInvalidArgument for NULL, other times, HeraldPostKeep and what
 * HeraldCenterPostMessage refuses; HeraldTooLarge, HeraldQueueFull, HeraldOutOfMemory and HeraldTransportFailed as
 * there. The message is copied. */
HERALD_EXPORT HeraldStatus
HeraldNetworkStoreMessage(HeraldCenterRef center, HeraldNameRef name, const HeraldMessage *message, double seconds,
                          void (*told)(void *context, HeraldStatus status, uint64_t sequence), void *context);

/** How a stream has stored a message that a durable observer hears. */
typedef struct {
    size_t size;         /**< sizeof(HeraldStored) of the library that calls */
    uint64_t sequence;   /**< its number in the stream */
    uint32_t deliveries; /**< how often it was given to an observer of this name; 1: for the first time */
    int64_t time;        /**< when it was stored: nanoseconds since 1970, by the server's clock */
} HeraldStored;

/** With what a durable observer begins that the server does not know yet. One that it knows goes on where it was. */
typedef enum {
    HeraldDurableNext = 0,  /**< with the next message that is stored */
    HeraldDurableBeginning, /**< with the oldest one that is stored */
    HeraldDurableSequence,  /**< with the one that has the number `sequence`, or the next one after it */
    HeraldDurableTime       /**< with the first one that was stored at `time` or later */
} HeraldDurableStart;

/** How durable observers with one name, in one process or several, share the messages. */
typedef enum {
    HeraldDurableStrict = 0, /**< one message at a time for all of them, in the stream's order */
    HeraldDurableEach,       /**< `inFlight` at a time; no order */
    HeraldDurableAlone       /**< one process, `inFlight` at a time, in the stream's order */
} HeraldDurableOrder;

/** The options of a durable observer, which are copied. */
typedef struct {
    size_t size;         /**< sizeof(HeraldDurableOptions); the struct only ever grows */
    const char *name;    /**< 1 to 128 bytes, without space, control characters and . * > / \ */
    const char *stream;  /**< the stream's name, like `name`; NULL: the one stream that stores what is observed */
    HeraldNameRef about; /**< the name that is observed; NULL: those below `prefix` */
    const char *prefix;  /**< as in HeraldObserverOptions; "": any name. NULL with `about` */
    HeraldDurableOrder order;
    uint32_t inFlight; /**< 0: 1 with HeraldDurableStrict, and 64 with the others; at most 65,536 */
    uint32_t attempts; /**< after so many deliveries a message is given up; 0: never */
    double patience;   /**< seconds after which a message is given to another observer of this name, or again, if this
                            process does not work on it any more; 0: 30; else 0.1 to 86,400 */
    HeraldDurableStart start;
    uint64_t sequence;                    /**< for HeraldDurableSequence; else 0 */
    int64_t time;                         /**< for HeraldDurableTime, as in HeraldStored; else 0 */
    const HeraldObserverOptions *options; /**< its hooks (R10), or NULL; without prefix, start and taggedCallback */
} HeraldDurableOptions;

typedef struct HeraldDurable *HeraldDurableRef;

/** Hears a message; `stored` is valid during the call. A plain post comes as a message without bytes. false: the
 *  observer could not do its work, and the message comes again. */
typedef bool (*HeraldDurableCallback)(HeraldCenterRef center, void *observer, HeraldNameRef name,
                                      const HeraldMessage *message, const HeraldStored *stored);

/** Adds a durable observer (R28): see DURABLE OBSERVERS. On success the caller owns `*durable`, which HeraldDurableEnd
 *  gives back. `durable` may be NULL; then the observer ends with the center. HeraldInvalidArgument for NULL, for names
 *  that are none, and for options that contradict each other; HeraldOutOfMemory; HeraldTransportFailed for a center
 *  that has ended, and if no thread can be had. Nothing was added then. */
HERALD_EXPORT HeraldStatus HeraldNetworkAddDurableObserver(HeraldCenterRef center, const void *observer,
                                                           HeraldDurableCallback callback,
                                                           const HeraldDurableOptions *options,
                                                           HeraldDurableRef *durable);

/** Its registration, in a center of its own (HeraldTokenRetainCenter): to block it (HeraldCenterSetTokenBlocked), so
 * that it hears later what comes meanwhile, or to follow it. Only HeraldDurableEnd ends it well: without its
 * registration it would be given messages for nothing. */
HERALD_EXPORT HeraldToken HeraldDurableGetToken(HeraldDurableRef durable);

/** Ends it here; the server goes on to remember what it has heard. No call begins after this; `wait`: no call is
 *  running any more, except the one that calls this. What waits for the observer in this process is given back, so
 *  another one gets it at once, except with HeraldDurableAlone. (A message that the server had sent, and that arrives
 *  more than a second after this call or after the message before it, another one gets after `patience`.) Gives back
 *  `durable`; NULL does nothing. */
HERALD_EXPORT void HeraldDurableEnd(HeraldDurableRef durable, bool wait);

/** Lets the server forget a durable observer. `stream` NULL: the one stream that has one of this name. HeraldOK, too,
 * if there is none of this name. HeraldTransportFailed with the server's reason, or if no answer has come within
 * `seconds`; and in a callback for a post and in `event`, where it does not wait; HeraldInvalidArgument for names that
 * are none, and if `stream` is NULL and several streams have one. An observer that is still there begins again. */
HERALD_EXPORT HeraldStatus HeraldNetworkForgetDurable(HeraldCenterRef center, const char *stream, const char *name,
                                                      double seconds);

/** A call of the server's JetStream API, for operators' tools: `call` without `$JS.API.`, as in "STREAM.INFO.ORDERS",
 * and the JSON that it takes, or "". On success `*answer` is the JSON that it gives, which the caller frees with
 * free(). HeraldTransportFailed with the server's reason, or if no answer has come within `seconds`; and in a callback
 * for a post and in `event`, where it does not wait. HeraldInvalidArgument for NULL and for what is no subject. */
HERALD_EXPORT HeraldStatus HeraldNetworkCallJetStream(HeraldCenterRef center, const char *call, const char *json,
                                                      double seconds, char **answer);

/** The subject of a name's posts, or what matches the subjects of all names below a prefix ("": of all names), for
 * operators' tools: see SUBJECTS. Messages about an object go to `subject.%.object`. One of `name` and `prefix` is
 * NULL. On success the caller frees `*subject` with free(). HeraldInvalidArgument for both, for neither, for `subject`
 * NULL and for what no post goes to; HeraldTooLarge; HeraldOutOfMemory; HeraldTransportFailed for a center that has
 *  ended. */
HERALD_EXPORT HeraldStatus HeraldNetworkGetSubject(HeraldCenterRef center, HeraldNameRef name, const char *prefix,
                                                   char **subject);

/** Fills in as many fields as `statistics->size` has room for. For a center that is no network center, all counts are
 *  0. */
HERALD_EXPORT void HeraldNetworkGetStatistics(HeraldCenterRef center, HeraldNetworkStatistics *statistics);

#ifdef __cplusplus
}
#endif

/* The rules.
 *
 * WHAT IS CARRIED. Names of 1 to 512 bytes; names that were made from addresses (HeraldNameForAddress) are refused. A
 * plain post is carried as its name alone, without object and userInfo; posts are not coalesced. A message is carried
 * whole (R23), up to the size that the server takes: 1 MiB with headers, unless the server sets another limit. Posting
 * a larger message returns HeraldTooLarge. So does posting a message whose name and object together take more than
 * about 3,700 bytes on the wire. A type must not contain control characters, and must not begin or end with a space.
 *
 * SUBJECTS. A post goes to the subject `prefix.name`, a message about an object to `prefix.name.%.object`. The segments
 * of a name, between its dots, are segments of the subject. Control characters, space, `*`, `>`, `%` and DEL are
 * written as %XX, an empty segment as %00, and the dots of an object as %2E. A `$` or `_INBOX` at the beginning of a
 * name becomes %24 or %5FINBOX. All other bytes stand for themselves, so programs in any language can hear and post
 * plain names. A message's type is the header Content-Type. All posts have a header `Herald-Post: sender sequence`. In
 * this header, the word `message` follows if a message has neither bytes nor a type, and the word `now` if the post is
 * to be delivered immediately. A post without headers is heard as a message without a type. Another program may post to
 * a subject that these rules cannot make. Observers of any name, and observers under a prefix, hear such a post. For
 * them, the name of the post is the text of the subject after the center's prefix.
 *
 * WHEN OBSERVERS ARE CALLED. One thread delivers the incoming posts of all network centers of the process. It calls
 * observers in the order of registration (R2). A process hears its own posts only when they come back from the server,
 * so posting returns 0. Each observer hears a post once, even if others observe the post's name, a prefix, or any name.
 * (While observers of different kinds come and go, a post of another program without our header may be heard twice.) A
 * slow callback delays all others. While 65,536 posts or 16 MiB of a subscription wait for observers, further posts of
 * that subscription are dropped, counted and reported (HeraldNetworkSlow).
 *
 * WHAT IS LOST. A post that was accepted (taken) waits in a queue until there is a server. The caller never waits for
 * the network. A post that would make more than `queueLimit` bytes wait is refused (HeraldQueueFull), and does not
 * count as lost. A post is lost if it was handed to a server that then dies, or if the network loses it.
 * HeraldMessage.missed is the number of posts of the same sender and name that were lost just before a message. A new
 * observer hears what is posted after the server knows of the observer (see HeraldNetworkSynchronize). After a
 * reconnection posts are held back for a quarter of a second, so that observers elsewhere can reconnect, too.
 *
 * KEPT MESSAGES (R25). A message with HeraldPostKeep is kept in a JetStream stream, which an operator makes once
 * (HeraldNetworkCreateKept). Plain posts are not kept. Without the stream nothing is kept; all other posts go on. The
 * stream is called HERALD_KEPT for the prefix `herald`, and HERALD_KEPT_ and the prefix for any other: a dot is written
 * as _, other bytes than letters, digits and - as =XX, and no prefix as =. It has the subjects `herald-kept.prefix.>`,
 * keeps one message of each subject, and republishes each message to `prefix.>`, where all observers hear it, also
 * programs that know nothing of this. Without a prefix it has `herald-kept.>`, and republishes to `herald-heard.>`. A
 * server refuses a second stream with some of the same subjects. So two prefixes of one account, one of which is the
 * other's beginning, cannot both keep messages; and if no prefix keeps them, no other can. A prefix that comes to more
 * than about 230 bytes there cannot. A prefix that is `herald-kept` or below it is refused, and so is such a name on a
 * center without a prefix, because a stream would store its posts.
 *     A kept message is posted when the call returns, and kept when the stream has stored it. If it is refused, or if
 * the stream has not answered within two seconds or before the connection ends, that is an event (HeraldNetworkUnkept),
 * and the message counts as refused. It is not posted again, so an older message never comes after a newer one.
 * HeraldNetworkSynchronize and HeraldNetworkClose wait for the stream's answers, too. The thread that calls observers
 * reads them. So while an observer takes long, nothing is late whose answer has come. Kept messages may be heard later
 * than other posts of the same sender, and are counted apart: their HeraldMessage.sender is another number.
 *     An observer with HeraldStartKept begins with what the stream's leader has, after its subscription has been made.
 * This takes one round trip, and two for an observer of any object. More than 65,536 objects, or than 64 MiB
 * of memory for them, are a failure. The core holds what an observer begins with, and held messages take 16 MiB in a
 * process at most (message.h): if it is more, `began` gets HeraldQueueFull, without an event, and the observer hears
 * what is posted later. If the name cannot be
 * kept here, because it or the prefix is too long, `began` gets that failure at once; if the center ends before, it
 * gets HeraldTransportFailed. If there is no stream, no permission, or no further answer for two seconds, `began` gets
 * HeraldTransportFailed, there is an event, and the observer hears what is posted later. It begins after the next
 * connection, or, if only the leader was missing, as soon as there is one. After each reconnection, and after posts
 * were dropped, the stream is asked again. A message that was missed is delivered then, with `missed` at least 1. A
 * message of such a name is heard once, and none that is older than another one of its object that was heard.
 * HeraldCenterTakeKept and HeraldCenterForget wait for two seconds at most, and HeraldCenterVisitKept for two seconds
 * after each answer. In a callback for a post and in `event` they do not wait: they find nothing, and
 * HeraldGetErrorDescription says why. To forget, a message with the header `Herald-Kept: none` takes the place of what
 * was kept. Observers do not hear it. (Programs with version 0.2, and other clients, do: as a message without bytes.)
 *
 * STORED MESSAGES (R28). HeraldNetworkStoreMessage posts a message as HeraldCenterPostMessage does, and observers hear
 * it in the same way; and it is sent again until a JetStream stream that has its subject answers that it has stored it.
 * An operator makes the stream, with the subjects of the names that it stores: `prefix.name` and `prefix.name.%.*`. The
 * message has a header `Nats-Msg-Id`, by which the stream stores it once. For this the stream must know repeats for two
 * minutes, its default, in which this machine does not sleep. What "stored" means, the stream's replicas decide: a lone
 * server may lose its last messages when its machine loses power; three replicas do not lose them when one machine
 * fails. One message of each center and name is under way at a time, so the stream has those that are stored in the
 * order of the calls, also when a server or a leader dies on the way. It is sent again after half a second, a quarter
 * of a second after a reconnection, and after 50 ms, then 100 ms and so on, if there is no stream or no leader. Posts
 * from before the call are sent before it; later posts, and messages of other names, may overtake it. Stored messages
 * count towards `queueLimit` until it is known whether they are stored. They are counted apart from other posts: their
 * HeraldMessage.sender is another number. HeraldNotStored after a message was sent means that nobody has said that it
 * is stored: it may be. HeraldNetworkSynchronize does not wait for them. HeraldNetworkClose does, and so does the
 * process's exit, but the result of Close does not tell of them.
 *
 * DURABLE OBSERVERS (R28). HeraldNetworkAddDurableObserver observes what a JetStream stream stores, whoever posted it
 * and in whichever way. The observer has a name, by which the server remembers what it has heard: so it also hears what
 * was posted while it was not running. An operator makes the stream, as above. The server knows the observer when
 * HeraldNetworkSynchronize has returned HeraldOK, unless an event (HeraldNetworkDenied) says why it does not.
 *     A message has been heard when the callback returns true; until then the server keeps it for this name. It is
 * heard at least once: after a process or a server has died, it may be heard again, with `deliveries` above 1. A
 * process remembers what it has heard (the last message with HeraldDurableStrict, the last 8,192 with the others), so
 * it hears little twice. Only the observer's own transaction, with `sequence` in it, can do better. false gives the
 * message back: it comes again after 100 ms, 200 ms and so on, up to `patience`. With HeraldDurableAlone it is called
 * again here meanwhile, and nothing else is, for the order's sake. After `attempts` deliveries the message is given up,
 * with an event (HeraldNetworkGivenUp); a process that died in the callback counts, too, and so does one that ended
 * before it was called.
 *     While a callback runs, the server is told so each quarter of `patience`. A process that was stopped, or whose
 * event function took longer than half of `patience`, gives up what waits here: others may have it by now. All durable
 * observers with one name use the `patience` with which the server first knew it. HeraldDurableStrict and the others
 * cannot share a name. HeraldDurableAlone does not begin while another process has begun, which is an event; so a
 * second one stands by, and begins about `patience` after one that died, or that ended while messages waited in it.
 * With this order `inFlight` messages may wait in memory, and `attempts` counts the calls of one process alone. Each
 * durable observer is called on a thread of its own, also while other observers take long. Its callback may wait, also
 * in HeraldNetworkSynchronize. While the center is suspended, none is called. At HeraldNetworkClose, no further message
 * is heard, and a callback that runs is waited for, as long as Close waits; then the server learns of it. At the end of
 * the process, too. What the stream has discarded before an observer began, or began again, and had not heard, is an
 * event (HeraldNetworkLost). If several names are in the stream, the server picks out those that are observed; a server
 * before 2.10 cannot do this for a name that is not the stream's only one, and for a name this library then skips the
 * others, which is an event (HeraldNetworkSkipped). The program's NATS user needs the right to publish to
 * `$JS.API.CONSUMER.INFO.stream.name`, `$JS.API.CONSUMER.DURABLE.CREATE.stream.name` (which is the right to read the
 * whole stream), `$JS.API.CONSUMER.MSG.NEXT.stream.name`, `$JS.ACK.stream.name.>`, for HeraldNetworkLost
 * `$JS.API.STREAM.INFO.stream`, without `stream` `$JS.API.STREAM.NAMES`; and to subscribe to `_INBOX.herald.>`.
 *
 * FORK. In the child all calls on the parent's network centers fail; the parent's connection is not disturbed. If the
 * parent has made a network center, the child cannot make one, because the child has no threads of libnats.
 * EXIT. When the process exits, waiting posts are sent, for two seconds at most.
 * ERRORS. A call that fails has changed nothing, except HeraldNetworkClose. HeraldGetErrorDescription returns
 * the reason. Later failures are events. All calls may be made on any thread. Nothing here is async-signal-safe.
 */
#endif
