/* R25 with private headers: keepers and readers that are killed or held at any instruction, a storm of them, files that
 * another program has spoilt, and full ones. */
#include "../../CSources/CHeraldHost/src/current.h"
#include "../../CSources/CHeraldHost/src/clock.h"
#include "../../CSources/CHeraldHost/src/move.h"
#include "../../CSources/CHeraldHost/src/ring.h"
#include "file.h"
#include <herald/message.h>
#include <sys/ptrace.h>

/* Indexes into the board. */
enum { STOP, DONE, UNTRACED, SERIAL, BEFORE };

/* ---- A message that contains its sender, and shows whether it is whole ------------------------------------------- */

struct body {
    uint32_t writer, length;
    uint64_t serial, sum;
    unsigned char bytes[HERALD_HOST_MESSAGE_LIMIT];
};
enum { HEAD = offsetof(struct body, bytes), LONGEST = HERALD_HOST_MESSAGE_LIMIT - HEAD };

static uint64_t sum_of(const struct body *body) {
    uint64_t sum = body->writer * UINT64_C(31) + body->serial;
    for (uint32_t i = 0; i < body->length; i++) sum = sum * 131 + body->bytes[i];
    return sum;
}
static HeraldMessage message_of(uint32_t writer, uint64_t serial, uint32_t length) {
    static _Thread_local struct body body;
    body.writer = writer;
    body.serial = serial;
    body.length = length;
    for (uint32_t i = 0; i < length; i++) body.bytes[i] = (unsigned char)(serial * 7 + i);
    body.sum = sum_of(&body);
    return (HeraldMessage){
        .size = sizeof(HeraldMessage), .bytes = &body, .length = HEAD + length, .options = HeraldPostKeep};
}
static HeraldCenterRef host(void) { return HeraldCenterGetHostCenter(); }
static HeraldStatus keep_about(const char *name, const char *object, uint32_t writer, uint64_t serial,
                               uint32_t length) {
    HeraldMessage message = message_of(writer, serial, length);
    message.object = object;
    return HeraldCenterPostMessage(host(), name_of(name), &message);
}
static HeraldStatus keep(const char *name, uint32_t writer, uint64_t serial, uint32_t length) {
    return keep_about(name, NULL, writer, serial, length);
}

struct taken {
    bool any;
    uint32_t writer;
    uint64_t serial, sequence;
};
static bool is_whole(const HeraldMessage *message) {
    const struct body *body = message->bytes;
    return message->length >= HEAD && message->length == HEAD + body->length && body->sum == sum_of(body);
}
static void take_body(void *context, const void *userInfo, const void *tag) {
    (void)tag;
    const HeraldMessage *message = userInfo;
    const struct body *body = message->bytes;
    if (!is_whole(message)) {
        check_failed(__FILE__, __LINE__, "a message is torn");
        return;
    }
    *(struct taken *)context = (struct taken){true, body->writer, body->serial, message->sequence};
}
static struct taken take_about(const char *name, const char *object) {
    struct taken taken = {.any = false};
    HeraldCenterTakeKept(host(), name_of(name), HeraldObjectForString(object), take_body, &taken);
    return taken;
}
static struct taken take(const char *name) { return take_about(name, NULL); }

/* ---- What is in use ---------------------------------------------------------------------------------------------- */

/* Puts what was published into its cell, and finishes what dead owners of rings were doing. */
static void settle(struct herald_host_segment *segment) {
    uint32_t ring;
    int file = herald_host_segment_reopen(segment);
    CHECK(file >= 0);
    if (herald_host_log_is_open(segment->header)) /* whoever locks a ring helps all records */
        CHECK(herald_host_ring_own(segment, file, &ring) == HERALD_HOST_RING_LOCKED);
    herald_host_file_discard(file);
    herald_host_rings_settle(segment);
}

static uint32_t number_in(const struct herald_host_cell *cell) { return (uint32_t)cell->word & 0xffffff; }

