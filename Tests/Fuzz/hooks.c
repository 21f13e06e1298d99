#include "hooks.h"
#include "calls.h"
#include "reference.h"
#include "report.h"
#include "world.h"

static struct {
    unsigned index;
    const void *object;
    enum hooks_answer answer;
    bool has_run;
} adding;

void hooks_expect_retain(unsigned index, const void *object, enum hooks_answer answer) {
    adding.index = index;
    adding.object = object;
    adding.answer = answer;
    adding.has_run = false;
}

bool hooks_has_retained(void) { return adding.has_run; }

const void *hooks_answer(const void *object, enum hooks_answer answer) {
    return answer == HOOKS_SAME ? object : answer == HOOKS_ALIAS ? world_alias(object) : NULL;
}

static const void *retained(unsigned index, const void *object) {
    if (index != adding.index || adding.has_run)
        report_difference("R12: the retainObject hook of registration %u ran outside of its add, or again", index);
    if (!object || object != adding.object)
        report_difference("R12: the retainObject hook of registration %u got %s", index, world_label(object));
    adding.has_run = true;
    return hooks_answer(object, adding.answer);
}

static void called(unsigned index, HeraldCenterRef center, const void *observer, HeraldNameRef name, const void *object,
                   const void *user_info) {
    reference_callback_begin(index, center, observer, name, object, user_info);
    calls_make_nested();
    calls_check_ended(center);
    reference_callback_end(index);
}

static void began(unsigned index, const void *observer, size_t kept, HeraldStatus status) {
    reference_began_begin(index, observer, kept, status);
    calls_make_nested();
    reference_callback_end(index);
}

static void released(unsigned index, const void *observer) {
    reference_release_begin(index, observer);
    calls_make_nested();
    reference_hook_end();
}

static void object_released(unsigned index, const void *object) {
    reference_release_object_begin(index, object);
    calls_make_nested();
    reference_hook_end();
}

/* clang-format off */
#define ROW(M, n) \
    M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7) \
    M(n##8) M(n##9) M(n##a) M(n##b) M(n##c) M(n##d) M(n##e) M(n##f)
#define ALL(M) \
    ROW(M, 0x0) ROW(M, 0x1) ROW(M, 0x2) ROW(M, 0x3) \
    ROW(M, 0x4) ROW(M, 0x5) ROW(M, 0x6) ROW(M, 0x7) \
    ROW(M, 0x8) ROW(M, 0x9) ROW(M, 0xa) ROW(M, 0xb) \
    ROW(M, 0xc) ROW(M, 0xd) ROW(M, 0xe) ROW(M, 0xf)
/* clang-format on */

#define FUNCTIONS(n)                                                                                                   \
    static void callback_##n(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,           \
                             const void *user_info) {                                                                  \
        called(n, center, observer, name, object, user_info);                                                          \
    }                                                                                                                  \
    static void release_##n(void *observer) { released(n, observer); }                                                 \
    static const void *retain_object_##n(const void *object) { return retained(n, object); }                           \
    static void release_object_##n(const void *object) { object_released(n, object); }                                 \
    static void began_##n(void *observer, size_t kept, HeraldStatus status) { began(n, observer, kept, status); }
ALL(FUNCTIONS)

#define ENTRY(n) {callback_##n, release_##n, retain_object_##n, release_object_##n, began_##n},
const struct hooks hooks_numbered[REFERENCE_REGISTRATIONS] = {ALL(ENTRY)};
