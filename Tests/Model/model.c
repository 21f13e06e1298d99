/* A model checker for the protocol of posts, removals and the reclaimer, which has no locks on the posting side.
 *
 * Modelled. One or two posters and one writer. A poster finds a snapshot by name (in a section, with a pin) or by topic
 * (pin, then a second look). It walks over the entries with a hazard pointer to the slot, the state check and the look
 * back, and runs the releases that were left to it. The writer adds, removes (with a release hook, with AndWait, with
 * neither), replaces the snapshot, unlinks the bucket and reclaims. The heavy fence interrupts one poster after the
 * other; `light` orders nothing, except in the fencing scenarios. memory.h has the two memory models, protocol.h the
 * steps, search.h the search. In the scenarios of the walk, posts look at the snapshot's ends in place of the states,
 * as posts to several observers do, and slots that end become tombstones.
 *
 * HEAVY stands for herald_handshake(), which gives the core's writers the guarantees of a heavy fence. handshake.c
 * shows that it does. This model takes it for granted and has no tickets, no answers and no LAST.
 *
 * Abstracted away. One bucket, two slots, three snapshots, one frame per poster, one or two posts each. A callback is
 * two points in time, at which its observer must be alive. The writer is alone, so the center's lock is left out; the
 * domain's is there. No merging of buckets, suspension, transports, overflow frames, unwinding or fork.
 *
 * Results. Every scenario is safe. With any one step or order annotation left out, some scenario is not, and the worst
 * result is printed. A model that could not fail would prove nothing. */
#include "protocol.h"
#include "search.h"

static const char *const verdict_names[SAFE + 1] = {
    [CALL_AFTER_WAIT] = "a call after AndWait returned",
    [CALL_AFTER_HOOK] = "a call after the release hook",
    [FREED_BUCKET] = "a freed bucket is read",
    [FREED_SNAPSHOT] = "a freed snapshot is read",
    [FREED_SLOT] = "a freed slot is read",
    [FREED_TWICE] = "memory is freed twice",
    [UNWRITTEN] = "unwritten memory is read",
    [HOOK_TWICE] = "the hook runs twice",
    [WAIT_TOO_SHORT] = "AndWait returns before the hook",
    [HOOK_NEVER] = "the hook never runs",
    [MISSED] = "a committed observer is missed",
    [MISCOUNTED] = "a tombstone counts as a call",
    [DEADLOCK] = "deadlock",
    [CALL_UNORDERED] = "a call races with its end",
    [READ_UNORDERED] = "a read races with the freeing",
    [TOO_MANY_STATES] = "too many states",
    [SAFE] = "safe",
};

/* ---- Scenarios -------------------------------------------------------------------------------------------------- */

enum {
    HOOK_TOPIC,
    HOOK_NAME,
    WAIT_TOPIC,
    HOOK_WAIT,
    TWO_SLOTS,
    ADD_NAME,
    ADD_TOPIC,
    REPLACE_NAME,
    REPLACE_TOPIC,
    ADDRESS,
    OLDER,
    UNLINK_NAME,
    TWICE,
    BOTH_REMOVE,
    BOTH_WAIT,
    BOTH_REPLACE,
    BOTH_UNLINK,
    FENCED_HOOK,
    FENCED_UNLINK,
    WALK_HOOK,
    WALK_WAIT,
    WALK_TWO,
    WALK_REPLACED,
    WALK_BOTH,
    SCENARIOS
};