static uint32_t values_in_use(struct herald_host_header *header) {
    enum { PER_SLAB = HERALD_HOST_SLAB / HERALD_HOST_VALUE_UNIT };
    uint32_t count = 0;
    for (uint32_t number = 1; header->keeps && number <= HERALD_HOST_VALUES; number++) {
        if (!herald_host_keeping_of(header)->classes[(number - 1) / PER_SLAB]) {
            number += PER_SLAB - 1;
            continue;
        }
        const struct herald_host_value *value = herald_host_value_at(header, number);
        count += value && (uint32_t)value->owner != HERALD_HOST_VALUE_FREE;
    }
    return count;
}

/* When no keeper is at work: each cell leads to a value of its own, which can be read, and no other value is in use. */
static void audit(void) {
    uint32_t kept = 0;
    struct herald_host_received *block = NULL;
    herald_host_session_lock();
    struct herald_host_segment *segment = herald_host_move_look(true);
    if (segment) {
        settle(segment);
        for (uint32_t i = 0; i < herald_host_cells_used(segment->header); i++) {
            const struct herald_host_cell *cell = herald_host_cell_at(segment->header, i);
            const struct herald_host_value *value = herald_host_value_at(segment->header, number_in(cell));
            if (!number_in(cell)) continue;
            kept++;
            CHECK(value && value->cell == i && (uint32_t)value->owner == HERALD_HOST_VALUE_PUBLISHED);
            CHECK(herald_host_current_read(segment->header, i, &block) == HERALD_HOST_COPIED);
        }
        uint32_t in_use = values_in_use(segment->header);
        char sentence[100];
        snprintf(sentence, sizeof sentence, "%u values are in use, and %u are kept", in_use, kept);
        if (in_use != kept) check_failed(__FILE__, __LINE__, sentence);
    }
    herald_host_session_unlock();
    free(block);
}

/* ---- Step by step ------------------------------------------------------------------------------------------------ */

/* The parent traces what follows. */
static bool ask_to_be_traced(void) {
    board->at[DONE] = 0;
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
        board->at[UNTRACED] = 1;
        return false;
    }
    raise(SIGSTOP);
    return true;
}
/* Keeps twice, and then once more while it is traced. */
static void keep_step_by_step(void) {
    uint32_t writer = (uint32_t)++board->at[SERIAL];
    for (uint64_t serial = 0; serial < 2; serial++) CHECK(keep("k", writer, serial, 40) == HeraldOK);
    HeraldMessage message = message_of(writer, 2, 40);
    HeraldCenterRef center = host();
    HeraldNameRef name = name_of("k");
    if (!ask_to_be_traced()) return;
    CHECK(HeraldCenterPostMessage(center, name, &message) == HeraldOK);
    board->at[DONE] = 1;
}
/* Takes while it is traced. */
static void take_step_by_step(void) {
    struct taken taken = {.any = false};
    HeraldCenterRef center = host();
    HeraldNameRef name = name_of("k");
    CHECK(!take("other").any);
    if (!ask_to_be_traced()) return;
    HeraldCenterTakeKept(center, name, NULL, take_body, &taken);
    board->at[DONE] = 1;
    CHECK(taken.any && taken.sequence >= (uint64_t)board->at[BEFORE]);
}
static pid_t begin_steps(void (*function)(void), int *status) {
    pid_t victim = process(function);
    waitpid(victim, status, 0);
    return victim;
}
/* False: the call is over. */
static bool steps(pid_t victim, int *status, int count) {
    for (; WIFSTOPPED(*status) && !board->at[DONE] && count > 0; count--) {
        ptrace(PTRACE_SINGLESTEP, victim, NULL, NULL);
        waitpid(victim, status, 0);
    }
    return WIFSTOPPED(*status) && !board->at[DONE];
}
static int count_steps(void (*function)(void)) {
    int status, count = 0;
    pid_t victim = begin_steps(function, &status);
    while (steps(victim, &status, 1)) count++;
    end_by(victim, SIGKILL);
    return count;
}
/* Lets it go on to its end. */
static void release(pid_t victim) {
    ptrace(PTRACE_DETACH, victim, NULL, NULL);
    join(victim);
}
/* Calls `at` with a process that is held at each third instruction, or if there are many, at some hundreds of them. */
static void at_each_instruction(void (*function)(void), void (*at)(pid_t victim)) {
    int status, last = 0;
    stay_on_one_processor();
    int count = count_steps(function), stride = UNDER_ADDRESS_SANITIZER ? 61 : 3;
    if (count / stride > 700) stride = count / 700;
    bool more = true;
    for (int i = (int)any((unsigned)stride); more && !check_has_failed(); i += stride) {
        pid_t victim = begin_steps(function, &status);
        more = steps(victim, &status, i);
        if (board->at[UNTRACED]) {
            end_by(victim, SIGKILL);
            skip("no process may be traced here");
            return;
        }
        at(victim);
        last = i;
    }
    CHECK(!more && last > 200);
}

