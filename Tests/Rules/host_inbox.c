/* The host center: inboxes, for programs with a loop of their own. */
#include "host.h"
#include <sys/resource.h>

enum { LONG = PATIENCE * 1000 /* milliseconds */ };

static HeraldHostInbox open_inbox(const char *name, size_t limit, int *descriptor) {
    HeraldHostInbox inbox = NULL;
    int unused;
    HeraldStatus status = HeraldHostOpenInbox(name, limit, &inbox, descriptor ? descriptor : &unused);
    if (status != HeraldOK || !inbox) check_failed(__FILE__, __LINE__, HeraldGetErrorDescription());
    return inbox;
}
static bool is_readable(int descriptor, int milliseconds) {
    struct pollfd one = {.fd = descriptor, .events = POLLIN};
    return poll(&one, 1, milliseconds) == 1;
}
static void send_bytes(const char *name, const void *bytes, size_t length) {
    HeraldMessage message = {
        .size = sizeof message, .object = "about", .type = "text/plain", .bytes = bytes, .length = length};
    if (HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name_of(name), &message) != HeraldOK)
        check_failed(__FILE__, __LINE__, HeraldGetErrorDescription());
}
static void send_number(const char *name, long number) { send_bytes(name, &number, sizeof number); }
static long number_of(const HeraldMessage *message) {
    long number = -1;
    if (message->length == sizeof number) memcpy(&number, message->bytes, sizeof number);
    return number;
}
/* The number in the message that waits. -1: nothing waits, or it is a plain post. `missed`: what it says, added up. */
static long receive_number(HeraldHostInbox inbox, long *missed) {
    HeraldMessage message = {.size = sizeof message};
    if (!HeraldHostReceive(inbox, &message)) return -1;
    if (missed) *missed += (long)message.missed;
    return number_of(&message);
}
static bool receives_nothing(HeraldHostInbox inbox) {
    HeraldMessage message = {.size = sizeof message};
    return !HeraldHostReceive(inbox, &message) && !HeraldHostGetReceivedName(inbox);
}
static bool is_open(int descriptor) { return fcntl(descriptor, F_GETFD) >= 0; }
static const char *received_name(HeraldHostInbox inbox) {
    HeraldNameRef name = HeraldHostGetReceivedName(inbox);
    return name ? HeraldNameGetUTF8String(name) : "(none)";
}

/* ---- Receiving --------------------------------------------------------------------------------------------------- */

HOST_RULE(23, inbox_receives_messages_in_order_with_all_that_they_say) {
    enum { MANY = 200 };
    int descriptor;
    HeraldHostInbox inbox = open_inbox("in", 0, &descriptor), other = open_inbox("in", 0, NULL);
    HeraldMessage message = {.size = sizeof message}, same = message;
    CHECK(receives_nothing(inbox));
    for (long i = 0; i < MANY; i++) send_number("in", i);
    uint64_t sequence = 0;
    for (long i = 0; i < MANY; i++) {
        CHECK(is_readable(descriptor, LONG) && HeraldHostReceive(inbox, &message));
        CHECK(number_of(&message) == i && (uintptr_t)message.bytes % 8 == 0 && message.size == sizeof message);
        CHECK(strcmp(message.object, "about") == 0 && strcmp(message.type, "text/plain") == 0);
        CHECK(message.sequence > sequence && message.missed == 0 && message.sender == (uint64_t)getpid());
        CHECK(HeraldHostGetReceivedName(inbox) == name_of("in"));
        sequence = message.sequence;
    }
    CHECK(receives_nothing(inbox));
    await_deliveries();
    for (long i = 0; i < MANY; i++) CHECK(receive_number(other, NULL) == i);
    send_number("in", MANY);
    await_deliveries();
    CHECK(HeraldHostReceive(inbox, &message) && HeraldHostReceive(other, &same));
    CHECK(message.bytes == same.bytes); /* there is one copy in the process */
    HeraldHostCloseInbox(inbox);
    CHECK(number_of(&same) == MANY);
    HeraldHostCloseInbox(other);
    CHECK(!is_open(descriptor));
}