static const struct scenario scenarios[SCENARIOS] = {
    [HOOK_TOPIC] = {"remove with hook, by topic", {{BY_TOPIC}}, {{REMOVE, 1}}, 1, 1, false},
    [HOOK_NAME] = {"remove with hook, by name", {{BY_NAME}}, {{REMOVE, 1}}, 1, 1, false},
    [WAIT_TOPIC] = {"remove and wait, no hook", {{BY_TOPIC}}, {{REMOVE_AND_WAIT, 1}}, 1, 0, false},
    [HOOK_WAIT] = {"remove with hook and wait", {{BY_NAME}}, {{REMOVE_AND_WAIT, 1}}, 1, 1, false},
    [TWO_SLOTS] = {"remove two of two", {{BY_TOPIC}}, {{REMOVE, 1}, {REMOVE_AND_WAIT, 2}}, 2, 2, false},
    [ADD_NAME] = {"add, by name", {{BY_NAME}}, {{ADD, 2}}, 1, 0, false},
    [ADD_TOPIC] = {"add, by topic", {{BY_TOPIC}}, {{ADD, 2}}, 1, 0, false},
    [REPLACE_NAME] = {"replace, by name", {{BY_NAME}}, {{REMOVE, 1}, {REPLACE, 0}, {RECLAIM, 0}}, 2, 0, false},
    [REPLACE_TOPIC] = {"replace, by topic", {{BY_TOPIC}}, {{REMOVE, 1}, {REPLACE, 0}, {RECLAIM, 0}}, 2, 1, false},
    [ADDRESS] = {"an address is used again",
                 {{BY_TOPIC}},
                 {{REMOVE, 1}, {REPLACE, 0}, {RECLAIM, 0}, {REPLACE, 0}, {RECLAIM, 0}},
                 2,
                 0,
                 false},
    [OLDER] = {"an older snapshot is pinned",
               {{BY_TOPIC}},
               {{REPLACE, 0}, {REMOVE, 1}, {REPLACE, 0}, {RECLAIM, 0}},
               2,
               0,
               false},
    [UNLINK_NAME] = {"unlink, by name", {{BY_NAME}}, {{REMOVE, 1}, {UNLINK, 0}, {RECLAIM, 0}}, 1, 0, false},
    [TWICE] = {"unlink, two posts by name",
               {{BY_NAME, BY_NAME}},
               {{REMOVE, 1}, {UNLINK, 0}, {RECLAIM, 0}, {RECLAIM, 0}},
               1,
               0,
               false},
    [BOTH_REMOVE] = {"two posters, remove", {{BY_TOPIC}, {BY_TOPIC}}, {{REMOVE, 1}}, 1, 1, false},
    [BOTH_WAIT] = {"two posters, remove and wait", {{BY_NAME}, {BY_TOPIC}}, {{REMOVE_AND_WAIT, 1}}, 1, 0, false},
    [BOTH_REPLACE] = {"two posters, replace", {{BY_NAME}, {BY_TOPIC}}, {{REPLACE, 0}, {RECLAIM, 0}}, 1, 0, false},
    [BOTH_UNLINK] =
        {"two posters, unlink", {{BY_NAME}, {BY_NAME}}, {{REMOVE, 1}, {UNLINK, 0}, {RECLAIM, 0}}, 1, 0, false},
    [FENCED_HOOK] = {"fencing: remove with hook", {{BY_NAME}}, {{REMOVE, 1}}, 1, 1, true},
    [FENCED_UNLINK] = {"fencing: unlink", {{BY_NAME}}, {{REMOVE, 1}, {UNLINK, 0}, {RECLAIM, 0}}, 1, 0, true},
    [WALK_HOOK] = {"walk: remove with hook", {{BY_TOPIC}}, {{REMOVE, 1}}, 2, 1, false, true},
    [WALK_WAIT] = {"walk: remove and wait", {{BY_NAME}}, {{REMOVE_AND_WAIT, 1}}, 2, 1, false, true},
    [WALK_TWO] = {"walk: remove two of two", {{BY_TOPIC}}, {{REMOVE, 2}, {REMOVE_AND_WAIT, 1}}, 2, 2, false, true},
    [WALK_REPLACED] =
        {"walk: replace and remove", {{BY_TOPIC}}, {{REPLACE, 0}, {REMOVE, 1}, {RECLAIM, 0}}, 2, 1, false, true},
    [WALK_BOTH] = {"walk: two posters, remove", {{BY_TOPIC}, {BY_TOPIC}}, {{REMOVE, 1}}, 1, 1, false, true},
};

/* ---- Mutations: the step that is left out, and the scenario that shows why it is needed -------------------------- */

static const struct omission {
    enum mutation mutation;
    const char *name;
    int scenario;
    bool needs_views; /* x86 keeps this order without the annotation: under TSO nothing may go wrong */
} omissions[] = {
    {DROP_HEAVY_REMOVE, "heavy of remove", HOOK_TOPIC, false},
    {DROP_HEAVY_RECLAIM, "heavy of reclaim", REPLACE_TOPIC, false},
    {DROP_PIN, "pin by name", REPLACE_NAME, false},
    {DROP_TOPIC_PIN, "topic pin", REPLACE_TOPIC, false},
    {DROP_TOPIC_RECHECK, "topic recheck", REPLACE_TOPIC, false},
    {DROP_SECTION, "section mark", UNLINK_NAME, false},
    {DROP_SECTION_CHECK, "section check", UNLINK_NAME, false},
    {DROP_PIN_CHECK, "pin check", REPLACE_TOPIC, false},
    {DROP_HAZARD, "HAZARD", HOOK_TOPIC, false},
    {DROP_STATE_CHECK, "state check", HOOK_TOPIC, false},
    {DROP_LOOK_BACK, "look back", HOOK_TOPIC, false},
    {DROP_FRAME_CHECK, "frame check", HOOK_TOPIC, false},
    {DROP_LAST_USER_CHECK, "last-user check", BOTH_REMOVE, false},
    {DROP_ARMED, "armed", BOTH_REMOVE, false},
    {DROP_WAIT, "wait", WAIT_TOPIC, false},
    {DROP_LINEAGE, "lineage", OLDER, false},
    {DROP_LIGHT, "light after the hazard pointer", FENCED_HOOK, false},
    {DROP_SECTION_LIGHT, "light after section mark", FENCED_UNLINK, false},
    {DROP_HAZARD_RELEASE, "hazard := next: release", HOOK_TOPIC, true},
    {DROP_RECHECK_ACQUIRE, "topic recheck: acquire", ADDRESS, true},
    {DROP_PUBLISH_RELEASE, "snapshot publication: release", REPLACE_TOPIC, true},
    {DROP_COUNT_RELEASE, "count: release", ADD_TOPIC, true},
    {DROP_SECTION_RELEASE, "section end: release", REPLACE_NAME, true},
    {DROP_PIN_RELEASE, "pin := none: release", REPLACE_TOPIC, true},
    {DROP_COMMITTED_RELEASE, "committed sequence: release", ADD_NAME, true},
    {DROP_LEFT_ACQUIRE, "state under the lock: acquire", BOTH_REMOVE, true},
    {DROP_ENDS, "ends", WALK_TWO, false},
    {DROP_ENDING, "ending", WALK_TWO, false},
    {DROP_ENDS_LAST, "ends after the tombstone", WALK_TWO, false},
    {DROP_ENDS_CHECK, "walk's look at the ends", WALK_TWO, false},
    {DROP_ENDS_BACK, "walk's last look at the ends", WALK_TWO, false},
    {DROP_REPLACED, "replaced", WALK_REPLACED, false},
    {DROP_BEGIN_ACQUIRE, "ends as a walk begins: acquire", WALK_TWO, true},
    {DROP_ENTRY_ACQUIRE, "walk's entry: acquire", WALK_TWO, true},
    {DROP_TOMBSTONE_RELEASE, "tombstone: release", WALK_TWO, true},
    {DROP_ENDS_RELEASE, "ends: release", WALK_TWO, true},
};

