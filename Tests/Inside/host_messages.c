/* R23 between processes: which messages are heard, by whom, in which order, and which are missed. */
#include "body.h"
#include "file.h"

/* Indexes into the board. */
enum { READY, STOP, DONE, LAST, HEARD = 10, MISSED = 20, SERIAL = 50 };
enum { READERS = 3, ORDER = 1 << 16, WRITERS = 4096 };

/* ---- Sending ----------------------------------------------------------------------------------------------------- */

static HeraldStatus send_body(const char *name, uint32_t writer, uint64_t serial, uint32_t length) {
    HeraldMessage message = message_of(writer, serial, length);
    return HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name_of(name), &message);
}
static HeraldStatus send_text(const char *name, const char *text, const char *object, const char *type) {
    HeraldMessage message = {
        .size = sizeof message, .object = object, .type = type, .bytes = text, .length = strlen(text)};
    return HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name_of(name), &message);
}

/* Shared by all readers: the order, and each writer's posts that have returned. */
static struct shared {
    _Atomic uint64_t order[ORDER]; /* by sequence: writer << 32 | serial + 1 */
    _Atomic uint64_t posted[WRITERS];
    _Atomic bool ended[WRITERS]; /* not killed */
} * shared;
static void share(void) {
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* A reader: its number is the observer. */
static uint64_t expected[WRITERS], gaps, last_sequence;
static void wrong(const char *what, uint64_t one, uint64_t other) {
    char sentence[120];
    snprintf(sentence, sizeof sentence, "%s (%lu, %lu)", what, (unsigned long)one, (unsigned long)other);
    check_failed(__FILE__, __LINE__, sentence);
}
static void read_body(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                      const void *userInfo) {
    (void)center, (void)object, (void)name;
    int number = (int)(uintptr_t)observer - 1;
    const HeraldMessage *message = userInfo;
    if (!message) return; /* another file: every observer is called once */
    const struct body *body = message->bytes;
    CHECK(HeraldGetCurrentMessage() == message && (uintptr_t)body % 8 == 0);
    if (!body_is_whole(message)) {
        check_failed(__FILE__, __LINE__, "a message is torn");
        return;
    }
    if (message->sequence <= last_sequence) wrong("the sequence goes back", message->sequence, last_sequence);
    last_sequence = message->sequence;
    board->at[MISSED + number] += (long)message->missed;
    if (body->serial < expected[body->writer]) wrong("heard again", body->serial, expected[body->writer]);
    gaps += body->serial - expected[body->writer];
    expected[body->writer] = body->serial + 1;
    if (gaps > (uint64_t)board->at[MISSED + number]) wrong("a loss was not counted", gaps, message->missed);
    uint64_t none = 0, mine = (uint64_t)body->writer << 32 | (body->serial + 1);
    if (message->sequence < ORDER && !atomic_compare_exchange_strong(&shared->order[message->sequence], &none, mine) &&
        none != mine)
        wrong("another order", none, mine);
    board->at[HEARD + number]++;
    if (body->writer == WRITERS - 1) board->at[LAST] = (long)body->serial + 1;
}
static void hear_bodies(const char *name, int number) {
    CHECK(HeraldCenterAddObserver(HeraldCenterGetHostCenter(), (void *)(uintptr_t)(number + 1), read_body,
                                  name_of(name), NULL, HeraldSuspensionDeliverImmediately) == HeraldOK);
}
/* The losses are the missing messages. A killed writer may have posted one more than it has counted. */
static void settle(int number) {
    uint64_t uncertain = 0;
    await_deliveries();
    uint64_t missed = HeraldHostGetMissedMessageCount(), missing = gaps;
    for (uint32_t i = 0; i < WRITERS; i++) {
        if (shared->posted[i] > expected[i]) missing += shared->posted[i] - expected[i];
        uncertain += !shared->ended[i] && (shared->posted[i] || expected[i]);
    }
    if (missed < missing || missed > missing + uncertain) wrong("losses are not what is missing", missed, missing);
    board->at[MISSED + number] = (long)missed;
}
static enum sleep readers_sleep;
static void read_as(int number) {
    let_watcher_sleep(readers_sleep);
    hear_bodies("m", number);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
    settle(number);
}
static void read_0(void) { read_as(0); }
static void read_1(void) { read_as(1); }
static void read_2(void) { read_as(2); }
static void (*const readers[READERS])(void) = {read_0, read_1, read_2};
static pid_t reading[READERS];
static void begin_readers(int count) {
    share();
    for (int i = 0; i < count; i++) reading[i] = process(readers[i]);
    EVENTUALLY(board->at[READY] == count);
}
static void end_readers(int count) {
    board->at[STOP] = 1;
    for (int i = 0; i < count; i++) join(reading[i]);
}
static void write_some(uint32_t writer, long count, uint32_t most) {
    for (long serial = 0; serial < count; serial++) {
        CHECK(send_body("m", writer, (uint64_t)serial, any(most)) == HeraldOK);
        shared->posted[writer] = (uint64_t)serial + 1;
    }
    shared->ended[writer] = true;
}

/* ---- What is heard ----------------------------------------------------------------------------------------------- */

static char last_bytes[32], last_object[32], last_type[32];
static const void *last_address;
static uint64_t last_sender, last_posts;
static _Atomic int texts_heard, plain_heard;
static void read_text(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                      const void *userInfo) {
    (void)center, (void)observer, (void)name;
    const HeraldMessage *message = userInfo;
    if (!message) {
        plain_heard++;
        return;
    }
    snprintf(last_bytes, sizeof last_bytes, "%.*s", (int)message->length, (const char *)message->bytes);
    snprintf(last_object, sizeof last_object, "%s", message->object ? message->object : "-");
    snprintf(last_type, sizeof last_type, "%s", message->type ? message->type : "-");
    last_address = object;
    last_sender = message->sender;
    last_posts = HeraldHostGetPostCount();
    texts_heard++;
}
static void hear_texts(const char *name, const void *object) {
    CHECK(HeraldCenterAddObserver(HeraldCenterGetHostCenter(), &texts_heard, read_text, name_of(name), object,
                                  HeraldSuspensionHold) == HeraldOK);
}
static void send_one(void) { CHECK(send_text("t", "hello", "obj", "text/plain") == HeraldOK); }

HOST_RULE(23, message_is_heard_with_all_that_it_says) {
    hear_texts("t", NULL);
    pid_t other = process(send_one);
    EVENTUALLY(texts_heard == 1);
    join(other);
    CHECK(!strcmp(last_bytes, "hello") && !strcmp(last_object, "obj") && !strcmp(last_type, "text/plain"));
    CHECK(last_sender == (uint64_t)other && !last_address && last_posts == 1);
    const void *object = HeraldObjectForString("obj");
    send_one();
    EVENTUALLY(texts_heard == 2);
    CHECK(last_sender == (uint64_t)getpid() && last_address == object);
    CHECK(send_text("t", "", NULL, "") == HeraldOK);
    EVENTUALLY(texts_heard == 3);
    CHECK(!last_bytes[0] && !strcmp(last_object, "-") && !last_type[0] && plain_heard == 0);
    post_to_host("t");
    EVENTUALLY(plain_heard == 1);
    CHECK(texts_heard == 3);
}

HOST_RULE(23, object_selects_messages) {
    hear_texts("t", HeraldObjectForString("mine"));
    CHECK(send_text("t", "1", "yours", NULL) == HeraldOK && send_text("t", "2", NULL, NULL) == HeraldOK);
    post_to_host("t");
    CHECK(send_text("t", "3", "mine", NULL) == HeraldOK);
    EVENTUALLY(texts_heard == 1);
    await_deliveries();
    CHECK(texts_heard == 1 && plain_heard == 0 && !strcmp(last_bytes, "3"));
}

HOST_RULE(23, message_has_a_size) {
    static char much[HERALD_HOST_MESSAGE_LIMIT + 1], name[514];
    char object[513], type[514];
    memset(much, 'x', sizeof much);
    memset(name, 'n', 513);
    memset(object, 'o', 512);
    memset(type, 't', 513);
    object[512] = type[512] = type[513] = 0;
    for (int heard = 0; heard < 2; heard++) {
        HeraldMessage message = {
            .size = sizeof message, .object = object, .type = type, .bytes = much, .length = HERALD_HOST_MESSAGE_LIMIT};
        CHECK(HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name_of("t"), &message) == HeraldOK);
        EVENTUALLY(texts_heard == heard);
        message.length++;
        CHECK(HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name_of("t"), &message) == HeraldTooLarge &&
              says("65536"));
        message.length = 1;
        type[512] = 't';
        CHECK(HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name_of("t"), &message) == HeraldTooLarge &&
              says("1024"));
        type[512] = 0;
        CHECK(HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name_of(name), &message) == HeraldInvalidArgument &&
              says("512"));
        CHECK(HeraldCenterPostMessage(HeraldCenterGetHostCenter(), HeraldNameForAddress(much), &message) ==
              HeraldInvalidArgument);
        if (!heard) hear_texts("t", NULL);
    }
    name[512] = 0;
    hear_texts(name, NULL);
    CHECK(send_text(name, "long", object, type) == HeraldOK);
    EVENTUALLY(texts_heard == 2);
    CHECK(!strcmp(last_bytes, "long"));
}

