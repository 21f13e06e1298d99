/* The network center: the same calls, and every machine hears them, through NATS (https://nats.io).
 *
 * It is a HeraldCenterRef like any other (see herald.h), for names, and for messages (message.h):
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
 * WHAT IS CARRIED. Names of 1 to 512 bytes; names that are addresses are refused. Of a plain post that the name was
 * posted: each by itself, without its object and userInfo. Of a message all of it (R23): as much as the server takes,
 * 1 MiB unless it says something else, headers included; what is larger is HeraldTooLarge, as is a name and an object
 * that come to more than about 3,700 bytes on the wire. A type must not contain control characters.
 *
 * SUBJECTS. A post goes to the subject `prefix.name`, one about an object to `prefix.name.%.object`. The segments of a
 * name between its dots are the subject's; control characters, space, `*`, `>`, `%` and DEL are written as %XX, an
 * empty segment as %00, the dots of an object as %2E, and a name's leading `$` and `_INBOX` as %24 and %5FINBOX. Other
 * programs, in any language, hear and post plain names as they are. A message's type is the header Content-Type; all
 * posts have a header `Herald-Post: sender sequence`, with the word `message` behind it for a message without bytes and
 * type, and `now` for one that is to be delivered immediately. What has no headers is a message without a type. A
 * foreign subject that none of these rules makes is heard, by observers of any name and under a prefix, as the name
 * that it reads like.
 *
 * WHEN OBSERVERS ARE CALLED. On one thread for all network centers of the process, which delivers what came in, in the
 * order of registration (R2), own posts as those of others; a post returns 0. Observers of a name, under a prefix and
 * of any name hear a post once. (While observers of different kinds come and go, what other programs post without our
 * header may be heard twice.) A callback that lingers delays all others: beyond 65,536 posts or 16 MiB of a
 * subscription the newest are dropped, counted and told (HeraldNetworkSlow).
 *
 * WHAT IS LOST. A post that was taken waits until a server is there: no post waits for the network. When more than
 * `queueLimit` bytes wait, posts are HeraldQueueFull, and no observer sees a gap. What was handed to a server that then
 * dies, and what the network swallows, is lost: observers see it as a gap, HeraldMessage.missed, for each sender and
 * name. Who begins to observe hears what is posted from then on, as soon as the server knows
 * (HeraldNetworkSynchronize). After a reconnection posts are held back for a quarter of a second, so that observers
 * elsewhere have come back, too.
 *
 * FORK. In the child all calls on the parent's network centers fail; the parent's connection is not disturbed.
 * Nor can the child make one, when the parent has made one: libnats's threads are not there.
 * EXIT. At the process's end posts that wait are sent, for two seconds at most.
 * ERRORS. A call that fails has changed nothing; HeraldNetworkGetErrorDescription says what was wrong. What goes wrong
 * later is an event. All calls may be made on any thread. Nothing here is async-signal-safe.
 */
#ifndef HERALD_NETWORK_H
#define HERALD_NETWORK_H

#include <herald/message.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    HeraldNetworkConnected = 1,
    HeraldNetworkDisconnected, /**< from a server; or an attempt to connect has failed, and there will be another */
    HeraldNetworkRefused,      /**< posts that were taken, or had no status to answer, were not sent */
    HeraldNetworkDenied,       /**< the server does not allow to post or to observe the name */
    HeraldNetworkSlow,         /**< posts were dropped, as observers take too long */
    HeraldNetworkClosed        /**< the last event of a center */
} HeraldNetworkEventKind;

/** Something that has happened. Borrowed for the call. */
typedef struct {
    size_t size; /**< sizeof(HeraldNetworkEvent) of the library that calls */
    HeraldNetworkEventKind kind;
    HeraldNameRef name; /**< that it is about; NULL: none, or several */
    const char *reason; /**< a sentence; never NULL */
    uint64_t count;     /**< posts refused or dropped */
} HeraldNetworkEvent;

