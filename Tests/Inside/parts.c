/* The names that a run of the rules is given. */
#include "../Rules/Main/select.h"
#include "../Rules/check.h"
#include <string.h>

static const char *part;
static void select_part(void) {
    struct arguments arguments = {.parts = {part}, .count = 1};
    static struct selection selected;
    CHECK(!select_rules(&selected, &arguments));
}

/* There are R23 and R25, and R2 is none of them. */
TEST(Select_one_digit_is_no_number_of_a_rule) {
    static const char *const parts[] = {"R2", "-R2"};
    char said[200];
    for (int i = 0; i < 2; i++) {
        part = parts[i];
        CHECK(in_child(select_part, said, sizeof said) == 0);
        CHECK(strstr(said, "nothing is called R2") != NULL);
    }
}