HOST_RULE(23, message_that_nobody_hears_leaves_nothing) {
    expect_nobody();
    CHECK(!HeraldCenterIsHeard(HeraldCenterGetHostCenter(), name_of("m")));
    CHECK(send_body("m", 1, 0, 100) == HeraldOK);
    HeraldHostToken token;
    uint64_t posts;
    CHECK(HeraldHostRegisterCheck("m", &token) == HeraldOK && names() == 1);
    CHECK(HeraldHostCheck(token, &posts) == HeraldOK && posts == 1);
    for (int i = 0; i < 3; i++) CHECK(send_body("m", 1, 0, 100) == HeraldOK);
    post_to_host("m");
    CHECK(HeraldHostCheck(token, &posts) == HeraldOK && posts == 4); /* it counts because it was asked for */
    CHECK(!HeraldCenterIsHeard(HeraldCenterGetHostCenter(), name_of("m")));
    struct herald_host_header *header = map_file();
    CHECK(header->log == HERALD_HOST_LOG_UNUSED);
    munmap(header, HERALD_HOST_LOG_AT);
    hear_texts("m", NULL);
    CHECK(HeraldCenterIsHeard(HeraldCenterGetHostCenter(), name_of("m")));
    CHECK(!HeraldCenterIsHeard(HeraldCenterGetHostCenter(), HeraldNameForAddress(&board)));
    char longest[514] = "";
    memset(longest, 'n', 513);
    CHECK(HeraldCenterIsHeard(HeraldCenterGetHostCenter(), name_of(longest)));
    CHECK(send_text(longest, "x", NULL, NULL) == HeraldInvalidArgument);
}