/* ---- Keepers that are killed or held ----------------------------------------------------------------------------- */

static struct herald_host_cursor cursor; /* in the log */
static struct herald_host_received *spare;

/* Reads all that was published. Returns the number of the last kept record; 0: there was none. */
static uint64_t hear(void) {
    uint64_t last = 0;
    herald_host_session_lock();
    struct herald_host_segment *segment = herald_host_move_look(true);
    if (cursor.header != segment->header) cursor = herald_host_log_beginning(segment->header);
    while (herald_host_log_read(&cursor, UINT64_MAX, &spare) == HERALD_HOST_READ_IT)
        if (spare->message.options & HeraldPostKeep) last = spare->message.sequence;
    herald_host_session_unlock();
    return last;
}

static uint64_t my_serial;

/* What may be kept now: the victim's second message, or its third. */
static void take_from_victim(void) {
    uint32_t victim = (uint32_t)board->at[SERIAL];
    uint64_t heard = hear();
    struct taken taken = take("k");
    CHECK(taken.any && taken.writer == victim && (taken.serial == 1 || taken.serial == 2));
    CHECK(taken.sequence >= heard);
}

/* Others settle, keep so often that values are used again, and forget. The last is kept by this process. */
static void others_go_on(void) {
    herald_host_session_lock();
    struct herald_host_segment *segment = herald_host_move_look(true);
    if (segment) settle(segment);
    herald_host_session_unlock();
    for (int i = 0; i < 12; i++) {
        CHECK(keep("k", 0, ++my_serial, 40) == HeraldOK);
        struct taken taken = take("k");
        CHECK(taken.any && taken.writer == 0 && taken.serial == my_serial);
    }
    CHECK(keep("other", 0, my_serial, 3000) == HeraldOK && HeraldCenterForget(host(), name_of("other"), NULL));
    CHECK(HeraldCenterForget(host(), name_of("k"), NULL) && !take("k").any);
    CHECK(keep("k", 0, ++my_serial, 40) == HeraldOK);
}

static void kill_or_hold(pid_t victim) {
    take_from_victim(); /* as long as nobody helps */
    bool is_held = any(2), goes_on = is_held && any(2);
    if (is_held) others_go_on();
    if (goes_on) {
        release(victim);
    } else {
        end_by(victim, SIGKILL);
    }
    struct taken taken = take("k");
    CHECK(taken.any && taken.sequence >= hear());
    if (!is_held) take_from_victim();
    if (is_held) CHECK(taken.writer == 0 ? taken.serial == my_serial : goes_on && taken.serial == 2);
    audit();
}
SLOW_HOST_RULE(25, keeper_killed_or_held_at_each_instruction_loses_and_leaks_nothing,
               "a process for many instructions of a kept message") {
    if (UNDER_THREAD_SANITIZER) return;
    at_each_instruction(keep_step_by_step, kill_or_hold);
    free(spare);
}

static void hold_reader(pid_t victim) {
    for (int i = 0; i < 12; i++) CHECK(keep("k", 0, ++my_serial, 40) == HeraldOK); /* values are used again */
    release(victim);
    board->at[BEFORE] = (long)take("k").sequence;
}
SLOW_HOST_RULE(25, reader_of_what_is_kept_held_at_each_instruction_finds_it_whole,
               "a process for many instructions of a call") {
    if (UNDER_THREAD_SANITIZER) return;
    CHECK(keep("k", 0, ++my_serial, 40) == HeraldOK);
    at_each_instruction(take_step_by_step, hold_reader);
    audit();
}