HOST_RULE(23, inbox_receives_a_plain_post_as_a_message_without_bytes) {
    int descriptor;
    HeraldHostInbox inbox = open_inbox("plain", 0, &descriptor);
    HeraldMessage message = {.size = sizeof message, .object = "x", .bytes = "x", .length = 1, .sequence = 1};
    post_to_host("plain");
    CHECK(is_readable(descriptor, LONG) && HeraldHostReceive(inbox, &message));
    CHECK(!message.object && !message.type && !message.bytes && !message.length && !message.sequence);
    CHECK(HeraldHostGetReceivedName(inbox) == name_of("plain"));
    send_bytes("plain", NULL, 0);
    CHECK(is_readable(descriptor, LONG) && HeraldHostReceive(inbox, &message) && message.length == 0);
    CHECK(message.sequence > 0);
    HeraldHostCloseInbox(inbox);
}

HOST_RULE(23, inbox_fills_a_message_of_the_size_that_the_program_knows) {
    struct {
        HeraldMessage message;
        char more[8];
    } newer = {.message = {.size = sizeof newer}, .more = "unknown"};
    union {
        unsigned char bytes[sizeof(HeraldMessage) + 1];
        HeraldMessage message;
    } older;
    HeraldHostInbox inbox = open_inbox("size", 0, NULL);
    for (int i = 0; i < 2; i++) send_number("size", i);
    await_deliveries();
    CHECK(HeraldHostReceive(inbox, &newer.message) && number_of(&newer.message) == 0);
    CHECK(newer.message.size == sizeof(HeraldMessage) && strcmp(newer.more, "unknown") == 0);
    memset(&older, 0x77, sizeof older);
    older.message.size = 0;
    CHECK(HeraldHostReceive(inbox, &older.message) && number_of(&older.message) == 1 && older.message.size == 72);
    CHECK(older.bytes[72] == 0x77);
    HeraldHostCloseInbox(inbox);
}

HOST_RULE(23, inbox_of_any_name_or_a_prefix_hears_each_message_with_its_name) {
    static const char *const names[] = {"top", "top.one", "topmost.one", "top.one.more", "other"};
    HeraldHostInbox any = open_inbox(NULL, 0, NULL), under;
    int descriptor;
    CHECK(HeraldHostOpenInboxUnder("top", 0, &under, &descriptor) == HeraldOK);
    for (int i = 0; i < 5; i++) send_number(names[i], i);
    post_to_host("top.plain");
    CHECK(is_readable(descriptor, LONG));
    await_deliveries();
    for (int i = 0; i < 5; i++) CHECK(receive_number(any, NULL) == i && strcmp(received_name(any), names[i]) == 0);
    CHECK(receive_number(any, NULL) == -1 && strcmp(received_name(any), "top.plain") == 0);
    CHECK(receive_number(under, NULL) == 1 && strcmp(received_name(under), "top.one") == 0);
    CHECK(receive_number(under, NULL) == 3 && strcmp(received_name(under), "top.one.more") == 0);
    CHECK(receive_number(under, NULL) == -1 && strcmp(received_name(under), "top.plain") == 0);
    CHECK(receives_nothing(under));
    HeraldHostCloseInbox(any);
    HeraldHostCloseInbox(under);
    CHECK(HeraldHostGetPrefixWatcherCount() == 0);
}

static void post_500(void) {
    for (long i = 0; i < 500; i++) send_number("between", i);
}
HOST_RULE(23, inbox_receives_messages_of_another_process) {
    int descriptor;
    HeraldHostInbox inbox = open_inbox("between", 500, &descriptor);
    pid_t poster = process(post_500);
    for (long i = 0; i < 500; i++) {
        HeraldMessage message = {.size = sizeof message};
        CHECK(is_readable(descriptor, LONG) && HeraldHostReceive(inbox, &message));
        CHECK(number_of(&message) == i && message.sender == (uint64_t)poster);
    }
    join(poster);
    CHECK(receives_nothing(inbox));
    HeraldHostCloseInbox(inbox);
}

/* ---- The descriptor ---------------------------------------------------------------------------------------------- */