HOST_RULE(23, message_counts_for_descriptors) {
    int descriptor;
    HeraldHostToken token;
    CHECK(HeraldHostRegisterFileDescriptor("m", false, &descriptor, &token) == HeraldOK);
    CHECK(send_body("m", 1, 0, 10) == HeraldOK && send_body("m", 1, 1, 10) == HeraldOK);
    uint64_t posts = 0, sum = 0;
    for (uint64_t end = end_of_patience(); sum < 2 && patient_nanoseconds() < end;) {
        struct pollfd waits = {.fd = descriptor, .events = POLLIN};
        if (poll(&waits, 1, 100) == 1 && read(descriptor, &posts, sizeof posts) == sizeof posts) sum += posts;
    }
    CHECK(sum == 2);
}

static void hear_self(void) {
    hear_texts("self.m", NULL);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
    CHECK(texts_heard == 0);
}
HOST_RULE(23, message_of_a_private_name_stays) {
    pid_t other = process(hear_self);
    EVENTUALLY(board->at[READY] == 1);
    hear_texts("self.m", NULL);
    for (int i = 0; i < 3; i++) CHECK(send_text("self.m", "mine", NULL, NULL) == HeraldOK);
    EVENTUALLY(texts_heard == 3);
    CHECK(HeraldHostGetMissedMessageCount() == 0);
    board->at[STOP] = 1;
    join(other);
}

