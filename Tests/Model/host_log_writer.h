/* The writers of the log, for host_log.c: reserving and writing a record, publishing it, and helping. */
#ifndef HOST_LOG_WRITER_H
#define HOST_LOG_WRITER_H

static int letter_of(const struct state *state, int number) {
    return scenarios[scenario].programs[number][state->writers[number].letter];
}

static void try_to_publish(struct state *state, int number) {
    struct writer *writer = &state->writers[number];
    writer->sequence = writer->word = writer->name_sequence = writer->entry = writer->helps = 0;
    writer->step = wrong(ORDINAL_FIRST) && letter_of(state, number) != '.' ? READ_LOGGED : READ_TAIL;
}

static void begin_letter(struct state *state, int number) {
    struct writer *writer = &state->writers[number];
    int letter = letter_of(state, number);
    try_to_publish(state, number);
    if (letter && letter != '.') writer->step = wrong(INTENT_LATE) ? WRITE_POSITION : RESERVE;
    if (letter) return;
    memset(writer, 0, sizeof *writer);
    state->memory.views[number] = state->memory.fenced[number] = 0; /* the views are not needed any more */
}

static void end_letter(struct state *state, int number, bool log_ends) {
    struct writer *writer = &state->writers[number];
    writer->heir = false;
    writer->position++;
    do writer->letter++;
    while (log_ends && letter_of(state, number));
    begin_letter(state, number);
}

static void try_again(struct state *state, int number) {
    const struct writer *writer = &state->writers[number];
    bool moved = newest(&state->memory, TAIL) > writer->sequence;
    claim(moved || (!writer->helps && newest(&state->memory, slot(writer->sequence)) != writer->word), "PROGRESS");
    try_to_publish(state, number);
}

static void help(struct writer *writer, bool another) {
    bool counts = arena_in(writer->word) != ENDS && !wrong(LOGGED_NEVER) && !(wrong(BY_WRITER) && another);
    writer->helps = another;
    writer->step = counts ? HELP_ENTRY : SWAP_TAIL;
}

static void end_help(struct state *state, int number) {
    struct writer *writer = &state->writers[number];
    if (writer->helps) {
        try_again(state, number);
    } else if (wrong(COMPLETE)) {
        try_to_publish(state, number);
        writer->step = WRITE_POSITION;
    } else {
        end_letter(state, number, false);
    }
}

/* The plain stores. Those of a record's parts are relaxed. */
static void write_on(struct state *state, int number) {
    struct writer *writer = &state->writers[number];
    int step = writer->step, position = writer->position;
    static const enum part parts[] = {[WRITE_POSITION] = POSITION,
                                      [WRITE_ENTRY] = ENTRY,
                                      [WRITE_BYTES] = BYTES,
                                      [WRITE_SEQUENCE] = SEQUENCE,
                                      [WRITE_ORDINAL] = ORDINAL};
    int place = step == RESERVE ? INTENT + number : part_of(number, position, parts[step]);
    int value = step == RESERVE          ? position + 1
                : step == WRITE_ENTRY    ? letter_of(state, number) - 'A'
                : step == WRITE_BYTES    ? position + 1
                : step == WRITE_ORDINAL  ? writer->name_sequence
                : step == WRITE_SEQUENCE ? writer->sequence
                                         : position;
    bool nothing = step == RESERVE && wrong(INTENT_NEVER);
    say("writes ");
    say_place(place, value);
    if (!nothing) store(&state->memory, number, place, value, step == RESERVE ? ORDERED : RELAXED);
    if (step == RESERVE && !wrong(INTENT_FENCE)) fence_release(&state->memory, number);
    if (step == WRITE_ORDINAL || step == WRITE_SEQUENCE)
        writer->step = step == WRITE_ORDINAL ? WRITE_SEQUENCE : SWAP_SLOT;
    else if (step == WRITE_BYTES && wrong(COMPLETE))
        end_letter(state, number, false);
    else if (step == (wrong(INTENT_LATE) || wrong(COMPLETE) ? RESERVE : WRITE_BYTES))
        try_to_publish(state, number);
    else
        writer->step = step == WRITE_BYTES ? RESERVE : (uint8_t)(step + 1);
}

static void find_word(struct state *state, int number) {
    struct writer *writer = &state->writers[number];
    int laps = ahead(writer->word, writer->sequence);
    bool ends = letter_of(state, number) == '.';
    if (laps > 0)
        writer->step = READ_TAIL_AGAIN;
    else if (laps < 0)
        writer->step = ends ? SWAP_SLOT : wrong(ORDINAL_FIRST) ? WRITE_ORDINAL : READ_LOGGED;
    else if (arena_in(writer->word) == ENDS && !wrong(END_PASSED))
        end_letter(state, number, true);
    else
        help(writer, true);
}

static void swap_slot(struct state *state, int number) {
    struct writer *writer = &state->writers[number];
    int letter = letter_of(state, number), sequence = writer->sequence;
    bool ends = letter == '.';
    int mine = word_of(sequence, ends ? ENDS : number, ends ? 0 : writer->position);
    say(ends ? "; ends the log at %d" : "; publishes it as %d", sequence);
    store(&state->memory, number, slot(sequence), mine, ORDERED);
    if (ends) {
        state->ended = true;
        end_letter(state, number, true);
        return;
    }
    judge_published(state, number, letter - 'A');
    writer->word = (uint8_t)mine;
    writer->name_sequence = 0;
    help(writer, false);
}

