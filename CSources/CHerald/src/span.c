/* Spans: what a traced post and its calls report.
 *
 * Ordering: A span belongs to its thread. Threads share the numbers of spans and, under a lock, the carriers.
 * Progress: A span reads the clock at most three times, and runs the hooks when it begins and when it ends.
 * Ownership: A span lies on the poster's stack. `current_span` is the thread's innermost span.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "span.h"
#include "copy.h"
#include "entry_points.h"
#include "ground_time.h"
#include "mutex.h"
#include <string.h>
#include <time.h>
#include <unistd.h>

void (*herald_span_tell)(const HeraldTraceEvent *event);
__thread uint32_t herald_span_deaf __attribute__((tls_model("initial-exec")));

static __thread struct herald_span *current_span __attribute__((tls_model("initial-exec")));

/* Numbers for this thread's spans, which the thread takes in blocks. Also the kernel's number of the thread, which
 * changes in the child of a fork. */
struct numbers {
    uint64_t next, end;
    uint32_t thread, forks;
};
enum { NUMBERS = 1 << 16 };
static __thread struct numbers numbers __attribute__((tls_model("initial-exec")));
static uint64_t blocks = 1; /* atomic: the next block */

uint64_t herald_span_now(void) { return ground_now(); }

static uint64_t next_span(void) {
    uint32_t forks = load_relaxed(&herald_domain_forks) + 1;
    if (herald_unlikely(numbers.next == numbers.end || numbers.forks != forks)) {
        numbers.next = add_relaxed(&blocks, (uint64_t)1) * NUMBERS;
        numbers.end = numbers.next + NUMBERS;
        numbers.thread = (uint32_t)gettid();
        numbers.forks = forks;
    }
    return numbers.next++;
}

static void hear_again(uint32_t **deaf) { (**deaf)--; }

static void say(const HeraldTraceEvent *event) {
    uint32_t *deaf __attribute__((cleanup(hear_again))) = &herald_span_deaf;
    herald_span_deaf++;
    void (*tell)(const HeraldTraceEvent *event) = load_acquire(&herald_span_tell);
    if (tell) tell(event);
}

static void prepare_span(struct herald_span *span, HeraldTracePhase phase, const struct herald_post *post) {
    HeraldTraceEvent *event = &span->event;
    memset(event, 0, sizeof *event);
    event->size = sizeof *event;
    event->phase = phase;
    event->span = next_span();
    event->parent = current_span ? current_span->event.span : 0;
    event->thread = numbers.thread;
    event->center = post->center;
    event->name = post->name;
    event->object = post->object;
    event->tag = post->tag;
    span->outer = current_span;
    span->frame = NULL;
    span->is_carried = post->center->transport.size != 0;
    span->last = 0;
    span->over = true; /* until the begin has been reported: if a hook throws before that, no end is reported */
}

static void open_span(struct herald_span *span, uint64_t began) {
    span->event.begin = began;
    say(&span->event);
    span->over = false;
    current_span = span;
}

HERALD_SLOW void herald_span_begin_post(struct herald_span *span, const struct herald_post *post, uint64_t center,
                                        unsigned options, const void *caller) {
    prepare_span(span, HeraldTracePostBegin, post);
    span->event.token.center = center;
    span->event.options = options;
    span->event.caller = caller;
    const HeraldMessage *message = post->tag == &herald_message_tag ? (const HeraldMessage *)post->userInfo : NULL;
    if (message) {
        span->event.sender = message->sender;
        span->event.sequence = message->sequence;
    }
    open_span(span, herald_span_now());
}

/* Reading the clock costs as much as a post. So a call is reported to begin when the call before it in the same post
 * ended. The first call is reported to begin when the post began. */
static uint64_t time_before(const struct herald_span *span) {
    const struct herald_span *outer = span->outer;
    if (!outer || outer->frame) return herald_span_now();
    return outer->last ? outer->last : outer->event.begin;
}

HERALD_SLOW void herald_span_begin_call(struct herald_span *span, const struct herald_post *post, uint64_t center,
                                        const struct herald_slot *slot, struct herald_frame *frame) {
    prepare_span(span, HeraldTraceCallBegin, post);
    span->event.token.center = center;
    span->event.token.registration = herald_slot_registration(slot);
    struct herald_caller caller = herald_slot_caller(slot);
    span->event.observer = caller.observer;
    span->event.callback = caller.callback;
    open_span(span, time_before(span));
    span->frame = frame;
    span->event.begin = herald_span_now(); /* the time of the hooks does not count for the callback */
    store_relaxed(&frame->since, span->event.begin);
}