static void *post_numbers(void *count) {
    for (long i = 0; i < (long)(intptr_t)count; i++) send_number("poll", i);
    return NULL;
}
HOST_RULE(23, inbox_is_readable_exactly_while_messages_wait) {
    enum { MANY = OFTEN(5000) };
    int descriptor;
    HeraldHostInbox inbox = open_inbox("poll", MANY, &descriptor);
    CHECK(fcntl(descriptor, F_GETFD) == FD_CLOEXEC && (fcntl(descriptor, F_GETFL) & O_NONBLOCK));
    CHECK(!is_readable(descriptor, 0));
    for (long i = 0; i < 3; i++) send_number("poll", i);
    await_deliveries();
    for (long i = 0; i < 3; i++) CHECK(is_readable(descriptor, 0) && receive_number(inbox, NULL) == i);
    CHECK(!is_readable(descriptor, 0) && receives_nothing(inbox) && !is_readable(descriptor, 0));
    /* A loop that receives once for each poll: no poll sleeps while a message waits, and none returns in vain. */
    pthread_t poster;
    CHECK(pthread_create(&poster, NULL, post_numbers, (void *)(intptr_t)MANY) == 0);
    for (long i = 0; i < MANY && !check_has_failed(); i++)
        CHECK(is_readable(descriptor, LONG) && receive_number(inbox, NULL) == i);
    pthread_join(poster, NULL);
    CHECK(!is_readable(descriptor, 0));
    HeraldHostCloseInbox(inbox);
}

HOST_RULE(23, inbox_whose_descriptor_the_program_reads_loses_no_message) {
    int descriptor;
    HeraldHostInbox inbox = open_inbox("read", 0, &descriptor);
    for (long i = 0; i < 3; i++) {
        uint64_t count = 0;
        send_number("read", i);
        CHECK(is_readable(descriptor, LONG) && read(descriptor, &count, sizeof count) == sizeof count && count == 1);
        CHECK(receive_number(inbox, NULL) == i && receives_nothing(inbox) && !is_readable(descriptor, 0));
    }
    HeraldHostCloseInbox(inbox);
}

/* ---- Loss -------------------------------------------------------------------------------------------------------- */

HOST_RULE(23, full_inbox_loses_the_oldest_messages_and_counts_them) {
    long missed = 0;
    HeraldHostInbox four = open_inbox("full", 4, NULL), standard = open_inbox("full", 0, NULL);
    for (long i = 0; i < 300; i++) send_number("full", i);
    await_deliveries();
    CHECK(receive_number(four, &missed) == 296 && missed == 296);
    for (long i = 297; i < 300; i++) CHECK(receive_number(four, &missed) == i && missed == 296);
    CHECK(receives_nothing(four));
    missed = 0;
    CHECK(receive_number(standard, &missed) == 44 && missed == 44);
    for (long i = 45; i < 300; i++) CHECK(receive_number(standard, &missed) == i && missed == 44);
    CHECK(receives_nothing(standard));
    CHECK(HeraldHostGetMissedMessageCount() == 0);
    for (int i = 0; i < 5; i++) { /* plain posts, too */
        post_to_host("full");
        await_deliveries();
    }
    missed = 0;
    for (int i = 0; i < 4; i++) CHECK(receive_number(four, &missed) == -1 && strcmp(received_name(four), "full") == 0);
    CHECK(missed == 1 && receives_nothing(four));
    HeraldHostCloseInbox(four);
    HeraldHostCloseInbox(standard);
}

static struct step held_up;
static void hold_up(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                    const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    step_reach(&held_up, 1);
    CHECK(step_await(&held_up, 2));
}
/* The watcher is held up while more is posted than the log keeps. So some messages are lost in the log, and some in the
 * inbox. */
