/* The fuzzer's output: differences, a trace of the calls when HERALD_FUZZ_TRACE is set, and figures. */
#ifndef FUZZ_REPORT_H
#define FUZZ_REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct report_figures {
    uint64_t inputs, calls, callbacks, held, hooks;
    uint64_t kept, marked, later, began; /* kept posts; calls of followers with them */
    unsigned deepest;                    /* callbacks and hooks inside each other */
};
extern struct report_figures report_figures;

/* Sets which input this is, for a run without libFuzzer. It is printed with a difference. */
void report_set_origin(uint64_t seed, uint64_t number);

/* A line of the trace, indented by `depth`. */
void report_trace(unsigned depth, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the sentence and aborts. */
void report_difference(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

void report_summary(void);

#endif
