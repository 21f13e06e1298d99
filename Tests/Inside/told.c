/* Adds that the transport refuses leave nothing in the center's index. */
#include "../Rules/check.h"
#include "../../CSources/CHerald/src/center.h"

static HeraldStatus refuse(void *context, HeraldCenterRef center, HeraldNameRef name, bool is_observed,
                           uint64_t version) {
    (void)context, (void)center, (void)name, (void)is_observed, (void)version;
    return HeraldTransportFailed;
}

static HeraldStatus refuse_prefix(void *context, HeraldCenterRef center, const char *prefix, bool is_observed,
                                  uint64_t version) {
    return refuse(context, center, NULL, prefix && is_observed, version);
}

RULE(14, transport_that_refuses_leaves_no_memory_in_the_index) {
    enum { NAMES = 10000, KEPT = 200 /* idle buckets that the index may keep */ };
    static char names[2 * NAMES] __attribute__((aligned(2)));
    HeraldTransport transport = {.size = sizeof transport, .observed = refuse, .observedUnder = refuse_prefix};
    HeraldCenterRef center;
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK);
    for (int i = 0; i < NAMES; i++)
        CHECK(HeraldCenterAddObserver(center, &center, listener_hear, HeraldNameForAddress(&names[2 * i]), NULL, 0) ==
              HeraldTransportFailed);
    CHECK(center->index.bucket_count <= KEPT);
    for (int i = 0; i < NAMES; i++) {
        char prefix[20];
        snprintf(prefix, sizeof prefix, "prefix%d", i % 1000);
        HeraldObserverOptions options = {.size = sizeof options, .prefix = prefix};
        CHECK(HeraldCenterAddObserverWithOptions(center, &center, listener_hear, NULL, NULL, &options, NULL) ==
              HeraldTransportFailed);
    }
    CHECK(center->index.bucket_count <= KEPT);
    HeraldCenterRelease(center);
}
