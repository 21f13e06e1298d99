#include "arguments.h"
#include "input.h"

struct selection select_three(void) {
    unsigned byte = input_byte();
    return (struct selection){world_name(byte & 7), world_object(byte >> 3 & 3), world_observer((byte >> 5) % 5)};
}

HeraldCenterRef real(const struct center *center) { return center ? center->real : NULL; }

void check_status(const char *call, HeraldStatus got, HeraldStatus expected) {
    if (got != expected) report_difference("R15: %s answered %d, not %d", call, (int)got, (int)expected);
}

void check_count(size_t returned) {
    size_t expected = reference_post_end();
    if (returned != expected) report_difference("a post returned %zu, not %zu", returned, expected);
}