HOST_RULE(23, message_from_before_is_not_heard) {
    hear_texts("other", NULL); /* so that messages are kept */
    pid_t other = process(send_one);
    join(other);
    hear_texts("t", NULL);
    hear_bodies("m", 0);
    share();
    CHECK(send_body("m", 1, 0, 5) == HeraldOK);
    EVENTUALLY(board->at[HEARD] == 1);
    CHECK(texts_heard == 0 && HeraldHostGetMissedMessageCount() == 0);
}

static void linger(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                   const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    board->at[DONE]++;
    while (!board->at[STOP]) pause_for(100);
}
HOST_RULE(23, message_that_was_read_is_not_for_observers_to_come) {
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    CHECK(HeraldCenterAddObserver(host, &board, linger, name_of("slow"), NULL, HeraldSuspensionHold) == HeraldOK);
    hear_texts("t", NULL);
    for (int i = 0; i < 5; i++) CHECK(send_text("slow", "x", NULL, NULL) == HeraldOK);
    for (int i = 0; i < 10; i++) CHECK(send_text("t", "x", NULL, NULL) == HeraldOK);
    EVENTUALLY(board->at[DONE] == 1);
    HeraldHostGetMissedMessageCount(); /* reads everything up to now */
    HeraldCenterRemoveEveryObserver(host, &texts_heard);
    hear_texts("t", NULL);
    board->at[STOP] = 1;
    EVENTUALLY(board->at[DONE] == 5);
    CHECK(send_text("t", "y", NULL, NULL) == HeraldOK);
    EVENTUALLY(texts_heard == 1 && last_bytes[0] == 'y');
}

static void flood_t(void) {
    while (!board->at[STOP]) CHECK(send_text("t", "x", NULL, NULL) == HeraldOK);
}
HOST_RULE(23, flood_keeps_nobody_from_the_lock) {
    int descriptor;
    HeraldHostToken token;
    CHECK(HeraldHostRegisterFileDescriptor("t", false, &descriptor, &token) == HeraldOK);
    pid_t writers[2];
    for (int i = 0; i < 2; i++) writers[i] = process(flood_t);
    EVENTUALLY(HeraldHostGetMissedMessageCount() > 0);
    for (int i = 0; i < 50; i++) {
        pause_for(5000); /* so that another thread takes the lock */
        CHECK(HeraldHostRegisterCheck("other", &token) == HeraldOK);
    }
    board->at[STOP] = 1;
    for (int i = 0; i < 2; i++) join(writers[i]);
}

/* Another program has damaged the tail: no reader goes back, and all continue. */
HOST_RULE(23, spoilt_tail_replays_nothing) {
    hear_texts("t", NULL);
    for (int i = 0; i < 100; i++) CHECK(send_text("t", "x", NULL, NULL) == HeraldOK);
    EVENTUALLY(texts_heard == 100);
    struct herald_host_header *header = map_file();
    const int64_t changes[] = {-100, -9000, -1};
    for (int i = 0; i < 3; i++) {
        header->tail += (uint64_t)changes[i];
        post_to_host("t");
        EVENTUALLY(plain_heard > i);
        post_to_host("t");
        await_deliveries();
        CHECK(texts_heard == 100 + i);
        for (int j = 0; j < 10 && texts_heard == 100 + i; j++) {
            send_text("t", "y", NULL, NULL);
            await_deliveries();
        }
        CHECK(texts_heard == 101 + i);
        header->tail = header->tail;
        texts_heard = 101 + i;
    }
    munmap(header, HERALD_HOST_LOG_AT);
}

/* ---- Suspension -------------------------------------------------------------------------------------------------- */

