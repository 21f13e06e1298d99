/* What all operations of an input use: arguments from its bytes, and checks of what calls answer. */
#ifndef FUZZ_ARGUMENTS_H
#define FUZZ_ARGUMENTS_H

#include "reference.h"
#include "report.h"

/* A name, an object and an observer from one byte; few, so that they meet. */
struct selection {
    HeraldNameRef name;
    const void *object, *observer;
};
struct selection select_three(void);

HeraldCenterRef real(const struct center *center);
unsigned center_number(const struct center *center); /* for the trace */

void check_status(const char *call, HeraldStatus got, HeraldStatus expected);
void check_count(size_t returned); /* of a post, which ends */

#define TRACE(...) report_trace(2 * reference_depth(), __VA_ARGS__)

#endif
