/* R25 with private headers: keepers and readers that are killed or held at any instruction, a storm of them, files that
 * another program has spoilt, and full ones. */
#include "../../CSources/CHeraldHost/src/channel.h"
#include "../../CSources/CHeraldHost/src/current.h"
#include "../../CSources/CHeraldHost/src/clock.h"
#include "../../CSources/CHeraldHost/src/move.h"
#include "../../CSources/CHeraldHost/src/ring.h"
#include "body.h"
#include "file.h"
#include <sys/mount.h>
#include <sys/statvfs.h>

/* Indexes into the board. */
enum { STOP, DONE, SERIAL, BEFORE };

/* ---- Keeping ----------------------------------------------------------------------------------------------------- */

static HeraldCenterRef host(void) { return HeraldCenterGetHostCenter(); }
static HeraldStatus keep_about(const char *name, const char *object, uint32_t writer, uint64_t serial,
                               uint32_t length) {
    HeraldMessage message = message_of(writer, serial, length);
    message.options = HeraldPostKeep;
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
static void take_body(void *context, const void *userInfo, const void *tag) {
    (void)tag;
    const HeraldMessage *message = userInfo;
    const struct body *body = message->bytes;
    if (!body_is_whole(message)) {
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

/* Keeps twice, and then once more while it is traced. */
static void keep_step_by_step(void) {
    uint32_t writer = (uint32_t)++board->at[SERIAL];
    for (uint64_t serial = 0; serial < 2; serial++) CHECK(keep("k", writer, serial, 40) == HeraldOK);
    HeraldMessage message = message_of(writer, 2, 40);
    message.options = HeraldPostKeep;
    HeraldCenterRef center = host();
    HeraldNameRef name = name_of("k");
    if (!ask_to_be_traced()) return;
    CHECK(HeraldCenterPostMessage(center, name, &message) == HeraldOK);
    board->is_over = true;
}
/* Takes while it is traced. */
static void take_step_by_step(void) {
    struct taken taken = {.any = false};
    HeraldCenterRef center = host();
    HeraldNameRef name = name_of("k");
    CHECK(!take("other").any);
    if (!ask_to_be_traced()) return;
    HeraldCenterTakeKept(center, name, NULL, take_body, &taken);
    board->is_over = true;
    CHECK(taken.any && taken.sequence >= (uint64_t)board->at[BEFORE]);
}
/* Calls `at` with a process that is held at each third instruction, or if there are many, at 700 of them. Under the
 * address sanitizer, where most instructions are the sanitizer's, at 40. */
static void at_each_instruction(void (*function)(void), void (*at)(pid_t victim)) {
    int status, last = 0;
    stay_on_one_processor();
    int count = count_steps(function), most = UNDER_ADDRESS_SANITIZER ? 40 : 700;
    int stride = count / most > 3 ? count / most : 3;
    bool more = true;
    for (int i = (int)any((unsigned)stride); more && !check_has_failed(); i += stride) {
        pid_t victim = begin_steps(function, &status);
        more = steps(victim, &status, PTRACE_SINGLESTEP, i);
        if (board->is_untraced) {
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
        let_go(victim);
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
    let_go(victim);
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

/* ---- Spoilt files ------------------------------------------------------------------------------------------------ */

static char *file_of_all; /* the file as another program sees it */

static void map_whole_file(void) {
    int file = open(host_file, O_RDWR);
    if (file_of_all) munmap(file_of_all, HERALD_HOST_FILE_SIZE);
    file_of_all = mmap(NULL, HERALD_HOST_FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(file >= 0 && file_of_all != MAP_FAILED);
    close(file);
}
static struct herald_host_header *header_of_all(void) { return (struct herald_host_header *)(void *)file_of_all; }

/* The record at the log's tail, or one of the last. */
static struct herald_host_record *any_record(struct herald_host_header *header) {
    uint64_t word = *herald_host_log_slot(header, header->tail - 1 - any(4));
    size_t at = (size_t)(word & 0xffffff) * HERALD_LINE % HERALD_HOST_RING;
    return herald_host_record_at(header, (uint32_t)(word >> 24 & 0xff) % HERALD_HOST_RINGS, at);
}

static uint64_t any_word(void) {
    static const uint64_t words[] = {0, 1, 2, 64, 255, 256, 1 << 16, 1 << 24, UINT32_MAX, UINT64_MAX, UINT64_MAX / 2};
    unsigned kind = any(3);
    if (kind == 0) return words[any(sizeof words / sizeof *words)];
    return kind == 1 ? any(4096) : (uint64_t)any(UINT32_MAX) << 32 | any(UINT32_MAX);
}

/* Writes something to a place that matters to what is kept. */
static void spoil(void) {
    struct herald_host_header *header = header_of_all();
    struct herald_host_keeping *keeping = herald_host_keeping_of(header);
    struct herald_host_cell *cell = herald_host_cell_at(header, any(40)), *other = herald_host_cell_at(header, any(40));
    uint32_t slab = any(12), ring = any(2);
    char *value = file_of_all + HERALD_HOST_SLABS_AT + (size_t)slab * HERALD_HOST_SLAB;
    struct herald_host_part *part = (struct herald_host_part *)(any_record(header) + 1);
    switch (any(16)) {
    case 0: keeping->classes[slab] = any(14); break;
    case 1: keeping->cells = any(2) ? any(50) : (uint32_t)any_word(); break;
    case 2: keeping->ready = (uint32_t)any_word(); break;
    case 3: keeping->places[any(HERALD_HOST_CELL_PLACES)] = (uint32_t)any_word(); break;
    case 4: keeping->places[cell->key % HERALD_HOST_CELL_PLACES] = any(60); break;
    case 5: cell->word = any(2) ? other->word : any_word(); break;
    case 6: cell->key = any(2) ? other->key : any_word(); break;
    case 7: cell->word = (cell->word & ~UINT64_C(0xffffff)) | (any(2) ? any(24000) : any(1 << 24)); break;
    case 8: ((uint64_t *)(void *)value)[any(64)] = any_word(); break;
    case 9: ((uint32_t *)(void *)value)[any(2000) * 16 + any(16)] = (uint32_t)any_word(); break;
    case 10: ((uint64_t *)(void *)herald_host_ring_at(header, ring))[any(3)] = any_word(); break;
    case 11: herald_host_ring_at(header, ring)->hand = any(24000); break;
    case 12: header->tail -= any(6); break;
    case 13: header->tail = any(4) ? header->tail + any(3) : any_word(); break;
    case 14: ((uint32_t *)(void *)part)[any(4)] = any(2) ? any(4000) : (uint32_t)any_word(); break;
    default: header->keeps = any(2);
    }
}

static _Atomic bool begun;
static void ignore(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                   const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
}
static void note_begun(void *observer, size_t kept, HeraldStatus status) {
    (void)observer, (void)kept, (void)status;
    begun = true;
}
static void begin_and_end(const char *name) {
    HeraldToken token;
    HeraldObserverOptions options = {.size = sizeof options, .start = HeraldStartKept, .began = note_begun};
    begun = false;
    if (HeraldCenterAddObserverWithOptions(host(), &begun, ignore, name_of(name), NULL, &options, &token) != HeraldOK)
        return;
    EVENTUALLY(begun);
    CHECK(HeraldCenterRemoveTokenAndWait(host(), token));
}
static void touch(void *context, const void *userInfo, const void *tag) {
    (void)tag;
    const HeraldMessage *message = userInfo;
    const unsigned char *bytes = message->bytes;
    for (size_t i = 0; i < message->length; i++) *(unsigned *)context += bytes[i];
    if (message->object) *(unsigned *)context += (unsigned)strlen(message->object);
    CHECK(message->length <= HERALD_HOST_MESSAGE_LIMIT);
}
static void visit_one(void *context, HeraldNameRef name, const void *object, const void *userInfo, const void *tag) {
    (void)object;
    CHECK(strlen(HeraldNameGetUTF8String(name)) <= HERALD_HOST_NAME_LIMIT);
    touch(context, userInfo, tag);
}

/* Each call returns, or fails with a sentence. */
static void use_what_is_spoilt(void) {
    static const char *const about[] = {NULL, "x", "y", "a longer object"};
    char name[8];
    unsigned sum = 0;
    snprintf(name, sizeof name, "n.%u", any(8));
    const char *object = about[any(4)];
    HeraldStatus status = HeraldOK;
    switch (any(6)) {
    case 0: begin_and_end(name); break;
    case 1: HeraldCenterVisitKept(host(), visit_one, &sum); break;
    case 2: HeraldCenterForget(host(), name_of(name), HeraldObjectForString(object)); break;
    case 3: HeraldCenterTakeKept(host(), name_of(name), HeraldObjectForString(object), touch, &sum); break;
    default: status = keep_about(name, object, 1, 1, any_length());
    }
    CHECK(status == HeraldOK || HeraldHostGetErrorDescription()[0]);
}

/* A new file has room, and serves as before. */
static void make_it_again(void) {
    static uint64_t serial;
    HeraldStatus status = HeraldHostReset();
    if (status != HeraldOK) check_failed(__FILE__, __LINE__, HeraldHostGetErrorDescription());
    for (int i = 0; i < 2; i++) {
        status = keep("good", 1, ++serial, 100);
        if (status != HeraldOK) check_failed(__FILE__, __LINE__, HeraldHostGetErrorDescription());
        struct taken taken = take("good");
        CHECK(taken.any && taken.serial == serial);
    }
    map_whole_file();
}
SLOW_HOST_RULE(25, kept_messages_of_a_spoilt_file_harm_nobody, "many files are spoilt") {
    for (int round = 0; goes_on(round, OFTEN(300)) && !check_has_failed(); round++) {
        make_it_again();
        for (int i = 0; i < 60; i++) {
            for (unsigned spoils = round ? any(3) : 0; spoils; spoils--) spoil();
            use_what_is_spoilt();
        }
    }
    make_it_again();
}

static void count_visits(void *context, HeraldNameRef name, const void *object, const void *userInfo, const void *tag) {
    (void)name, (void)object, (void)userInfo, (void)tag;
    ++*(int *)context;
}
/* Another program has made many cells that lead to one large value. */
HOST_RULE(25, file_with_one_kept_value_in_many_cells_is_made_again) {
    enum { MANY = 2 * HERALD_HOST_SLABS };
    int visits = 0;
    CHECK(keep("k", 0, 1, LONGEST) == HeraldOK && keep("other", 0, 2, 100) == HeraldOK);
    map_whole_file();
    struct herald_host_header *header = header_of_all();
    for (uint32_t i = 1; i < MANY; i++) {
        struct herald_host_cell *cell = herald_host_cell_at(header, i + 1), *first = herald_host_cell_at(header, 0);
        cell->key = first->key;
        cell->name = first->name;
        cell->word = first->word;
    }
    herald_host_keeping_of(header)->cells = MANY;
    HeraldCenterVisitKept(host(), count_visits, &visits);
    CHECK(visits == 2);
    CHECK(HeraldHostReset() == HeraldOK);
    CHECK(take("k").serial == 1 && take("other").serial == 2 && keep("k", 0, 3, 10) == HeraldOK);
    CHECK(take("k").serial == 3);
    audit();
}

/* Another program has given a value longer texts than any message may have, which are whole otherwise. */
HOST_RULE(25, kept_value_with_too_long_texts_is_not_carried_to_another_file) {
    enum { TEXT = HERALD_HOST_TEXTS_LIMIT + 1 };
    static struct { char bytes[8], name[2], object[TEXT], type[TEXT]; } message = {.name = "k"};
    memset(message.object, 'o', TEXT - 1);
    memset(message.type, 't', TEXT - 1);
    HeraldMessage kept = {.size = sizeof kept,
                          .object = message.object,
                          .bytes = &message,
                          .length = sizeof message,
                          .options = HeraldPostKeep};
    CHECK(HeraldCenterPostMessage(host(), name_of("k"), &kept) == HeraldOK);
    CHECK(keep("other", 0, 1, 40) == HeraldOK);
    map_whole_file();
    struct herald_host_header *header = header_of_all();
    struct herald_host_value *value = herald_host_value_at(header, number_in(herald_host_cell_at(header, 0)));
    CHECK(value && value->length == sizeof message);
    value->length = sizeof message.bytes;
    value->type = TEXT;
    CHECK(HeraldHostReset() == HeraldOK && take("other").serial == 1);
    CHECK(keep_about("k", message.object, 0, 2, 40) == HeraldOK && take_about("k", message.object).serial == 2);
    audit();
}

/* Another program has set the tail back: records that were kept long ago take nobody's place. */
HOST_RULE(25, kept_messages_survive_a_tail_that_is_set_back) {
    enum { KEPT = 20 };
    CHECK(keep("other", 0, 100, 40) == HeraldOK);
    for (uint64_t serial = 1; serial <= KEPT; serial++) CHECK(keep(serial % 2 ? "k" : "l", 0, serial, 40) == HeraldOK);
    map_whole_file();
    uint64_t tail = header_of_all()->tail;
    for (uint64_t back = 1; back <= KEPT; back++) {
        header_of_all()->tail = tail - back;
        CHECK(keep("other", 0, 100 + back, 40) == HeraldOK && take("other").serial == 100 + back);
        CHECK(take("k").serial == KEPT - 1 && take("l").serial == KEPT);
        tail = header_of_all()->tail;
        audit();
    }
}

/* ---- Full files -------------------------------------------------------------------------------------------------- */

/* The file is made again once in ten seconds at most: this long ago. */
static void let_seconds_pass(uint32_t seconds) { herald_host_keeping_of(header_of_all())->crowded -= seconds; }

HOST_RULE(25, file_without_a_cell_left_keeps_what_it_has_and_has_room_again_when_some_was_forgotten) {
    char object[32];
    uint64_t count = 0;
    HeraldStatus status = HeraldOK;
    for (; status == HeraldOK && count <= HERALD_HOST_CELLS; count++) {
        snprintf(object, sizeof object, "%lu", (unsigned long)count);
        status = keep_about("k", object, 0, count, 8);
    }
    count--;
    CHECK(status == HeraldQueueFull && says("no room") && count > HERALD_HOST_CELLS / 8 * 7);
    map_whole_file();
    uint32_t cells = herald_host_keeping_of(header_of_all())->cells, in_use = values_in_use(header_of_all());
    CHECK(keep_about("k", "7", 0, 7, 20) == HeraldOK); /* it has a cell */
    CHECK(keep_about("k", "more", 0, 1, 8) == HeraldQueueFull && says("no room") && !take_about("k", "more").any);
    CHECK(herald_host_keeping_of(header_of_all())->cells == cells && values_in_use(header_of_all()) == in_use);
    audit();
    for (uint64_t i = 0; i < count / 2; i += 2) {
        snprintf(object, sizeof object, "%lu", (unsigned long)i);
        CHECK(HeraldCenterForget(host(), name_of("k"), HeraldObjectForString(object)));
    }
    /* A file that was just found full is not made again at once, but frequent attempts do not put that off. */
    for (int i = 0; i < 3 && !take_about("k", "more").any; i++) {
        status = keep_about("k", "more", 0, 1, 8);
        CHECK(status == HeraldOK || status == HeraldQueueFull);
        if (status == HeraldQueueFull) let_seconds_pass(4);
    }
    CHECK(keep_about("k", "more", 0, 1, 8) == HeraldOK && take_about("k", "more").serial == 1);
    for (uint64_t i = 1; i < count; i += 101) {
        snprintf(object, sizeof object, "%lu", (unsigned long)i);
        struct taken taken = take_about("k", object);
        bool is_forgotten = i < count / 2 && i % 2 == 0;
        CHECK(is_forgotten ? !taken.any : taken.any && taken.serial == i);
    }
    audit();
}

/* Small messages lie in large values where no others are free. They need as much room in the next file. */
SLOW_HOST_RULE(25, full_file_is_followed_by_one_that_keeps_the_same, "64 MiB of messages") {
    char object[32];
    uint64_t count = 0, small = 0;
    HeraldStatus status = HeraldOK;
    for (; status == HeraldOK && count <= 2 * HERALD_HOST_SLABS; count++) {
        snprintf(object, sizeof object, "%lu", (unsigned long)count);
        status = keep_about("k", object, 0, count, count < 100 ? 20000 : LONGEST);
    }
    count--;
    CHECK(status == HeraldQueueFull && count > 400);
    map_whole_file();
    herald_host_keeping_of(header_of_all())->crowded = herald_host_clock_seconds(); /* not made again for now */
    for (uint64_t i = 200; i < 220; i++) {
        snprintf(object, sizeof object, "%lu", (unsigned long)i);
        CHECK(HeraldCenterForget(host(), name_of("k"), HeraldObjectForString(object)));
        status = keep_about("small", object, 0, i, 8);
        CHECK(status == HeraldOK);
        small++;
    }
    for (int files = 0; files < 2; files++) {
        audit();
        for (uint64_t i = 0; i < count; i++) {
            snprintf(object, sizeof object, "%lu", (unsigned long)i);
            bool is_small = i >= 200 && i < 200 + small;
            struct taken taken = take_about(is_small ? "small" : "k", object);
            CHECK(taken.any && taken.serial == i);
        }
        CHECK(HeraldHostReset() == HeraldOK);
    }
}

/* ---- The next file ----------------------------------------------------------------------------------------------- */

/* This process stays in its file for two more files, in which others keep. The others have never used the first one. */
static void replace_first_file(void) {
    map_whole_file();
    herald_host_header_supersede(header_of_all());
    CHECK(HeraldCenterForget(host(), name_of("gone"), NULL)); /* makes the second file */
    CHECK(header_of_all()->superseded == HERALD_HOST_LEFT);
    /* As if this process had been stopped after it had renamed the second file, and before it woke the first one's. */
    header_of_all()->superseded = HERALD_HOST_SUPERSEDED;
}
static void remove_first_file(void) { CHECK(unlink(host_file) == 0); }
static void (*leave_first_file)(void);
static void keep_in_two_more_files(void) {
    while (!board->at[BEFORE]) pause_for(100);
    leave_first_file();
    CHECK(keep("k", 0, 2, 40) == HeraldOK && HeraldHostReset() == HeraldOK);
}
static void come_after_two_more_files(void (*leave)(void)) {
    leave_first_file = leave;
    pid_t others = process(keep_in_two_more_files);
    for (int i = 0; i < 3; i++) CHECK(keep((const char *[]){"k", "gone", "mine"}[i], 0, 1, 40) == HeraldOK);
    board->at[BEFORE] = 1;
    join(others);
    pass_a_second();
    CHECK(take("k").any && take("k").serial == 2);
    CHECK(take("mine").any && take("mine").serial == 1);
}
HOST_RULE(25, process_that_comes_late_from_a_replaced_file_brings_nothing_older_that_was_kept) {
    come_after_two_more_files(replace_first_file);
    CHECK(!take("gone").any);
}
HOST_RULE(25, process_that_comes_late_from_a_removed_file_brings_nothing_older_that_was_kept) {
    come_after_two_more_files(remove_first_file);
}

static void reset_step_by_step(void) {
    if (!ask_to_be_traced()) return;
    HeraldHostReset();
    board->is_over = true;
}
/* A process makes the file again, and after each of its calls somebody removes the file. */
SLOW_HOST_RULE(25, file_that_is_removed_while_it_is_made_again_loses_nothing_that_is_kept,
               "a process for each call of a move") {
    int status, calls = 0;
    if (UNDER_THREAD_SANITIZER) return;
    for (bool more = true; more && !check_has_failed(); calls++) {
        CHECK(keep("k", 0, ++my_serial, 40) == HeraldOK);
        ino_t number = file_number();
        pid_t mover = begin_steps(reset_step_by_step, &status);
        more = steps(mover, &status, PTRACE_SYSCALL, calls);
        if (board->is_untraced) {
            end_by(mover, SIGKILL);
            skip("no process may be traced here");
            return;
        }
        if (file_number() == number) unlink(host_file);
        if (WIFSTOPPED(status)) let_go(mover);
        herald_host_session_lock();
        herald_host_move_look(true);
        herald_host_session_unlock();
        CHECK(take("k").any && take("k").serial == my_serial);
    }
    CHECK(calls > 40);
}

/* ---- States ------------------------------------------------------------------------------------------------------ */

static void look_for_the_file(void) {
    herald_host_session_lock();
    herald_host_move_look(true);
    herald_host_session_unlock();
}
static uint64_t state_of(const char *name) {
    HeraldHostToken token;
    uint64_t state = UINT64_MAX;
    CHECK(HeraldHostRegisterCheck(name, &token) == HeraldOK && HeraldHostGetState(token, &state) == HeraldOK);
    CHECK(HeraldHostCancel(token) == HeraldOK);
    return state;
}

enum { MANY_STATES = 1500 }; /* more than the first region has names */
static const char *late_state(int number) {
    static char name[16];
    snprintf(name, sizeof name, "late.%d", number);
    return name;
}
/* As a process does that has looked for the next file before this one was superseded: it will set them again there. */
static void set_many_states_late(struct herald_host_segment *segment) {
    for (int i = 0; i < MANY_STATES; i++) {
        struct herald_host_entry *entry;
        const char *name = late_state(i);
        CHECK(herald_host_entry_obtain(segment, name, (uint32_t)strlen(name), false, &entry) == HeraldOK && entry);
        if (entry) herald_host_entry_set_state(entry, (uint64_t)i + 1);
    }
}
static void fill_disk(void) {
    struct statvfs about;
    char size[32];
    CHECK(statvfs(host_folder, &about) == 0);
    snprintf(size, sizeof size, "%lu", (unsigned long)((about.f_blocks - about.f_bfree) * about.f_frsize));
    CHECK(resize_disk(size));
}
/* A process makes the file again. When the old file is superseded, the new one has no room for the last states. */
SLOW_HOST_RULE(25, states_that_find_no_room_in_the_next_file_are_kept_in_this_one, "a process that is traced") {
    int status;
    if (UNDER_THREAD_SANITIZER || !mount_disk("100m")) return;
    CHECK(HeraldHostPostState("early", 7) == HeraldOK && keep("k", 0, 1, 40) == HeraldOK);
    struct herald_host_segment *segment = herald_host_session.segment;
    stay_on_one_processor();
    pid_t mover = begin_steps(reset_step_by_step, &status);
    while (!segment->header->superseded && steps(mover, &status, PTRACE_SINGLESTEP, 1)) {
    }
    if (board->is_untraced) {
        end_by(mover, SIGKILL);
        skip("no process may be traced here");
        return;
    }
    CHECK(segment->header->superseded == HERALD_HOST_SUPERSEDED && WIFSTOPPED(status));
    set_many_states_late(segment);
    fill_disk();
    let_go(mover);
    CHECK(resize_disk("100m"));
    look_for_the_file();
    CHECK(herald_host_session.segment != segment && take("k").serial == 1 && state_of("early") == 7);
    for (int i = 0; i < MANY_STATES; i += 100) CHECK(state_of(late_state(i)) == (uint64_t)i + 1);
}

/* ---- Another folder ---------------------------------------------------------------------------------------------- */

/* The folder that a user has while he is logged in. */
#define RUN "/dev/shm/run"
static bool enter_world_of_logins(void) {
    char user[64];
    snprintf(user, sizeof user, "/run/user/%u", geteuid());
    strcpy(host_folder, "/dev/shm");
    if (!mount_disk("200m")) return false;
    mount("herald-test", user, "tmpfs", 0, "mode=0777"); /* others can write to it: it is passed over, if it exists */
    unsetenv("HERALD_HOST_DIRECTORY");
    setenv("XDG_RUNTIME_DIR", RUN, 1);
    return true;
}
static void log_in(void) {
    CHECK(mkdir(RUN, 0700) == 0);
    look_for_the_file();
    CHECK(strncmp(HeraldHostGetPath(), RUN, strlen(RUN)) == 0);
}
static void remove_login_folder(void) { CHECK(rename(RUN, RUN ".before") == 0); }
static void log_out(void) {
    remove_login_folder();
    look_for_the_file();
    CHECK(strncmp(HeraldHostGetPath(), "/dev/shm/herald-", 16) == 0);
}

/* It has not been in the other folder, and begins a new line. Then it makes the file again, in the same line. */
static void come_after_the_logout(void) {
    EVENTUALLY(board->at[BEFORE]);
    CHECK(state_of("both") == 1 && HeraldHostPostState("since", 3) == HeraldOK);
    CHECK(HeraldHostReset() == HeraldOK && state_of("both") == 1);
}
HOST_RULE(25, newer_state_of_another_folder_is_kept_after_the_logout) {
    if (!enter_world_of_logins()) return;
    pid_t newcomer = process(come_after_the_logout);
    for (int i = 0; i < 3; i++) CHECK(HeraldHostPostState((const char *[]){"both", "since", "here"}[i], 1) == HeraldOK);
    log_in();
    CHECK(HeraldHostPostState("both", 2) == HeraldOK && HeraldHostPostState("since", 2) == HeraldOK);
    remove_login_folder();
    board->at[BEFORE] = 1;
    join(newcomer);
    look_for_the_file();
    CHECK(state_of("both") == 2 && state_of("since") == 3 && state_of("here") == 1);
    CHECK(HeraldHostReset() == HeraldOK && state_of("both") == 2);
}
HOST_RULE(25, newer_state_of_another_folder_is_kept_by_the_process_that_begins_the_line) {
    if (!enter_world_of_logins()) return;
    CHECK(HeraldHostPostState("both", 1) == HeraldOK && HeraldHostPostState("here", 1) == HeraldOK);
    log_in();
    CHECK(HeraldHostPostState("both", 2) == HeraldOK);
    log_out();
    CHECK(state_of("both") == 2 && state_of("here") == 1);
}

HOST_RULE(25, message_that_was_forgotten_in_another_folder_is_not_kept_again_after_the_logout) {
    if (!enter_world_of_logins()) return;
    CHECK(keep("gone", 0, 1, 40) == HeraldOK && keep_about("gone", "object", 0, 1, 40) == HeraldOK);
    CHECK(keep("k", 0, 1, 40) == HeraldOK);
    log_in();
    CHECK(HeraldCenterForget(host(), name_of("gone"), NULL) && HeraldHostReset() == HeraldOK);
    CHECK(HeraldCenterForget(host(), name_of("gone"), HeraldObjectForString("object")));
    log_out();
    CHECK(!take("gone").any && !take_about("gone", "object").any && take("k").serial == 1);
    audit();
}
/* A name's hash may be any number. */
HOST_RULE(25, name_of_hash_0_that_was_forgotten_in_another_folder_has_its_hash_in_the_next_file) {
    static const char *const names[] = {"z.4bdr3yb", "other"};
    if (!enter_world_of_logins()) return;
    CHECK(keep("k", 0, 1, 40) == HeraldOK);
    log_in();
    for (int i = 0; i < 2; i++)
        CHECK(keep(names[i], 0, 1, 40) == HeraldOK && HeraldCenterForget(host(), name_of(names[i]), NULL));
    log_out();
    for (int i = 0; i < 2; i++) {
        struct herald_host_header *header = herald_host_session.segment->header;
        uint32_t cell = herald_host_current_cell(header, names[i], NULL);
        uint32_t hash = herald_host_entry_hash(names[i], (uint32_t)strlen(names[i]));
        CHECK((hash == 0) == (i == 0) && cell != HERALD_HOST_CELLS);
        CHECK(herald_host_cell_at(header, cell)->name == hash);
    }
}

static void make_the_first_of_two_files(void) {
    EVENTUALLY(board->at[BEFORE] == 1);
    CHECK(HeraldHostPost("a") == HeraldOK);
}
static void find_two_files(void) {
    EVENTUALLY(board->at[BEFORE] == 2);
    CHECK(HeraldHostPost("a") == HeraldOK);
}
HOST_RULE(25, what_the_second_of_two_files_keeps_goes_along_to_the_first) {
    char path[HERALD_HOST_PATH_LIMIT], second[HERALD_HOST_PATH_LIMIT + 2];
    if (!enter_world_of_logins()) return;
    pid_t maker = process(make_the_first_of_two_files), finder = process(find_two_files);
    CHECK(keep("k", 0, 1, 40) == HeraldOK && HeraldHostPostState("state", 1) == HeraldOK);
    snprintf(path, sizeof path, "%s", HeraldHostGetPath());
    snprintf(second, sizeof second, "%s.1", path);
    CHECK(rename(path, "/dev/shm/aside") == 0);
    board->at[BEFORE] = 1;
    join(maker);
    CHECK(rename("/dev/shm/aside", second) == 0);
    board->at[BEFORE] = 2;
    join(finder);
    CHECK(access(second, F_OK) != 0 && access(path, F_OK) == 0);
    CHECK(take("k").any && take("k").serial == 1 && state_of("state") == 1);
}

/* ---- Later ------------------------------------------------------------------------------------------------------- */

static void make_a_file_without_room(void) {
    EVENTUALLY(board->at[BEFORE]);
    CHECK(unlink(host_file) == 0 && keep("b", 0, 1, 40) == HeraldOK && keep("b", 0, 2, 40) == HeraldOK);
    map_whole_file();
    struct herald_host_keeping *keeping = herald_host_keeping_of(header_of_all());
    board->at[DONE] = keeping->cells;
    keeping->cells = HERALD_HOST_CELLS;
}
HOST_RULE(25, what_finds_no_room_in_the_next_file_is_kept_there_when_there_is_room) {
    pid_t other = process(make_a_file_without_room);
    CHECK(keep("k", 0, 1, 40) == HeraldOK && HeraldHostPostState("state", 1) == HeraldOK);
    map_whole_file();
    struct herald_host_header *first = header_of_all();
    file_of_all = NULL; /* it stays mapped */
    board->at[BEFORE] = 1;
    join(other);
    look_for_the_file();
    CHECK(!take("k").any && take("b").serial == 2 && state_of("state") == 1);
    CHECK(herald_host_session.incomplete && strstr(herald_host_session.problem, "no room"));
    CHECK(first->superseded == HERALD_HOST_SUPERSEDED);
    map_whole_file();
    herald_host_keeping_of(header_of_all())->cells = (uint32_t)board->at[DONE];
    /* A process that could not carry all rests, longer after each look that found no room. */
    EVENTUALLY((look_for_the_file(), !herald_host_session.incomplete));
    CHECK(take("k").any && take("k").serial == 1 && take("b").serial == 2);
    CHECK(first->superseded == HERALD_HOST_LEFT);
    munmap(first, HERALD_HOST_FILE_SIZE);
    audit();
}

static void reset_second_file(void) { CHECK(HeraldHostReset() == HeraldOK); }
static void remove_second_file(void) {
    CHECK(unlink(host_file) == 0);
    look_for_the_file(); /* makes the third one */
}
static void (*leave_second_file)(void);
static void forget_in_the_second_file(void) {
    EVENTUALLY(board->at[BEFORE]);
    CHECK(unlink(host_file) == 0 && keep("k", 0, 2, 40) == HeraldOK && keep_about("k", "object", 0, 2, 40) == HeraldOK);
    CHECK(HeraldCenterForget(host(), name_of("k"), NULL));
    CHECK(HeraldCenterForget(host(), name_of("k"), HeraldObjectForString("object")));
    leave_second_file();
}
static void come_after_something_was_forgotten(void (*leave)(void)) {
    leave_second_file = leave;
    pid_t other = process(forget_in_the_second_file);
    CHECK(keep("k", 0, 1, 40) == HeraldOK && keep_about("k", "object", 0, 1, 40) == HeraldOK);
    CHECK(keep("mine", 0, 1, 40) == HeraldOK);
    board->at[BEFORE] = 1;
    join(other);
    look_for_the_file();
    CHECK(!take("k").any && !take_about("k", "object").any && take("mine").serial == 1);
    CHECK(keep("k", 0, 3, 40) == HeraldOK && take("k").serial == 3);
    audit();
}
HOST_RULE(25, process_that_comes_late_to_a_file_that_was_made_again_brings_nothing_that_was_forgotten) {
    come_after_something_was_forgotten(reset_second_file);
}
HOST_RULE(25, process_that_comes_late_after_two_removed_files_brings_nothing_that_was_forgotten) {
    come_after_something_was_forgotten(remove_second_file);
}

static void take_while_the_file_is_made_again(void) {
    struct taken taken = {.any = false};
    HeraldCenterRef center = host();
    HeraldNameRef name = name_of("k");
    CHECK(take("k").any);
    if (!ask_to_be_traced()) return;
    HeraldCenterTakeKept(center, name, NULL, take_body, &taken);
    board->is_over = true;
    CHECK(taken.any && taken.serial == 1);
}
/* The address of the segment that a traced process uses, and whether it has mapped the file. */
static long segment_of(pid_t traced) { return ptrace(PTRACE_PEEKDATA, traced, &herald_host_session.segment, NULL); }
static bool has_mapped(pid_t traced, ino_t number) {
    char path[40], line[400];
    bool has = false;
    snprintf(path, sizeof path, "/proc/%d/maps", traced);
    FILE *maps = fopen(path, "r");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long mapped = 0;
        if (sscanf(line, "%*s %*s %*s %*s %lu", &mapped) == 1) has |= mapped == number;
    }
    if (maps) fclose(maps);
    return has;
}
/* Others make the file again at the instruction by which a process that takes goes to the new one. */
SLOW_HOST_RULE(25, message_is_taken_that_is_kept_however_often_the_file_is_made_again, "a process that is traced") {
    int status, files = 0;
    if (UNDER_THREAD_SANITIZER) return;
    CHECK(keep("k", 0, 1, 40) == HeraldOK);
    stay_on_one_processor();
    pid_t taker = begin_steps(take_while_the_file_is_made_again, &status);
    if (board->is_untraced) {
        end_by(taker, SIGKILL);
        skip("no process may be traced here");
        return;
    }
    for (bool more = true; more; files++) {
        CHECK(HeraldHostReset() == HeraldOK);
        long before = segment_of(taker);
        while (more && !has_mapped(taker, file_number())) more = steps(taker, &status, PTRACE_SYSCALL, 1);
        while (more && segment_of(taker) == before) more = steps(taker, &status, PTRACE_SINGLESTEP, 1);
    }
    if (WIFSTOPPED(status)) let_go(taker);
    CHECK(files > 50);
}

HOST_RULE(25, what_was_kept_before_the_line_began_is_known_as_older_however_long_ago) {
    CHECK(keep("k", 0, 1, 40) == HeraldOK);
    map_whole_file();
    struct herald_host_header *header = header_of_all();
    const struct herald_host_cell *cell = herald_host_cell_at(header, herald_host_current_cell(header, "k", NULL));
    uint64_t sequence = herald_host_value_at(header, herald_host_cell_value(cell->word))->sequence;
    CHECK(herald_host_cell_is_of_line(header, cell->word) && !herald_host_cell_is_of_line(header, 0));
    for (int bit = 0; bit < 50; bit++) {
        header->origin = sequence + (UINT64_C(1) << bit);
        CHECK(!herald_host_cell_is_of_line(header, cell->word));
    }
    CHECK(HeraldCenterForget(host(), name_of("k"), NULL));
    CHECK(herald_host_cell_is_of_line(header, cell->word)); /* what was forgotten is not kept again */
}

/* A cell has the lower 40 bits of a record's number. A cell in which nothing was put is 0. */
HOST_RULE(25, message_is_kept_though_the_lower_bits_of_its_number_are_0) {
    for (uint64_t before = 0; before < 4; before++) {
        CHECK(HeraldHostReset() == HeraldOK);
        map_whole_file();
        CHECK(header_of_all()->log == HERALD_HOST_LOG_UNUSED);
        header_of_all()->first = ((before + 1) << 41) - before;
        char name[] = {'k', (char)('0' + before), 0};
        for (uint64_t serial = 1; serial <= 3; serial++) {
            CHECK(keep(name, 0, serial, 40) == HeraldOK && take(name).serial == serial);
            CHECK(HeraldCenterForget(host(), name_of(name), NULL) && !take(name).any);
            CHECK(herald_host_cell_at(header_of_all(), herald_host_current_cell(header_of_all(), name, NULL))->word);
        }
        CHECK(header_of_all()->tail == ((before + 1) << 41) - before + 6);
    }
}

static void keep_in_the_next_file(void) {
    while (!board->at[BEFORE]) pause_for(100);
    CHECK(HeraldHostReset() == HeraldOK && keep("k", 0, 2, 40) == HeraldOK);
    board->at[DONE] = 1;
}
static void *take_k(void *taken) {
    *(struct taken *)taken = take("k");
    board->at[STOP] = 1;
    return NULL;
}
/* Another process has kept in the next file, and a thread has the lock that is needed to go there. */
HOST_RULE(25, message_kept_in_the_next_file_is_taken_whoever_has_the_lock) {
    pthread_t taker;
    struct taken taken = {.any = false};
    CHECK(keep("k", 0, 1, 40) == HeraldOK && take("k").serial == 1);
    pid_t other = process(keep_in_the_next_file);
    herald_host_session_lock();
    board->at[BEFORE] = 1;
    EVENTUALLY(board->at[DONE] == 1);
    CHECK(pthread_create(&taker, NULL, take_k, &taken) == 0);
    for (int i = 0; i < 100 && !board->at[STOP]; i++) pause_for(1000);
    herald_host_session_unlock();
    pthread_join(taker, NULL);
    join(other);
    CHECK(taken.any && taken.serial == 2);
}
