#include "kept.h"
#include "report.h"
#include "world.h"

enum { HANDLES = 1 << 14 }; /* more than the calls of one input can ask for */

static struct handle {
    const void *thing;
    enum { KEPT, KEPT_FOREVER, RELEASED } state;
} handles[HANDLES];
static size_t used, owed;

void kept_begin(void) { used = owed = 0; }

static const void *keep(const void *thing, int state) {
    if (!thing) report_difference("R16: a center's retain hook ran for NULL");
    if (world_is_unkeepable(thing)) return NULL;
    if (used == HANDLES) report_difference("a center's retain hook ran %d times in one input", HANDLES);
    handles[used] = (struct handle){thing, state};
    if (state == KEPT) owed++;
    return &handles[used++];
}

const void *kept_retain(const void *thing) { return keep(thing, KEPT); }
const void *kept_retain_forever(const void *thing) { return keep(thing, KEPT_FOREVER); }

static struct handle *find(const void *handle) {
    for (size_t i = used; i-- > 0;)
        if (handle == &handles[i]) return &handles[i];
    return NULL;
}

void kept_release(const void *pointer) {
    struct handle *handle = find(pointer);
    if (!handle) report_difference("R16: a center's release hook got %s, which was not kept", world_label(pointer));
    if (handle->state != KEPT) report_difference("R16: a held %s was released twice", world_label(handle->thing));
    handle->state = RELEASED;
    owed--;
}

void kept_check(const char *what, const void *delivered, const void *posted, bool keeps) {
    if (!keeps || !posted || world_is_unkeepable(posted)) {
        if (delivered) report_difference("R16: a held post brought the %s %s, not NULL", what, world_label(delivered));
        return;
    }
    const struct handle *handle = find(delivered);
    if (!handle)
        report_difference("R16: a held post brought the %s %s, which was not kept", what, world_label(delivered));
    if (handle->thing != posted)
        report_difference("R16: a held post brought %s for %s", world_label(handle->thing), world_label(posted));
    if (handle->state == RELEASED)
        report_difference("R16: a held post brought %s after its release", world_label(posted));
}

size_t kept_count(void) { return owed; }