HOST_RULE(23, inbox_counts_messages_that_the_log_has_lost_too) {
    enum { MANY = 4000 };
    static char bytes[1000];
    HeraldHostInbox inbox = open_inbox("lost", 100, NULL);
    HeraldToken token;
    CHECK(HeraldCenterAddObserverWithOptions(HeraldCenterGetHostCenter(), &held_up, hold_up, name_of("hold"), NULL,
                                             NULL, &token) == HeraldOK);
    post_to_host("hold");
    CHECK(step_await(&held_up, 1));
    for (int i = 0; i < MANY; i++) send_bytes("lost", bytes, sizeof bytes);
    step_reach(&held_up, 2);
    await_deliveries();
    HeraldMessage message = {.size = sizeof message};
    uint64_t missed = 0, received = 0, in_log = HeraldHostGetMissedMessageCount();
    while (HeraldHostReceive(inbox, &message)) missed += message.missed, received++;
    CHECK(in_log > 0 && in_log < MANY && received == 100 && received + missed == MANY);
    HeraldHostCloseInbox(inbox);
}

HOST_RULE(23, inbox_keeps_16_MiB_of_messages) {
    enum { MANY = 300, SIZE = 65536 };
    static char bytes[SIZE];
    HeraldHostInbox inbox = open_inbox("large", 1000, NULL), small = open_inbox("small", SIZE_MAX, NULL);
    for (int i = 0; i < MANY; i++) {
        send_bytes("large", bytes, SIZE);
        if (i % 8 == 7) await_deliveries(); /* the log keeps 1 MiB of them */
    }
    await_deliveries();
    HeraldMessage message = {.size = sizeof message};
    uint64_t missed = 0, received = 0;
    while (HeraldHostReceive(inbox, &message)) missed += message.missed, received++;
    CHECK(received + missed == MANY && received * SIZE < 16 << 20 && (received + 2) * SIZE > 16 << 20);
    CHECK(HeraldHostGetMissedMessageCount() == 0);
    for (long i = 0; i < 2000; i++) { /* more than it has places for at first */
        send_number("small", i);
        if (i % 500 == 499) await_deliveries();
    }
    for (long i = 0; i < 2000; i++) CHECK(receive_number(small, NULL) == i);
    HeraldHostCloseInbox(inbox);
    HeraldHostCloseInbox(small);
}

/* ---- Suspension -------------------------------------------------------------------------------------------------- */

static void *resume(void *unused) {
    (void)unused;
    HeraldCenterSetSuspended(HeraldCenterGetHostCenter(), false);
    return NULL;
}
/* Until the watcher has delivered what it has read before this call, although a callback on another thread does not
 * return. What is posted in the second round is read after that. */
static void await_watcher(void) {
    int descriptor;
    HeraldHostToken token;
    CHECK(HeraldHostRegisterFileDescriptor("round", false, &descriptor, &token) == HeraldOK);
    for (int round = 0; round < 2; round++) {
        uint64_t count;
        post_to_host("round");
        CHECK(is_readable(descriptor, LONG) && read(descriptor, &count, sizeof count) == sizeof count);
    }
    CHECK(HeraldHostCancel(token) == HeraldOK);
}
HOST_RULE(16, inbox_of_a_suspended_center_is_delivered_to_at_once) {
    int descriptor;
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    HeraldHostInbox inbox = open_inbox("suspended", 0, &descriptor);
    HeraldCenterSetSuspended(host, true);
    for (long i = 0; i < 3; i++) send_number("suspended", i);
    for (long i = 0; i < 3; i++) CHECK(is_readable(descriptor, LONG) && receive_number(inbox, NULL) == i);
    CHECK(HeraldCenterAddObserver(host, &held_up, hold_up, name_of("held"), NULL, HeraldSuspensionHold) == HeraldOK);
    post_to_host("held");
    await_watcher();
    /* The resuming thread delivers what is held, and does not return. The watcher waits in vain for it, and then queues
     * the message: the inbox gets a copy from the resuming thread. */
    pthread_t resuming;
    CHECK(pthread_create(&resuming, NULL, resume, NULL) == 0 && step_await(&held_up, 1));
    send_number("suspended", 3);
    await_watcher();
    CHECK(!is_readable(descriptor, 0));
    step_reach(&held_up, 2);
    HeraldMessage message = {.size = sizeof message};
    CHECK(is_readable(descriptor, LONG) && HeraldHostReceive(inbox, &message) && number_of(&message) == 3);
    CHECK(strcmp(message.object, "about") == 0 && strcmp(message.type, "text/plain") == 0 && message.sequence > 0);
    pthread_join(resuming, NULL);
    HeraldHostCloseInbox(inbox);
}

