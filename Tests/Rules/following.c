/* R25: followers and kept posts where other rules meet them. */
#include "check.h"
#include <herald/message.h>

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

enum { TOO_LONG = 17 << 20 };
static char *bytes;
static HeraldStatus of_kept;

static void keep_too_long_a_message(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                                    const void *userInfo) {
    (void)observer, (void)name, (void)object, (void)userInfo;
    HeraldMessage message = {.size = sizeof message, .bytes = bytes, .length = TOO_LONG, .options = HeraldPostKeep};
    of_kept = HeraldCenterPostMessage(center, name_of("r25.inner"), &message);
}

RULE(25, a_kept_message_that_fails_in_a_call_does_not_fail_the_message_around_it) {
    HeraldCenterRef center = new_center();
    HeraldMessage message = {.size = sizeof message, .bytes = "", .length = 0};
    bytes = calloc(1, TOO_LONG);
    CHECK(HeraldCenterAddObserver(center, &bytes, keep_too_long_a_message, name_of("r25.outer"), NULL,
                                  HeraldSuspensionDeliverImmediately) == HeraldOK);
    CHECK(HeraldCenterPostMessage(center, name_of("r25.outer"), &message) == HeraldOK);
    CHECK(of_kept == HeraldQueueFull);
    free(bytes);
    HeraldCenterRelease(center);
}
