/* The reader of the log, for host_log.c: rounds (inbox.c), and taking a record (log.c). */
#ifndef HOST_LOG_READER_H
#define HOST_LOG_READER_H

static void begin_round(struct state *state) {
    struct reader *reader = &state->reader;
    say("begins a round");
    if (reader->round == FREE_ROUNDS) see_all(&state->memory, READER);
    reader->overtaken = reader->lost != reader->compared;
    reader->noted = reader->lost;
    reader->step = reader->overtaken && !wrong(COUNTS_LATE) ? READ_COUNT : READ_WORD;
}

static void pass(struct state *state, int name, int published) {
    struct reader *reader = &state->reader;
    int gap = published - reader->name_sequences[name];
    if (gap <= 0) return;
    say("; has missed %d of %c", gap, name + 'A');
    reader->missed[name] += (uint8_t)gap;
    reader->name_sequences[name] = (uint8_t)published;
    claim(reader->missed[name] <= count_log(state, name, reader->next - SLOTS, true), "LOSS");
}

static void end_round(struct state *state) {
    struct reader *reader = &state->reader;
    reader->step = READ_COUNT;
    if (reader->overtaken && reader->name < NAMES) return; /* COUNTS_LATE */
    for (int name = 0; name < NAMES && reader->overtaken; name++) pass(state, name, reader->counts[name]);
    if (reader->overtaken) reader->compared = wrong(COMPARED) ? reader->lost : reader->noted;
    memset(reader->counts, 0, sizeof reader->counts);
    reader->overtaken = reader->noted = reader->name = 0;
    reader->step = reader->round == FREE_ROUNDS && reader->lost == reader->compared ? REST : BEGIN;
    if (reader->round < FREE_ROUNDS) reader->round++;
}

static void go_to(struct state *state, int next) {
    struct reader *reader = &state->reader;
    reader->next = (uint8_t)next;
    reader->word = reader->intent = reader->entry = reader->name_sequence = reader->bytes = 0;
    state->memory.copied[READER] = 0;
    reader->step = scenarios[scenario].reads == READ_ONE ? REST : READ_WORD;
}

static void lose(struct state *state, int until) {
    say("; has lost %d", until - state->reader.next);
    if (!wrong(LOSE_FENCE)) fence_acquire(&state->memory, READER);
    state->reader.lost += (uint8_t)(until - state->reader.next);
    go_to(state, until);
}

static void lose_record(struct state *state) {
    judge_gone(state);
    lose(state, state->reader.next + 1);
}

static void hear(struct state *state) {
    struct reader *reader = &state->reader;
    int name = reader->entry, name_sequence = reader->name_sequence;
    say("; hears record %d", reader->next);
    judge_heard(state);
    state->heard |= (uint8_t)bit(reader->next - SLOTS);
    go_to(state, reader->next + 1);
    pass(state, name, name_sequence);
    reader->name_sequences[name] = (uint8_t)(name_sequence + 1);
}

static int place_for_reader(const struct reader *reader) {
    int ring = arena_in(reader->word), line = line_in(reader->word);
    switch (reader->step) {
    case READ_COUNT: return LOGGED + reader->name;
    case READ_END: return TAIL;
    case TAKE_INTENT:
    case TAKE_INTENT_AGAIN: return INTENT + ring;
    case TAKE_SEQUENCE: return part_of(ring, line, SEQUENCE);
    case TAKE_POSITION: return part_of(ring, line, POSITION);
    case TAKE_ENTRY: return part_of(ring, line, ENTRY);
    case TAKE_ORDINAL: return part_of(ring, line, ORDINAL);
    case TAKE_BYTES: return part_of(ring, line, BYTES);
    default: return slot(reader->next);
    }
}

static void find_record(struct state *state, uint8_t word) {
    struct reader *reader = &state->reader;
    int laps = ahead(word, reader->next);
    if (laps < 0)
        reader->step = READ_END;
    else if (laps > 0 && wrong(LAPPED))
        go_to(state, reader->next + laps * SLOTS);
    else if (laps > 0)
        lose(state, reader->next + (laps - 1) * SLOTS + 1);
    else if (arena_in(word) == ENDS)
        end_round(state);
    else
        reader->word = word, reader->step = TAKE_INTENT;
}

static void read_on(struct state *state, uint8_t value) {
    struct reader *reader = &state->reader;
    int position = position_of(reader->word, reader->intent);
    bool over = reader->intent - position > ROOM && !wrong(INTENT_NEVER);
    bool stays = true; /* the record is still there, as far as the reader can tell */
    switch (reader->step) {
    case READ_COUNT:
        reader->counts[reader->name++] = value;
        if (reader->name < NAMES) break;
        reader->step = READ_WORD;
        if (wrong(COUNTS_LATE)) end_round(state);
        break;
    case READ_WORD: find_record(state, value); break;
    case READ_END:
        claim(value >= reader->next - 1, "ORDER");
        reader->step = READ_WORD; /* if the tail shows that there is a record now */
        if (value <= reader->next) end_round(state);
        break;
    case TAKE_INTENT:
        reader->intent = value;
        reader->step = TAKE_WORD;
        break;
    case TAKE_WORD:
        stays = (value == reader->word || wrong(WORD_AGAIN)) && !over;
        reader->step = TAKE_SEQUENCE;
        break;
    case TAKE_SEQUENCE:
        stays = value == reader->next;
        reader->step = TAKE_POSITION;
        break;
    case TAKE_POSITION:
        stays = value == position;
        reader->step = TAKE_ENTRY;
        break;
    case TAKE_ENTRY:
        reader->entry = value;
        reader->step = TAKE_ORDINAL;
        break;
    case TAKE_ORDINAL:
        reader->name_sequence = value;
        reader->step = TAKE_BYTES;
        break;
    case TAKE_BYTES:
        reader->bytes = value;
        reader->step = TAKE_INTENT_AGAIN;
        if (!wrong(TAKE_FENCE)) fence_acquire(&state->memory, READER);
        state->memory.copied[READER] = 0;
        break;
    case TAKE_INTENT_AGAIN:
        stays = value - position <= ROOM || wrong(RECHECK);
        if (stays) hear(state);
        break;
    }
    if (!stays) lose_record(state);
}

static bool read_log(struct state *state, int choice) {
    struct reader *reader = &state->reader;
    int place = place_for_reader(reader);
    enum order order = reader->step >= TAKE_SEQUENCE && reader->step <= TAKE_BYTES ? RELAXED : ORDERED;
    uint8_t value;
    for (int i = 0; i < WRITERS; i++)
        if (state->writers[i].step != REST) return false;
    if (reader->step == REST || (reader->step == BEGIN && choice)) return false;
    say("    reader: ");
    if (reader->step == BEGIN) {
        begin_round(state);
        return true;
    }
    if (!load(&state->memory, READER, place, order, choice, &value)) return false;
    say("reads ");
    say_place(place, value);
    read_on(state, value);
    return true;
}

#endif