/* ---- Closing ----------------------------------------------------------------------------------------------------- */

static atomic_bool stops;
static void *post_until_stopped(void *unused) {
    (void)unused;
    for (long i = 0; !stops; i++) send_number("close", i);
    return NULL;
}
static void *close_inbox(void *inbox) {
    HeraldHostCloseInbox(inbox);
    return NULL;
}
HOST_RULE(23, inbox_may_be_closed_while_messages_arrive) {
    pthread_t poster, closer;
    CHECK(pthread_create(&poster, NULL, post_until_stopped, NULL) == 0);
    for (int i = 0; i < OFTEN(300) && !check_has_failed(); i++) {
        int descriptor;
        long before = -1;
        HeraldHostInbox inbox = open_inbox(i % 3 ? "close" : NULL, (size_t)(i % 4), &descriptor);
        for (int received = 0; received < i % 5; received++) {
            CHECK(is_readable(descriptor, LONG));
            long number = receive_number(inbox, NULL);
            CHECK(number > before);
            before = number;
        }
        CHECK(pthread_create(&closer, NULL, close_inbox, inbox) == 0);
        pthread_join(closer, NULL);
    }
    stops = true;
    pthread_join(poster, NULL);
    CHECK(watchers_of("close") == 0);
}

struct closing {
    HeraldHostInbox before, after;
    atomic_int calls;
};
static void close_both(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                       const void *userInfo) {
    (void)center, (void)name, (void)object, (void)userInfo;
    struct closing *closing = observer;
    HeraldHostCloseInbox(closing->before);
    HeraldHostCloseInbox(closing->after);
    closing->before = closing->after = NULL;
    closing->calls++;
}
HOST_RULE(23, inbox_may_be_closed_in_a_callback_for_a_message) {
    struct closing closing = {.before = open_inbox("callback", 0, NULL)};
    HeraldToken token;
    CHECK(HeraldCenterAddObserverWithOptions(HeraldCenterGetHostCenter(), &closing, close_both, name_of("callback"),
                                             NULL, NULL, &token) == HeraldOK);
    closing.after = open_inbox("callback", 0, NULL);
    send_number("callback", 0);
    send_number("callback", 1);
    EVENTUALLY(closing.calls == 2);
    CHECK(HeraldCenterRemoveTokenAndWait(HeraldCenterGetHostCenter(), token) && watchers_of("callback") == 0);
    HeraldHostCloseInbox(NULL);
}

static void *receive_when_cancelled(void *inbox) {
    pthread_cancel(pthread_self());
    CHECK(receive_number(inbox, NULL) == 0);
    HeraldHostCloseInbox(open_inbox("cancelled", 0, NULL));
    board->at[0] = 1;
    pthread_testcancel();
    board->at[0] = 2;
    return NULL;
}
HOST_RULE(17, thread_that_is_cancelled_leaves_no_inbox_locked) {
    pthread_t thread;
    HeraldHostInbox inbox = open_inbox("cancelled", 0, NULL);
    send_number("cancelled", 0);
    await_deliveries();
    CHECK(pthread_create(&thread, NULL, receive_when_cancelled, inbox) == 0);
    pthread_join(thread, NULL);
    CHECK(board->at[0] == 1);
    send_number("cancelled", 1);
    await_deliveries();
    CHECK(receive_number(inbox, NULL) == 1);
    HeraldHostCloseInbox(inbox);
}