/** What is given to HeraldNetworkCenterCreate, which copies it. */
typedef struct {
    size_t size; /**< sizeof(HeraldNetworkOptions); the struct only ever grows */

    /** One or more, with commas between them: nats://host:4222, tls://host, host, nats://user:password@host,
     *  nats://token@host. A user, a password and a token have no commas. The servers of a cluster tell of each other.
     *  With tls://, or with a certificate, nothing is said without TLS; where servers have schemes, these are the same.
     */
    const char *servers;

    /** What all subjects begin with: segments with dots between them, without wildcards. NULL: "herald"; "": nothing.
     */
    const char *prefix;

    const char *credentials;          /**< a .creds file, read with every connection; or NULL */
    const char *nkeySeed;             /**< a file with an nkey's seed; or NULL */
    const char *certificateAuthority; /**< a file (PEM); the connection must be TLS; or NULL */
    const char *certificate, *key;    /**< files (PEM), both or none: what this process shows to the server */

    size_t queueLimit; /**< bytes that may wait to be sent; 0: 8 MiB. A message that is larger is HeraldTooLarge. */

    /** Called for each event, one at a time, on a thread of the center's. It may post, add and remove; Synchronize and
     *  Close do not wait in it. While it runs the center sends nothing. Beyond 256 events that wait, further ones of
     *  the same kind are added to `count`. May be NULL. */
    void (*event)(void *context, const HeraldNetworkEvent *event);
    void *context;
} HeraldNetworkOptions;

/** Counts since the center was created. */
typedef struct {
    size_t size;
    uint64_t posted;   /**< posts that were taken: sent, waiting, or refused afterwards */
    uint64_t sent;     /**< handed to a server */
    uint64_t refused;  /**< posts that failed, at once or afterwards */
    uint64_t received; /**< posts that came in, each once */
    uint64_t missed;   /**< posts of names observed here that did not come in, seen as gaps in their senders' counts */
    uint64_t dropped;  /**< came in, and were dropped because observers are slow; missed counts them, too, as soon as
                            the next one of the sender comes in */
    uint64_t undecodable; /**< subjects that cannot be a name's, and names beyond the 65,536 that others may make */
    uint64_t reconnects;
    uint64_t waiting; /**< posts that wait to be sent */
} HeraldNetworkStatistics;

/** A network center, which connects in the background; it may be posted to and observed at once. On success the caller
 *  owns it, and should end it by HeraldNetworkClose before it releases it: a release alone sends what waits, for two
 *  seconds at most, in the background. HeraldInvalidArgument for NULL, an impossible size and servers, a prefix or
 *  files that cannot be used; HeraldTransportFailed when there can be no thread or descriptor; `*center` is NULL then.
 */
HERALD_EXPORT HeraldStatus HeraldNetworkCenterCreate(const HeraldNetworkOptions *options, HeraldCenterRef *center);

/** Observes the names that begin with the prefix and a dot, not the prefix itself: "com.acme" means com.acme.saved, and
 *  neither com.acme nor com.acmesoft.saved. Names that others have made become names of this process, 65,536 at most:
 *  further ones are dropped and counted as undecodable. The registration is removed by its token alone.
 *  HeraldInvalidArgument for a center that is no network center, and a prefix that is empty, longer than 511 bytes, or
 *  ends with a dot. */
HERALD_ADDS HeraldStatus HeraldNetworkAddObserverUnder(HeraldCenterRef center, const void *observer,
                                                       HeraldCallback callback, const char *prefix,
                                                       const HeraldObserverOptions *options, HeraldToken *token);

/** A sentence about why this thread's last failing call of a function of this header, or its last failing add or
 *  message to a network center, failed; "" before the first. Valid until the thread's next such call. */
HERALD_EXPORT const char *HeraldNetworkGetErrorDescription(void);

/** With HeraldTooLarge: how many bytes that was which HeraldNetworkGetErrorDescription says was too large, with what
 * goes with it on the wire. 0 after any other failure. */
HERALD_EXPORT size_t HeraldNetworkGetErrorSize(void);

/** Waits until what was observed and posted before, on any thread, is known to the server: HeraldOK; or until the time
 *  is over: HeraldTransportFailed. Without a server that is `seconds` later, and no longer. What had been handed to a
 *  server that has ended is not sent again. */
HERALD_EXPORT HeraldStatus HeraldNetworkSynchronize(HeraldCenterRef center, double seconds);

/** Sends what waits, for as long, and ends the connection; all later calls fail with HeraldTransportFailed, and no
 *  observer is called any more, but for calls that are running. HeraldTransportFailed when posts were left, which are
 *  counted as refused, when the server has not confirmed what was sent, or a connection had ended before its server
 * did, since the last HeraldNetworkSynchronize, and when it was closed already. The center must still be released. */
HERALD_EXPORT HeraldStatus HeraldNetworkClose(HeraldCenterRef center, double seconds);

/** Fills what `statistics->size` has room for. All 0 for a center that is no network center. */
HERALD_EXPORT void HeraldNetworkGetStatistics(HeraldCenterRef center, HeraldNetworkStatistics *statistics);

#ifdef __cplusplus
}
#endif
#endif