static int place_for_writer(const struct writer *writer, int letter) {
    int ring = arena_in(writer->word), line = line_in(writer->word);
    switch (writer->step) {
    case READ_SLOT:
    case SWAP_SLOT: return slot(writer->sequence);
    case READ_LOGGED: return LOGGED + letter - 'A';
    case SWAP_LOGGED: return LOGGED + writer->entry;
    case HELP_ENTRY: return part_of(ring, line, ENTRY);
    case HELP_SEQUENCE: return part_of(ring, line, SEQUENCE);
    case HELP_ORDINAL: return part_of(ring, line, ORDINAL);
    case SWAP_TAIL: return wrong(HELP) ? NOWHERE : TAIL;
    default: return TAIL;
    }
}

/* The value with which the step succeeds. */
static int expected(const struct writer *writer) {
    int step = writer->step;
    return step == SWAP_SLOT ? writer->word : step == SWAP_LOGGED ? writer->name_sequence : writer->sequence;
}

/* Continues with the value that was read. */
static void publish(struct state *state, int number, uint8_t value) {
    struct writer *writer = &state->writers[number];
    bool as_expected = value == expected(writer);
    switch (writer->step) {
    case READ_TAIL:
        writer->sequence = value;
        writer->step = READ_SLOT;
        break;
    case READ_SLOT:
        writer->word = value;
        find_word(state, number);
        break;
    case READ_TAIL_AGAIN: /* otherwise the code would take the index for damaged */
        claim(!as_expected, "PROGRESS");
        try_to_publish(state, number);
        break;
    case READ_LOGGED:
        writer->name_sequence = value;
        writer->step = wrong(ORDINAL_FIRST) ? READ_TAIL : WRITE_ORDINAL;
        break;
    case SWAP_SLOT:
        if (as_expected)
            swap_slot(state, number);
        else
            try_again(state, number);
        break;
    case HELP_ENTRY:
        writer->entry = value;
        writer->step = HELP_SEQUENCE;
        break;
    case HELP_SEQUENCE: writer->step = as_expected ? HELP_ORDINAL : SWAP_TAIL; break;
    case HELP_ORDINAL:
        writer->name_sequence = value;
        writer->step = wrong(LOGGED_LATE) ? SWAP_TAIL : wrong(ANY_TAIL) ? SWAP_LOGGED : HELP_TAIL;
        break;
    case HELP_TAIL: writer->step = as_expected ? SWAP_LOGGED : SWAP_TAIL; break;
    case SWAP_LOGGED:
        say(as_expected ? "; counts record %d" : "; %d is counted", writer->sequence);
        if (as_expected) store(&state->memory, number, LOGGED + writer->entry, value + 1, ORDERED);
        writer->step = SWAP_TAIL;
        if (wrong(LOGGED_LATE)) end_help(state, number);
        break;
    case SWAP_TAIL:
        say(as_expected && !wrong(HELP) ? "; moves it" : "; leaves it");
        if (as_expected && !wrong(HELP)) store(&state->memory, number, TAIL, value + 1, ORDERED);
        if (as_expected && !wrong(HELP) && !wrong(LOGGED_LATE)) judge_tail(state);
        writer->step = SWAP_LOGGED;
        if (!wrong(LOGGED_LATE) || arena_in(writer->word) == ENDS) end_help(state, number);
        break;
    }
}

static bool is_plain(int step) { return step >= RESERVE && step <= WRITE_ORDINAL; }
static bool is_swap(int step) { return step >= SWAP_SLOT && step <= SWAP_TAIL; }

static bool write(struct state *state, int number, int choice) {
    struct writer *writer = &state->writers[number];
    int step = writer->step, place = place_for_writer(writer, letter_of(state, number));
    uint8_t value = 0;
    if (step == REST || (choice && (is_plain(step) || place == NOWHERE))) return false;
    say("    writer %d: ", number + 1);
    if (is_plain(step)) {
        write_on(state, number);
    } else {
        bool reads = place != NOWHERE;
        if (reads && !load(&state->memory, number, place, ORDERED, choice, &value)) return false;
        /* A swap that would succeed is of the newest value. */
        bool newest = !reads || sees_newest(&state->memory, number, place);
        if (is_swap(step) && value == expected(writer) && !newest) return false;
        say("reads ");
        if (reads) say_place(place, value);
        publish(state, number, value);
    }
    bool goes_on = is_plain(step) ? writer->step <= WRITE_SEQUENCE && writer->step != REST : !is_swap(step);
    state->turn = (uint8_t)(goes_on && writer->step != REST ? number + 1 : 0);
    return true;
}

/* The ring's lock orders the next owner's accesses after all accesses of this one. */
static bool kill_writer(struct state *state, int number) {
    struct writer *writer = &state->writers[number];
    int step = writer->step;
    if (state->killed == scenarios[scenario].kills || writer->heir || step == RESERVE) return false;
    if (!is_plain(step) && !is_swap(step)) return false;
    say("    writer %d is killed", number + 1);
    state->killed++;
    state->turn = 0;
    end_letter(state, number, false);
    if (writer->step == REST) return true;
    writer->heir = true;
    writer->position = (uint8_t)newest(&state->memory, INTENT + number);
    state->memory.fenced[number] = 0;
    return true;
}

#endif