HOST_RULE(14, inboxes_that_were_closed_leave_no_memory) {
    static char bytes[4096];
    size_t before = 0;
    HeraldHostInbox other = open_inbox("memory", 2, NULL); /* so that the name is watched all the time */
    for (int i = 0; i < 60; i++) {
        HeraldHostInbox inbox = open_inbox("memory", 0, NULL);
        HeraldMessage message = {.size = sizeof message};
        for (int j = 0; j < 20; j++) send_bytes("memory", bytes, sizeof bytes);
        await_deliveries();
        CHECK(HeraldHostReceive(inbox, &message));
        HeraldHostCloseInbox(inbox);
        if (i == 20) before = mallinfo2().uordblks;
    }
    CHECK(mallinfo2().uordblks < before + 20 * sizeof bytes);
    HeraldHostCloseInbox(other);
}

/* ---- Fork -------------------------------------------------------------------------------------------------------- */

static HeraldHostInbox inherited;
static int inherited_descriptor;
/* Opens an inbox of the name, and receives in it a message that this process posts. */
static void hear_in_child(const char *name) {
    int descriptor;
    HeraldHostInbox inbox = open_inbox(name, 0, &descriptor);
    send_number(name, 7);
    CHECK(is_readable(descriptor, LONG) && receive_number(inbox, NULL) == 7);
    await_deliveries();
    HeraldHostCloseInbox(inbox);
}
static void use_in_child(void) {
    int descriptor;
    CHECK(receives_nothing(inherited));
    HeraldHostInbox inbox = open_inbox("fork", 0, &descriptor); /* the child's watcher calls inherited observers, too */
    send_number("fork", 1);
    CHECK(is_readable(descriptor, LONG) && receive_number(inbox, NULL) == 1);
    await_deliveries();
    CHECK(receives_nothing(inherited));
    HeraldHostCloseInbox(inherited);
    CHECK(!is_open(inherited_descriptor));
    hear_in_child("self.fork"); /* the parent does not hear this, and its descriptor is not written to */
    send_number("fork", 2);
    CHECK(is_readable(descriptor, LONG) && receive_number(inbox, NULL) == 2);
    HeraldHostCloseInbox(inbox);
}
HOST_RULE(18, inbox_stays_with_the_parent_and_the_child_may_close_it) {
    int own_descriptor;
    HeraldHostInbox own = open_inbox("self.fork", 0, &own_descriptor);
    inherited = open_inbox("fork", 0, &inherited_descriptor);
    send_number("fork", 0);
    await_deliveries();
    join(process(use_in_child));
    for (long i = 0; i < 3; i++) CHECK(is_readable(inherited_descriptor, LONG) && receive_number(inherited, NULL) == i);
    CHECK(receives_nothing(inherited) && !is_readable(inherited_descriptor, 0));
    CHECK(!is_readable(own_descriptor, 0) && receives_nothing(own));
    HeraldHostCloseInbox(inherited);
    HeraldHostCloseInbox(own);
}

static void close_in_child(void) {
    HeraldMessage message = {.size = sizeof message};
    CHECK(!HeraldHostReceive(inherited, &message));
    HeraldHostCloseInbox(inherited);
    send_number("close", 0);
}
HOST_RULE(18, child_of_a_fork_finds_no_inbox_locked) {
    pthread_t poster;
    inherited = open_inbox("close", 3, &inherited_descriptor);
    CHECK(pthread_create(&poster, NULL, post_until_stopped, NULL) == 0);
    for (int i = 0; i < OFTEN(100) && !check_has_failed(); i++) {
        CHECK(is_readable(inherited_descriptor, LONG) && receive_number(inherited, NULL) >= 0);
        join(process(close_in_child));
    }
    stops = true;
    pthread_join(poster, NULL);
    HeraldHostCloseInbox(inherited);
}

/* ---- What is refused --------------------------------------------------------------------------------------------- */