/* ---- The start and the end of scenarios -------------------------------------------------------------------------- */

static int running(const struct state *state) {
    int set = 0;
    for (int thread = 0; thread < THREADS; thread++)
        if (state->thread[thread].step != DONE) set |= bit(thread);
    return set;
}

static enum verdict judge_end(const struct state *state) {
    return size_of(state->hooked) != scenario->hooks ? HOOK_NEVER : SAFE;
}

/* Slots that were never used are `armed` too: a slot may come from a registration that has ended. */
static struct state beginning(void) {
    struct state state;
    uint8_t value[LOCATIONS];
    memset(&state, 0, sizeof state);
    memset(value, 0, sizeof value);
    memset(value + COUNT, GARBAGE, STATE - COUNT);
    value[ENDS] = 0;
    memset(value + ARMED, 1, SLOTS);
    value[TABLE] = value[NEWEST] = state.newest = 1;
    value[COMMITTED] = value[COUNT] = (uint8_t)scenario->listed;
    for (int slot = 1; slot <= scenario->listed; slot++) {
        value[entry_of(1, slot - 1)] = (uint8_t)slot;
        state.active |= (uint8_t)bit(slot);
    }
    state.listed[1] = state.active;
    for (int snapshot = 2; snapshot <= SNAPSHOTS; snapshot++) state.gone |= (uint8_t)bit(snapshot_thing(snapshot));
    memory_begin(&state.memory, value);
    for (int thread = 0; thread < THREADS; thread++) begin_job(&state, thread, 0);
    return state;
}

static enum verdict run(int number, enum mutation left_out, enum memory_model memory_model) {
    scenario = &scenarios[number];
    mutation = left_out;
    model = memory_model;
    struct state state = beginning();
    return search(&state);
}

/* ---- The report ------------------------------------------------------------------------------------------------- */

static int passed, failed;

static const char *judge(bool as_expected) {
    if (as_expected)
        passed++;
    else
        failed++;
    return as_expected ? "" : "  <-- FAILED";
}

static void report_protocol(void) {
    printf("%-29s  %-12s  %9s  %s\n", "The protocol: scenario", "memory model", "states", "verdict");
    for (int i = 0; i < SCENARIOS; i++) {
        for (int m = 0; m < MODELS; m++) {
            enum verdict verdict = run(i, DROP_NOTHING, m);
            printf("%-29s  %-12s  %9d  %s%s\n", scenarios[i].name, m == X86_TSO ? "x86-TSO" : "views", states,
                   verdict_names[verdict], judge(verdict == SAFE));
        }
    }
}

static void report_omission(const struct omission *omission) {
    printf("%-29s  %-29s", omission->name, scenarios[omission->scenario].name);
    for (int m = 0; m < MODELS; m++) {
        enum verdict verdict = run(omission->scenario, omission->mutation, m);
        bool harmless = omission->needs_views && m == X86_TSO;
        const char *name = harmless && verdict == SAFE ? "no harm: x86 keeps the order" : verdict_names[verdict];
        printf("  %-*s%s", m == X86_TSO ? 29 : 0, name, judge(harmless ? verdict == SAFE : verdict < TOO_MANY_STATES));
    }
    printf("\n");
}

int main(void) {
    report_protocol();
    printf("\n%-29s  %-29s  %-29s  %s\n", "Left out", "scenario", "x86-TSO", "views");
    for (size_t i = 0; i < sizeof omissions / sizeof *omissions; i++) report_omission(&omissions[i]);
    printf("\n%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