HERALD_SLOW void herald_span_end(struct herald_span *span, HeraldTraceOutcome outcome) {
    HeraldTraceEvent *event = &span->event;
    span->over = true;
    current_span = span->outer;
    if (span->frame) store_relaxed(&span->frame->since, (uint64_t)0);
    event->phase = span->frame ? HeraldTraceCallEnd : HeraldTracePostEnd;
    if (outcome != HeraldTraceReturned) event->outcome = outcome; /* else the outcome that was noted stays */
    if (span->outer && span->frame) span->outer->event.calls++;
    event->end = !span->frame && span->last ? span->last : herald_span_now();
    if (span->outer && span->frame) span->outer->last = event->end;
    say(event);
}

void herald_span_forget(void) {
    current_span = NULL;
    herald_span_deaf = 0;
}

void herald_span_note(HeraldCenterRef center, HeraldTraceOutcome outcome) {
    if (current_span && !current_span->frame && current_span->event.center == center && !herald_span_deaf)
        current_span->event.outcome = outcome;
}

void herald_own_HeraldTraceSend(uint64_t sender, uint64_t sequence) {
    if (!current_span || current_span->frame || !current_span->is_carried || herald_span_deaf) return;
    current_span->event.sender = sender;
    current_span->event.sequence = sequence;
}

/* ---- Messages that are carried to other threads ------------------------------------------------------------------ */

uint32_t HeraldTraceCount;

uint64_t HeraldTraceNow(void) { return herald_span_now(); }

/* A carrier is a mailbox, which carries messages to another thread. A thread that takes a message out of a mailbox is
 * in no call, so it finds the mailbox's registration here. The newest CARRIERS mailboxes are known. Each is in the list
 * of its hash. */
#ifndef HERALD_CARRIER_BITS
#define HERALD_CARRIER_BITS 12
#endif
enum { CARRIERS = 1 << HERALD_CARRIER_BITS };
struct carrier {
    const void *address;
    HeraldCenterRef center;
    HeraldNameRef name;
    HeraldToken token;
    const void *tag;
    struct carrier *next;
};
static struct carrier carriers[CARRIERS], *lists[CARRIERS];
static uint64_t arrived;

/* Returns the link that leads to the carrier. If the carrier is not known, returns the NULL link at the end of the
 * list. */
static struct carrier **carrier_at(const void *address) {
    struct carrier **place =
        &lists[(uint64_t)(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> (64 - HERALD_CARRIER_BITS)];
    while (*place && (*place)->address != address) place = &(*place)->next;
    return place;
}

static struct carrier *add_carrier(const void *address) {
    struct carrier *carrier = &carriers[arrived % CARRIERS];
    if (arrived++ >= CARRIERS) *carrier_at(carrier->address) = carrier->next; /* unlinks the oldest carrier */
    struct carrier **place = carrier_at(address);
    *place = carrier;
    carrier->address = address;
    carrier->next = NULL;
    return carrier;
}

static void remember_carrier(const void *address, HeraldTraceEvent *event) {
    bool inside = event->phase == HeraldTraceQueued && current_span && current_span->frame;
    herald_mutex_lock(HERALD_LOCK(CARRIERS));
    struct carrier *carrier = *carrier_at(address);
    if (inside) {
        if (!carrier) carrier = add_carrier(address);
        carrier->center = current_span->event.center;
        carrier->name = current_span->event.name;
        carrier->token = current_span->event.token;
        carrier->tag = current_span->event.tag;
    }
    if (carrier) {
        event->center = carrier->center;
        event->name = carrier->name;
        event->token = carrier->token;
        event->tag = carrier->tag;
    }
    herald_mutex_unlock(HERALD_LOCK(CARRIERS));
}

static void tell_carried(const void *carrier, uint64_t message, HeraldTracePhase phase, HeraldTraceOutcome outcome,
                         uint64_t began, uint64_t ended) {
    HeraldTraceEvent event;
    if (!HeraldTraceIsOn() || herald_span_deaf) return;
    memset(&event, 0, sizeof event);
    event.size = sizeof event;
    event.phase = phase;
    event.outcome = outcome;
    event.span = next_span();
    event.parent = current_span ? current_span->event.span : 0;
    event.thread = numbers.thread;
    event.carrier = carrier;
    event.message = message;
    event.begin = began ? began : herald_span_now();
    event.end = ended;
    remember_carrier(carrier, &event);
    say(&event);
}

void herald_own_HeraldTraceCarry(const void *carrier, uint64_t message, uint64_t begin, uint64_t end) {
    tell_carried(carrier, message, end ? HeraldTraceHeard : HeraldTraceQueued, HeraldTraceReturned, begin, end);
}

void herald_own_HeraldTraceLose(const void *carrier, uint64_t message, HeraldTraceOutcome outcome) {
    uint64_t now = HeraldTraceIsOn() ? herald_span_now() : 0;
    tell_carried(carrier, message, HeraldTraceHeard, outcome, now, now);
}