HOST_RULE(23, suspended_center_keeps_messages_up_to_a_limit) {
    enum { MANY = 400, LARGE = 60000 };
    static char much[LARGE];
    hear_texts("t", NULL);
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    HeraldCenterSetSuspended(host, true);
    HeraldMessage message = {.size = sizeof message, .bytes = much, .length = LARGE};
    for (int i = 0; i < MANY; i++) {
        while (HeraldCenterPostMessage(host, name_of("t"), &message) == HeraldQueueFull) pause_for(100);
        HeraldHostGetMissedMessageCount(); /* it reads: the reader keeps up */
    }
    EVENTUALLY(HeraldCenterGetDroppedPostCount(host) + HeraldHostGetMissedMessageCount() > 100);
    await_deliveries();
    CHECK(texts_heard == 0);
    HeraldCenterSetSuspended(host, false);
    long lost = (long)(HeraldCenterGetDroppedPostCount(host) + HeraldHostGetMissedMessageCount());
    EVENTUALLY(texts_heard + lost == MANY);
    CHECK(texts_heard * (long)LARGE <= 16 << 20 && texts_heard > 200);
    message.options = HeraldPostDeliverImmediately;
    message.length = 1;
    int before = texts_heard;
    HeraldCenterSetSuspended(host, true);
    CHECK(HeraldCenterPostMessage(host, name_of("t"), &message) == HeraldOK);
    EVENTUALLY(texts_heard == before + 1);
}

/* ---- Order and loss ---------------------------------------------------------------------------------------------- */

static void write_in_turn(void) {
    long writer = ++board->at[SERIAL];
    write_some((uint32_t)writer, OFTEN(10000), 300);
}
HOST_RULE(23, messages_are_heard_in_one_order) {
    begin_readers(READERS);
    pid_t writers[4];
    for (int i = 0; i < 4; i++) writers[i] = process(write_in_turn);
    for (int i = 0; i < 4; i++) join(writers[i]);
    end_readers(READERS);
    for (int i = 0; i < READERS; i++)
        CHECK(board->at[HEARD + i] + board->at[MISSED + i] == 4 * OFTEN(10000) && board->at[HEARD + i] > 1000);
}

HOST_RULE(23, lost_messages_are_counted_exactly) {
    begin_readers(2);
    long sent = 0;
    for (int round = 1; round <= 3; round++) {
        stop_process(reading[1]);
        write_some((uint32_t)round, 20000, 40);
        sent += 20000;
        write_some((uint32_t)(round + 10), 100, 60000); /* by size, too */
        sent += 100;
        kill(reading[1], SIGCONT);
        EVENTUALLY(board->at[HEARD] + board->at[MISSED] == sent);
        EVENTUALLY(board->at[HEARD + 1] + board->at[MISSED + 1] == sent);
    }
    end_readers(2);
    CHECK(board->at[MISSED + 1] > 3 * 11000 && board->at[HEARD + 1] + board->at[MISSED + 1] == sent);
}

static void flood_strangers(void) {
    hear_texts("stranger", NULL);
    for (int i = 0; i < 50000; i++) CHECK(send_text("stranger", "x", NULL, NULL) == HeraldOK);
}
HOST_RULE(23, flood_of_strangers_is_no_loss) {
    begin_readers(1);
    stop_process(reading[0]);
    join(process(flood_strangers));
    kill(reading[0], SIGCONT);
    write_some(1, 10, 100);
    EVENTUALLY(board->at[HEARD] == 10);
    end_readers(1);
    CHECK(board->at[MISSED] == 0);
}

/* ---- Posters ----------------------------------------------------------------------------------------------------- */

static void write_and_stay(void) {
    uint32_t writer = (uint32_t)++board->at[SERIAL];
    write_some(writer, 20, 100);
    board->at[DONE]++;
    while (!board->at[STOP]) pause_for(10000);
}
HOST_RULE(23, more_posters_than_rings_take_turns) {
    enum { MANY = HERALD_HOST_RINGS + 20 };
    static pid_t posters[MANY];
    begin_readers(1);
    for (int i = 0; i < MANY; i++) {
        posters[i] = process(write_and_stay);
        EVENTUALLY(board->at[DONE] > i);
    }
    EVENTUALLY(board->at[HEARD] + board->at[MISSED] == MANY * 20);
    CHECK(board->at[MISSED] == 0);
    board->at[STOP] = 1;
    for (int i = 0; i < MANY; i++) join(posters[i]);
    end_readers(1);
}

