/* Receivers: the inboxes that programs open (herald/host.h). The scheme: a bounded circular queue under a mutex, with
 * an eventfd that is readable while the queue is not empty. A receiver is the observer of one registration. Its
 * callback appends what it hears; the program takes it out.
 *
 *      waiting   what has been heard and not received yet, from `first` on, in a circle of `room` places
 *      last      the message that was received last, and is the program's until its next call
 *
 * A message is not copied again: the receiver keeps the block into which it was read from the log
 * (herald_host_watcher_share). Only a message that the core had held, because the center was suspended or a callback
 * was delivering what had been held, comes without such a block, and is copied.
 *
 * Ordering: that of the mutex. The descriptor is written to and read under the lock, so it is readable exactly while
 * something waits.
 * Progress: Under the lock there are system calls that do not wait, and memory is allocated and freed. A thread that
 * has the lock is not cancelled, because these system calls are cancellation points.
 * Ownership: The registration and the program's handle have a reference each; the last one frees the receiver. So it
 * may be closed in any callback, and stays if somebody else removes the registration. Nothing else is locked under the
 * lock. After a fork the receiver stays with the parent: in the child `owner` differs, and the callback and
 * HeraldHostReceive do nothing.
 */
#include "receiver.h"
#include "content.h"
#include "file.h"
#include "host_complaint.h"
#include "host_name.h"
#include "identity.h"
#include "watcher.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    DEFAULT_LIMIT = 256,
    FEW = 64,              /* places at first; their number doubles up to the limit */
    MOST_BYTES = 16 << 20, /* most bytes that wait in one receiver */
    /* The size of HeraldMessage in the first version that has HeraldHostReceive: every program has so much room. */
    LEAST_SIZE = 72
};
_Static_assert(sizeof(HeraldMessage) >= LEAST_SIZE, "a message has the fields that it had");

struct herald_host_waiting {
    HeraldNameRef name;
    struct herald_host_received *received; /* NULL: a plain post */
};

