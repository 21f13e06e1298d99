#include "handles.h"
#include "calls.h"
#include "reference.h"
#include "report.h"
#include "world.h"

enum { HANDLES = 1 << 14 }; /* more than the calls of one input can ask for */

static struct handle {
    const void *thing, *answer;
    enum { RETAINED, FOREVER, RELEASED } state;
    bool is_of_kept;
    const struct kept_post *post; /* NULL: it was not kept */
} handles[HANDLES];
static size_t used, owed, owed_for_held;

void handles_begin(void) { used = owed = owed_for_held = 0; }

/* Others share their answer with others, so a release does not show whose it is. */
static bool is_own(const struct handle *handle) { return handle->answer == handle; }
static bool counts_for_held(const struct handle *handle) { return is_own(handle) && !handle->is_of_kept; }

/* ---- Hooks ------------------------------------------------------------------------------------------------------ */

static void make_calls(bool may_be_made) {
    if (!may_be_made) return;
    reference_look_begin();
    calls_make_nested();
    reference_look_end();
}

static const void *retain(const void *thing, bool is_object, enum handles_policy policy) {
    make_calls(reference_is_keeping());
    if (!thing) report_difference("R16: a retain hook ran for NULL");
    const void *answer = NULL;
    if (!world_is_unkeepable(thing)) {
        if (used == HANDLES) report_difference("retain hooks ran %d times in one input", HANDLES);
        struct handle *handle = &handles[used++];
        answer = policy == HANDLES_SAME ? thing : policy == HANDLES_ALIAS ? world_alias(thing) : handle;
        *handle = (struct handle){.thing = thing, .answer = answer, .is_of_kept = reference_is_keeping()};
        if (policy == HANDLES_FOREVER) {
            handle->state = FOREVER;
        } else {
            owed++;
            owed_for_held += counts_for_held(handle);
        }
    }
    reference_retained(is_object, thing, answer);
    return answer;
}

const void *handles_retain_info(const void *thing) { return retain(thing, false, HANDLES_OWN); }
const void *handles_retain_info_forever(const void *thing) { return retain(thing, false, HANDLES_FOREVER); }
const void *handles_retain_object(const void *thing) { return retain(thing, true, HANDLES_OWN); }
const void *handles_retain_object_forever(const void *thing) { return retain(thing, true, HANDLES_FOREVER); }
const void *handles_retain_same(const void *thing) { return retain(thing, true, HANDLES_SAME); }
const void *handles_retain_alias(const void *thing) { return retain(thing, true, HANDLES_ALIAS); }

/* The newest that is retained with this answer, else the newest of all. */
static struct handle *find(const void *answer) {
    struct handle *found = NULL;
    for (size_t i = used; i-- > 0;) {
        if (handles[i].answer != answer) continue;
        if (handles[i].state != RELEASED) return &handles[i];
        if (!found) found = &handles[i];
    }
    return found;
}

void handles_release(const void *pointer) {
    struct handle *handle = find(pointer);
    if (!handle) report_difference("R16: a release hook got %s, which was not retained", world_label(pointer));
    if (handle->state != RETAINED) report_difference("R16: %s was released twice", world_label(handle->thing));
    handle->state = RELEASED;
    owed--;
    owed_for_held -= counts_for_held(handle);
    make_calls(reference_may_call_in_release());
}

/* ---- Checks ----------------------------------------------------------------------------------------------------- */

void handles_check(const char *what, const void *delivered, const void *posted, enum handles_policy policy) {
    if (policy == HANDLES_NONE || !posted || world_is_unkeepable(posted)) {
        if (delivered) report_difference("R16: a held post brought the %s %s, not NULL", what, world_label(delivered));
        return;
    }
    const struct handle *handle = find(delivered);
    if (!handle)
        report_difference("R16: a held post brought the %s %s, which was not retained", what, world_label(delivered));
    const void *other = policy == HANDLES_SAME ? posted : policy == HANDLES_ALIAS ? world_alias(posted) : NULL;
    if (other ? delivered != other : handle->thing != posted)
        report_difference("R16: a held post brought %s for %s", world_label(handle->thing), world_label(posted));
    if (handle->state == RELEASED)
        report_difference("R16: a held post brought %s after its release", world_label(posted));
}

void handles_check_retained(const char *what, const void *pointer) {
    const struct handle *handle = find(pointer);
    if (handle && is_own(handle) && handle->state == RELEASED)
        report_difference("R25: the %s of a kept post is there, %s, after its release", what,
                          world_label(handle->thing));
}

void handles_give_to(const struct kept_post *post, const void *pointer) {
    struct handle *handle = find(pointer);
    if (handle && is_own(handle)) handle->post = post;
}

void handles_check_kept(bool (*must_be)(const struct kept_post *post), bool (*may_be)(const struct kept_post *post)) {
    for (size_t i = 0; i < used; i++) {
        const struct handle *handle = &handles[i];
        if (!handle->is_of_kept || !is_own(handle) || handle->state == FOREVER) continue;
        if (handle->state == RETAINED && (!handle->post || !may_be(handle->post)))
            report_difference("R25: %s of a kept post is still retained, and nobody can hear or take it",
                              world_label(handle->thing));
        if (handle->state == RELEASED && handle->post && must_be(handle->post))
            report_difference("R25: %s of a kept post was released too soon", world_label(handle->thing));
    }
}

size_t handles_held_count(void) { return owed_for_held; }
size_t handles_count(void) { return owed; }
