/* The list of all names in the file.
 *
 * Ordering. None is promised between two fields of a name. Progress. Bounded by the table; the kernel is asked once for
 * each channel. Ownership. The text of a name is copied before it is shown.
 */
#include "complaint.h"
#include "move.h"
#include "watched.h"
#include <string.h>

/* Which channels have a process, asked of the kernel once each. */
struct taken {
    uint64_t known[HERALD_CHANNELS / 64], taken[HERALD_CHANNELS / 64];
};

static bool is_taken(struct taken *taken, struct herald_segment *segment, uint32_t channel) {
    uint64_t bit = UINT64_C(1) << (channel % 64);
    if (!(taken->known[channel / 64] & bit)) {
        herald_session_lock();
        bool is = herald_channel_is_taken(segment, herald_watched_seat(), channel);
        herald_session_unlock();
        taken->known[channel / 64] |= bit;
        if (is) taken->taken[channel / 64] |= bit;
    }
    return taken->taken[channel / 64] & bit;
}

static uint32_t count_watchers(struct taken *taken, struct herald_segment *segment, const struct herald_entry *entry) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < HERALD_CHANNELS / 64; i++)
        for (uint64_t rest = entry->watchers[i]; rest; rest &= rest - 1)
            count += is_taken(taken, segment, i * 64 + (uint32_t)__builtin_ctzll(rest));
    return count;
}

HeraldStatus HeraldHostVisitNames(void (*visit)(void *context, const HeraldHostNameInfo *info), void *context) {
    if (!visit) return herald_complain(HeraldInvalidArgument, "there is no function to call");
    struct herald_segment *segment = herald_move_segment();
    if (!segment) return HeraldTransportFailed;
    struct taken taken;
    memset(&taken, 0, sizeof taken);
    uint32_t regions = herald_segment_regions(segment);
    for (uint32_t region = 0; region < regions; region++) {
        const struct herald_entry *entries = herald_region_entries(segment->header, region);
        for (uint32_t i = 0; i < herald_region_names(region); i++) {
            char text[HERALD_NAME_LIMIT + 1];
            if (!herald_entry_text(segment, region, &entries[i], text)) continue;
            HeraldHostNameInfo info = {.size = sizeof info,
                                       .name = text,
                                       .posts = entries[i].posts,
                                       .state = entries[i].state,
                                       .watchers = count_watchers(&taken, segment, &entries[i])};
            visit(context, &info);
        }
    }
    return HeraldOK;
}