struct HeraldHostReceiver {
    HeraldToken token;
    uint64_t owner; /* the identity of the process that has opened it */
    size_t limit;
    struct herald_host_file file; /* the eventfd */
    /* Under the lock: */
    struct herald_host_waiting *places;
    size_t room, first, count;
    size_t bytes;     /* of all that waits, places included */
    uint64_t missed;  /* how much was lost before the first that waits, and not reported yet */
    bool is_readable; /* the eventfd's count is 1 */
    bool is_closed;
    int references;
    /* Of the thread that receives: */
    struct herald_host_waiting
        last; /* its name is NULL before the first, and after HeraldHostReceive has returned false */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all receivers: each holds it only for a moment */
static int cancelable;                                   /* the state of the thread that has the lock */

static void lock_receivers(void) {
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_mutex_lock(&lock);
    cancelable = before;
}

static void unlock_receivers(void) {
    int before = cancelable;
    pthread_mutex_unlock(&lock);
    pthread_setcancelstate(before, NULL);
}

void herald_host_receivers_before_fork(void) { lock_receivers(); }
void herald_host_receivers_after_fork(void) { unlock_receivers(); }

static bool is_inherited(const struct HeraldHostReceiver *receiver) {
    return receiver->owner != herald_host_identity();
}

/* ---- The descriptor ---------------------------------------------------------------------------------------------- */

/* If the write fails, the next message tries it again. */
static void make_readable(struct HeraldHostReceiver *receiver) {
    const uint64_t one = 1;
    if (receiver->is_readable || !herald_host_file_is_ours(&receiver->file)) return;
    receiver->is_readable = write(receiver->file.number, &one, sizeof one) == sizeof one;
}

static void make_unreadable(struct HeraldHostReceiver *receiver) {
    uint64_t count;
    if (!receiver->is_readable || !herald_host_file_is_ours(&receiver->file)) return;
    ssize_t was_read = read(receiver->file.number, &count, sizeof count);
    (void)was_read; /* nothing to read: the program has read it, although it need not */
    receiver->is_readable = false;
}

/* ---- What waits -------------------------------------------------------------------------------------------------- */

static size_t size_of(const struct herald_host_received *received) {
    return sizeof(struct herald_host_waiting) + (received ? sizeof *received + received->room : 0);
}

/* There is something. */
static struct herald_host_waiting take_first(struct HeraldHostReceiver *receiver) {
    struct herald_host_waiting first = receiver->places[receiver->first];
    receiver->first = (receiver->first + 1) % receiver->room;
    receiver->count--;
    receiver->bytes -= size_of(first.received);
    return first;
}

/* Counts the oldest as missed, with what was missed before it. */
static void drop_first(struct HeraldHostReceiver *receiver) {
    struct herald_host_received *received = take_first(receiver).received;
    receiver->missed += 1 + (received ? received->message.missed : 0);
    if (received) herald_host_content_release(received);
}

/* Doubles the places. False: memory is out. */
static bool grow(struct HeraldHostReceiver *receiver) {
    size_t room = receiver->room < receiver->limit / 2 ? 2 * receiver->room : receiver->limit;
    if (room > MOST_BYTES / sizeof(struct herald_host_waiting)) room = MOST_BYTES / sizeof(struct herald_host_waiting);
    struct herald_host_waiting *places = room > receiver->room ? malloc(room * sizeof *places) : NULL;
    if (!places) return false;
    for (size_t i = 0; i < receiver->count; i++) places[i] = receiver->places[(receiver->first + i) % receiver->room];
    free(receiver->places);
    receiver->places = places;
    receiver->room = room;
    receiver->first = 0;
    return true;
}

static void append(struct HeraldHostReceiver *receiver, struct herald_host_waiting waiting) {
    size_t size = size_of(waiting.received);
    while (receiver->count && receiver->bytes + size > MOST_BYTES) drop_first(receiver);
    if (receiver->count == receiver->limit || (receiver->count == receiver->room && !grow(receiver)))
        drop_first(receiver);
    receiver->places[(receiver->first + receiver->count++) % receiver->room] = waiting;
    receiver->bytes += size;
    make_readable(receiver);
}

static void hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo,
                 const void *tag) {
    (void)center, (void)object, (void)userInfo, (void)tag;
    struct HeraldHostReceiver *receiver = observer;
    if (is_inherited(receiver)) return;
    const HeraldMessage *message = HeraldGetCurrentMessage();
    struct herald_host_waiting waiting = {name, message ? herald_host_watcher_share(message) : NULL};
    if (message && !waiting.received) waiting.received = herald_host_content_copy_message(message);
    lock_receivers();
    bool is_kept = !receiver->is_closed && (waiting.received || !message);
    if (is_kept)
        append(receiver, waiting);
    else if (message)
        receiver->missed += 1 + message->missed;
    unlock_receivers();
    if (!is_kept && waiting.received) herald_host_content_release(waiting.received);
}

/* ---- Opening and closing ----------------------------------------------------------------------------------------- */

/* Frees a receiver to which nobody has a reference. */
static void free_receiver(struct HeraldHostReceiver *receiver) {
    if (receiver->last.received) herald_host_content_release(receiver->last.received);
    while (receiver->count) drop_first(receiver);
    free(receiver->places);
    free(receiver);
}

static void leave(struct HeraldHostReceiver *receiver) {
    lock_receivers();
    bool is_last = --receiver->references == 0;
    unlock_receivers();
    if (is_last) free_receiver(receiver);
}

static void release(void *observer) { leave(observer); }

static struct HeraldHostReceiver *make_receiver(size_t limit) {
    struct HeraldHostReceiver *made = calloc(1, sizeof *made);
    if (!made) {
        herald_host_complain_of_memory();
        return NULL;
    }
    made->references = 2;
    made->owner = herald_host_identity();
    made->limit = limit ? limit : DEFAULT_LIMIT;
    made->room = made->limit < FEW ? made->limit : FEW;
    made->places = malloc(made->room * sizeof *made->places);
    if (!made->places) {
        free(made);
        herald_host_complain_of_memory();
        return NULL;
    }
    return made;
}