static void refused(const char *name, const char *prefix, HeraldStatus expected, const char *why) {
    HeraldHostInbox inbox = (HeraldHostInbox)(uintptr_t)8;
    int descriptor = 8;
    HeraldStatus status = name ? HeraldHostOpenInbox(name, 0, &inbox, &descriptor)
                               : HeraldHostOpenInboxUnder(prefix, 0, &inbox, &descriptor);
    CHECK(status == expected && !inbox && descriptor == -1);
    if (!says(why)) check_failed(__FILE__, __LINE__, HeraldGetErrorDescription());
}
HOST_RULE(15, inbox_refuses_bad_arguments) {
    char longer[514];
    memset(longer, 'x', sizeof longer);
    longer[513] = 0;
    HeraldHostInbox inbox = (HeraldHostInbox)(uintptr_t)8;
    int descriptor = 8;
    refused("", NULL, HeraldInvalidArgument, "name");
    refused(longer, NULL, HeraldInvalidArgument, "512 bytes");
    refused("\xe9", NULL, HeraldInvalidArgument, "UTF-8");
    refused(NULL, NULL, HeraldInvalidArgument, "NULL opens an inbox of all names");
    refused(NULL, "", HeraldInvalidArgument, "");
    refused(NULL, "dot.", HeraldInvalidArgument, "dot");
    refused(NULL, longer, HeraldInvalidArgument, "511");
    CHECK(HeraldHostOpenInbox("x", 0, NULL, &descriptor) == HeraldInvalidArgument && descriptor == -1);
    CHECK(says("the pointer for the inbox is NULL"));
    CHECK(HeraldHostOpenInbox("x", 0, &inbox, NULL) == HeraldInvalidArgument && !inbox);
    CHECK(says("the pointer for the descriptor is NULL"));
    CHECK(HeraldHostOpenInboxUnder("x", 0, NULL, NULL) == HeraldInvalidArgument);
    HeraldMessage message = {.size = sizeof message};
    CHECK(!HeraldHostReceive(NULL, &message) && says("the inbox is NULL") && !HeraldHostGetReceivedName(NULL));
    inbox = open_inbox("x", 0, &descriptor);
    send_number("x", 5);
    CHECK(is_readable(descriptor, LONG) && !HeraldHostReceive(inbox, NULL) && says("message is NULL"));
    CHECK(receive_number(inbox, NULL) == 5); /* nothing was lost */
    HeraldHostCloseInbox(inbox);
}

HOST_RULE(15, inbox_without_a_file_fails) {
    char missing[80];
    snprintf(missing, sizeof missing, "%s/missing", host_folder);
    setenv("HERALD_HOST_DIRECTORY", missing, 1);
    refused("x", NULL, HeraldTransportFailed, missing);
    refused(NULL, "x", HeraldTransportFailed, missing);
    CHECK(mkdir(missing, 0700) == 0);
    HeraldHostCloseInbox(open_inbox("x", 0, NULL));
}

HOST_RULE(15, inbox_fails_while_descriptors_are_exhausted) {
    struct rlimit before = {0}, none;
    hear_into("x", 0, NULL); /* the file is open */
    int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
    CHECK(lowest >= 0 && close(lowest) == 0 && getrlimit(RLIMIT_NOFILE, &before) == 0);
    none = before;
    none.rlim_cur = (rlim_t)lowest;
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
    for (int i = 0; i < 20; i++) refused("y", NULL, HeraldTransportFailed, "no file descriptor is available");
    CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(!is_open(lowest) && watchers_of("y") == 0);
    int descriptor;
    HeraldHostInbox inbox = open_inbox("y", 0, &descriptor);
    send_number("y", 1);
    CHECK(is_readable(descriptor, LONG) && receive_number(inbox, NULL) == 1);
    HeraldHostCloseInbox(inbox);
}

/* Another part of the program may remove every observer of the name. */
HOST_RULE(23, inbox_whose_registration_is_gone_gives_what_it_has_heard) {
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    int descriptor;
    HeraldHostInbox inbox = open_inbox("gone", 0, &descriptor);
    send_number("gone", 1);
    CHECK(is_readable(descriptor, LONG));
    HeraldTopicRef topic = HeraldTopicCreate(host, name_of("gone"), NULL);
    CHECK(topic && HeraldTopicGetObserverCount(topic) == 1);
    HeraldTopicRemoveEveryObserver(topic);
    HeraldTopicRelease(topic);
    send_number("gone", 2);
    CHECK(receive_number(inbox, NULL) == 1 && receives_nothing(inbox) && is_open(descriptor));
    HeraldHostCloseInbox(inbox);
    CHECK(!is_open(descriptor));
}