static void write_as_child(void) {
    uint32_t writer = (uint32_t)++board->at[SERIAL];
    write_some(writer, 500, 2000);
}
HOST_RULE(23, child_of_a_fork_has_a_ring_of_its_own) {
    begin_readers(1);
    write_some(100, 10, 100);
    pid_t child = process(write_as_child);
    write_some(101, 500, 2000);
    join(child);
    EVENTUALLY(board->at[HEARD] + board->at[MISSED] == 1010);
    end_readers(1);
    CHECK(board->at[MISSED] == 0);
}

static void write_for_ever(void) {
    uint32_t writer = (uint32_t)++board->at[SERIAL];
    for (uint64_t serial = 0;; serial++) {
        HeraldStatus status = send_body("m", writer, serial, any(10) ? any(300) : any(20000));
        if (status != HeraldOK) check_failed(__FILE__, __LINE__, HeraldHostGetErrorDescription());
        shared->posted[writer] = serial + 1;
        if (!any(20)) pause_for(any(200));
    }
}
SLOW_HOST_RULE(23, killed_and_stopped_posters_lose_nothing_uncounted, "many processes are killed and stopped") {
    pid_t writers[3];
    begin_readers(2);
    for (int i = 0; i < 3; i++) writers[i] = process(write_for_ever);
    for (int round = 0; goes_on(round, OFTEN(2000)) && board->at[SERIAL] < WRITERS - 2; round++) {
        int victim = (int)any(3);
        pause_for(any(3000));
        if (round % 8 == 7) {
            kill(writers[victim], SIGSTOP);
            long heard = board->at[HEARD];
            EVENTUALLY(board->at[HEARD] > heard + 10); /* the others continue */
            kill(writers[victim], SIGCONT);
        } else {
            end_by(writers[victim], SIGKILL);
            writers[victim] = process(write_for_ever);
        }
        if (round % 50 == 20) kill(reading[1], SIGSTOP);
        if (round % 50 == 35) kill(reading[1], SIGCONT);
    }
    kill(reading[1], SIGCONT);
    for (int i = 0; i < 3; i++) end_by(writers[i], SIGKILL);
    end_readers(2);
}

/* Posts once. The parent traces it. */
static void post_step_by_step(void) {
    uint32_t writer = (uint32_t)++board->at[SERIAL];
    for (uint64_t serial = 0; serial < 2; serial++) CHECK(send_body("m", writer, serial, 40) == HeraldOK);
    HeraldMessage message = message_of(writer, 2, 40);
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    HeraldNameRef name = name_of("m");
    if (!ask_to_be_traced()) return;
    HeraldCenterPostMessage(host, name, &message);
    board->is_over = true;
}
/* Another process's message wakes the reader. */
static void others_go_on(void) {
    static uint64_t serial;
    CHECK(send_body("m", WRITERS - 1, serial, 100) == HeraldOK);
    shared->posted[WRITERS - 1] = ++serial;
    for (uint64_t end = end_of_patience(); board->at[LAST] != (long)serial && patient_nanoseconds() < end;)
        pause_for(20);
    CHECK(board->at[LAST] == (long)serial);
}
SLOW_HOST_RULE(23, poster_held_at_each_instruction_of_a_message_or_killed_there,
               "a process for many instructions of a message") {
    if (UNDER_THREAD_SANITIZER) return;
    int status, last = 0;
    readers_sleep = UNTIL_WOKEN;
    begin_readers(1);
    stay_on_one_processor();
    /* Each third instruction or, if there are many, some hundreds of them. */
    int count = count_steps(post_step_by_step), stride = UNDER_ADDRESS_SANITIZER ? 61 : 3;
    if (count / stride > 500) stride = count / 500;
    bool more = true;
    for (int i = (int)any((unsigned)stride); more && board->at[SERIAL] < WRITERS - 2 && !check_has_failed();
         i += stride) {
        pid_t victim = begin_steps(post_step_by_step, &status);
        more = steps(victim, &status, PTRACE_SINGLESTEP, i);
        others_go_on(); /* while it is stopped there; not at each instruction, where they would always be ahead */
        end_by(victim, SIGKILL);
        others_go_on();
        last = i;
    }
    if (board->is_untraced) skip("no process may be traced here");
    CHECK(board->is_untraced || (!more && last > 200));
    shared->ended[WRITERS - 1] = true;
    end_readers(1);
}