/* Makes a receiver with a descriptor, and adds its observer. */
static HeraldStatus open_receiver(HeraldNameRef name, const char *prefix, size_t limit,
                                  struct HeraldHostReceiver **opened, int *descriptor) {
    const HeraldObserverOptions options = {
        .size = sizeof options, .release = release, .taggedCallback = hear, .prefix = prefix};
    HeraldCenterRef center = HeraldCenterGetHostCenter();
    if (!center) return herald_host_complain_of_memory();
    struct HeraldHostReceiver *receiver = make_receiver(limit);
    if (!receiver) return HeraldOutOfMemory;
    if (!herald_host_file_take(&receiver->file, eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC))) {
        int error = errno;
        free_receiver(receiver);
        return herald_host_complain(HeraldTransportFailed, "no file descriptor is available: %s", strerror(error));
    }
    int number = receiver->file.number;
    HeraldStatus status =
        HeraldCenterAddObserverWithOptions(center, receiver, NULL, name, NULL, &options, &receiver->token);
    if (status != HeraldOK) {
        herald_host_file_close(&receiver->file);
        free_receiver(receiver);
        return status;
    }
    *opened = receiver;
    *descriptor = number;
    return HeraldOK;
}

/* Whether there is a place for both results, which become those of a call that fails. */
static bool clear(struct HeraldHostReceiver **inbox, int *descriptor) {
    if (inbox) *inbox = NULL;
    if (descriptor) *descriptor = -1;
    if (inbox && descriptor) return true;
    herald_host_complain(HeraldInvalidArgument, "the pointer for the %s is NULL", inbox ? "descriptor" : "inbox");
    return false;
}

HeraldStatus HeraldHostOpenInbox(const char *text, size_t limit, HeraldHostInbox *inbox, int *descriptor) {
    if (!clear(inbox, descriptor)) return HeraldInvalidArgument;
    HeraldNameRef name = NULL;
    HeraldStatus status = text ? herald_host_name_create(text, &name) : HeraldOK;
    return status == HeraldOK ? open_receiver(name, NULL, limit, inbox, descriptor) : status;
}

HeraldStatus HeraldHostOpenInboxUnder(const char *prefix, size_t limit, HeraldHostInbox *inbox, int *descriptor) {
    if (!clear(inbox, descriptor)) return HeraldInvalidArgument;
    if (!prefix)
        return herald_host_complain(HeraldInvalidArgument,
                                    "the prefix is NULL: HeraldHostOpenInbox with NULL opens an inbox of all names");
    return open_receiver(NULL, prefix, limit, inbox, descriptor);
}

/* The descriptor is closed under the lock, and the callback finds `is_closed` under the lock. So the callback does not
 * write to a descriptor that has this number later. */
void HeraldHostCloseInbox(HeraldHostInbox inbox) {
    if (!inbox) return;
    HeraldToken token = inbox->token;
    lock_receivers();
    inbox->is_closed = true;
    herald_host_file_close(&inbox->file);
    unlock_receivers();
    HeraldCenterRemoveToken(HeraldCenterGetHostCenter(), token);
    leave(inbox);
}

/* ---- Receiving --------------------------------------------------------------------------------------------------- */

/* Takes the first that waits. False: nothing waits. `*missed` becomes what was lost before it. */
static bool take(struct HeraldHostReceiver *receiver, uint64_t *missed) {
    struct herald_host_received *before = receiver->last.received;
    receiver->last = (struct herald_host_waiting){0};
    lock_receivers();
    bool is_there = receiver->count;
    if (is_there) {
        receiver->last = take_first(receiver);
        *missed = receiver->missed;
        receiver->missed = 0;
    }
    if (!receiver->count) make_unreadable(receiver); /* also if this has failed before */
    unlock_receivers();
    if (before) herald_host_content_release(before);
    return is_there;
}

bool HeraldHostReceive(HeraldHostInbox inbox, HeraldMessage *message) {
    if (herald_unlikely(!inbox || !message)) {
        herald_host_complain(HeraldInvalidArgument, "the %s is NULL", inbox ? "pointer for the message" : "inbox");
        return false;
    }
    uint64_t missed;
    if (herald_unlikely(is_inherited(inbox)) || !take(inbox, &missed)) return false;
    const struct herald_host_received *received = inbox->last.received;
    HeraldMessage full = received ? received->message : (HeraldMessage){0};
    full.missed += missed;
    full.size = message->size < LEAST_SIZE ? LEAST_SIZE : message->size < sizeof full ? message->size : sizeof full;
    memcpy(message, &full, full.size);
    return true;
}

HeraldNameRef HeraldHostGetReceivedName(HeraldHostInbox inbox) {
    return inbox && !is_inherited(inbox) ? inbox->last.name : NULL;
}