/* ---- A storm ----------------------------------------------------------------------------------------------------- */

/* Each keeper has a name of its own, which it never forgets, and a part in the others. */
enum { KEEPERS = 3, READERS = 2, STORMY = KEEPERS + 5 };
static const char *const stormy[STORMY] = {"s.0", "s.1", "s.2", "s.3", "s.4", "s.5", "s.6", "s.7"};

/* Seen by all: what was tried of each keeper's own name, and what has returned. */
static struct storm {
    _Atomic uint64_t tried[KEEPERS], kept[KEEPERS];
    _Atomic bool moves;
} * storm;
static int next_part; /* of the process that is made next */

static uint32_t any_length(void) {
    unsigned kind = any(64);
    return kind == 0 ? LONGEST - any(5000) : kind < 8 ? any(4096) : any(200);
}
static void keep_in_storm(void) {
    int part = next_part;
    for (uint64_t serial = storm->tried[part]; !check_has_failed();) {
        unsigned which = any(STORMY);
        if (which < KEEPERS) which = (unsigned)part;
        if (which >= KEEPERS && any(50) == 0) {
            HeraldCenterForget(host(), name_of(stormy[which]), NULL);
            continue;
        }
        storm->tried[part] = ++serial;
        HeraldStatus status = keep(stormy[which], (uint32_t)part, serial, any_length());
        if (status != HeraldOK) check_failed(__FILE__, __LINE__, HeraldHostGetErrorDescription());
        if ((int)which == part) storm->kept[part] = serial;
        if (storm->moves && any(2000) == 0) HeraldHostReset();
    }
}
static void read_in_storm(void) {
    uint64_t last[STORMY] = {0};
    while (!check_has_failed()) {
        unsigned which = any(STORMY);
        uint64_t kept = which < KEEPERS ? storm->kept[which] : 0;
        struct taken taken = take(stormy[which]);
        if (kept) CHECK(taken.any && taken.serial >= kept);
        if (!taken.any) continue;
        if (taken.sequence < last[which]) check_failed(__FILE__, __LINE__, "what is kept goes back");
        last[which] = taken.sequence;
    }
}
static void audit_storm(void) {
    audit();
    for (int i = 0; i < KEEPERS; i++) {
        struct taken taken = take(stormy[i]);
        CHECK(!storm->kept[i] || (taken.any && taken.serial >= storm->kept[i] && taken.serial <= storm->tried[i]));
    }
}
/* After a failed check the process has ended by itself. */
static void end_stormy(pid_t process) {
    int status = 0;
    kill(process, SIGKILL);
    waitpid(process, &status, 0);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}
static void rage(bool moves, int rounds) {
    storm = mmap(NULL, sizeof *storm, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    storm->moves = moves;
    for (int round = 0; goes_on(round, rounds) && !check_has_failed(); round++) {
        pid_t stormers[KEEPERS + READERS];
        for (int i = 0; i < KEEPERS + READERS; i++) {
            next_part = i;
            stormers[i] = process(i < KEEPERS ? keep_in_storm : read_in_storm);
        }
        pause_for(500 + any(6000));
        if (any(3) == 0) { /* one stands still while the others go on */
            pid_t still = stormers[any(KEEPERS)];
            kill(still, SIGSTOP);
            pause_for(any(2000));
            kill(still, SIGCONT);
            pause_for(any(300));
        }
        for (int i = 0; i < KEEPERS + READERS; i++) end_stormy(stormers[i]);
        if (any(4) == 0) join(process(audit_storm)); /* otherwise the next ones find what these have left */
    }
    join(process(audit_storm));
}
SLOW_HOST_RULE(25, storm_of_killed_keepers_loses_and_leaks_nothing_that_is_kept, "many processes are killed") {
    rage(false, OFTEN(400));
}
SLOW_HOST_RULE(25, storm_of_killed_keepers_who_make_the_file_again, "many processes are killed") {
    rage(true, OFTEN(200));
}
