/* Look-ups of names while others are made. */
#include "../stage.h"

static void find_names(void) {
    must_hold(HeraldNameFind("name") == name, "R13: a name is not found, or another");
    HeraldNameRef found = HeraldNameFind("n3");
    must_hold(!found || found == HeraldNameCreate("n3"), "R13: two names have one text");
}

static void make_names(void) {
    static const char *const texts[] = {"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"};
    for (int i = 0; i < 8; i++) HeraldNameCreate(texts[i]);
}

static void find_names_twice(void) {
    find_names();
    find_names();
}

static void make_one_name(void) {
    must_hold(HeraldNameCreate("new") == HeraldNameCreate("new"), "R13: two of one text");
}

static void three_are_released_after_all(void) {
    HeraldCenterRemoveToken(center, a.token);
    three_are_released();
}

SCENARIO(fencing_find_and_names, begin_with_three, {find_names_twice, make_names}, both_and_c_are_released,
         .ready = remove_c, .meets = "SECTION")
SCENARIO(find_aside_and_names, begin_with_three, {find_names_twice, make_names}, three_are_released_after_all,
         .ready = remove_c_and_b, .meets = "FIND_POLL")
SCENARIO(names_found_while_made, begin, {find_names, make_names}, finish)
SCENARIO(names_found_again_while_made, begin, {find_names_twice, make_names}, finish)
SCENARIO(name_made_by_two, begin, {make_one_name, make_one_name}, finish, .newcomers = true)