/* ---- Another file ------------------------------------------------------------------------------------------------ */

/* Whether the writers, each of which has posted so many, are ahead of both readers by less than a ring has room for. */
static bool paced;
static bool all_follow(void) {
    long posted = 0, heard = board->at[HEARD] < board->at[HEARD + 1] ? board->at[HEARD] : board->at[HEARD + 1];
    for (int i = 0; i < WRITERS; i++) posted += (long)shared->posted[i];
    return posted - heard < 1000 || board->at[DONE];
}
static void write_until_stop(void) {
    uint32_t writer = (uint32_t)++board->at[SERIAL];
    uint64_t serial = 0;
    for (; !board->at[DONE]; serial++) {
        HeraldStatus status = send_body("m", writer, serial, any(300));
        if (status != HeraldOK) check_failed(__FILE__, __LINE__, HeraldHostGetErrorDescription());
        shared->posted[writer] = serial + 1;
        if (!any(4)) pause_for(any(100));
        while (paced && !all_follow()) pause_for(100);
    }
    shared->ended[writer] = true;
}
static void renew(void) { CHECK(HeraldHostReset() == HeraldOK); }
static void renew_files(bool in_haste) {
    paced = !in_haste;
    begin_readers(2);
    pid_t writers[2];
    for (int i = 0; i < 2; i++) writers[i] = process(write_until_stop);
    uint64_t until = end_of_patience();
    /* As often as asked, and until enough was heard: a busy machine may give the writers little time. */
    for (int i = 0; i < OFTEN(60) || (board->at[HEARD] <= 100 && patient_nanoseconds() < until); i++) {
        join(process(renew));
        if (in_haste) pause_for(any(20000));
        if (!in_haste) EVENTUALLY(watchers_of("m") == 2); /* all have moved to the new file */
    }
    board->at[DONE] = 1;
    for (int i = 0; i < 2; i++) join(writers[i]);
    end_readers(2);
    CHECK(board->at[HEARD] > 100);
}
HOST_RULE(23, messages_are_heard_once_across_files) {
    renew_files(false);
    CHECK(board->at[MISSED] == 0 && board->at[MISSED + 1] == 0);
}

/* The watcher of the reader is in a callback while the file is replaced, and each callback takes its time. */
static _Atomic bool settles;
static void read_slowly(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                        const void *userInfo) {
    read_body(center, observer, name, object, userInfo);
    if (!userInfo) return;
    board->at[READY] = 2;
    while (!settles) pause_for(1000);
    pause_for(board->at[HEARD] == 1 ? 50000 : 500);
}
static void read_what_came_meanwhile(void) {
    CHECK(HeraldCenterAddObserver(HeraldCenterGetHostCenter(), (void *)1, read_slowly, name_of("m"), NULL,
                                  HeraldSuspensionDeliverImmediately) == HeraldOK);
    board->at[READY] = 1;
    while (!board->at[DONE]) pause_for(1000);
    settles = true;
    settle(0);
}
static void write_300(void) { write_some(8, 300, 60); }
HOST_RULE(23, messages_in_a_file_that_came_during_a_callback_are_heard) {
    share();
    reading[0] = process(read_what_came_meanwhile);
    EVENTUALLY(board->at[READY] == 1);
    write_some(7, 1, 60);
    EVENTUALLY(board->at[READY] == 2);
    join(process(renew));
    join(process(write_300));
    board->at[DONE] = 1;
    join(reading[0]);
    CHECK(board->at[HEARD] == 301 && board->at[MISSED] == 0);
}

/* A process that has never been in a file cannot read the posts in it. */
HOST_RULE(23, messages_in_files_that_were_missed_are_counted) { renew_files(true); }
