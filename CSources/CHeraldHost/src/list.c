/* The list of all names in the file.
 *
 * Ordering: The fields of a name are read one after the other, so they may be of different moments.
 * Progress: Bounded by the table. The kernel is asked once for each channel.
 * Ownership: The text of a name is copied before the visitor gets it.
 */
#include "channel.h"
#include "host_complaint.h"
#include "move.h"
#include <pthread.h>
#include <unistd.h>

/* Which channels have a process, and how many processes are at some of the channels. `known`: channels about which the
 * kernel has been asked. `taken`: those of them that have a process. `count` and the fields after it are about the
 * channels that were counted. */
struct taken {
    struct herald_host_header *header;
    int file;
    uint64_t known[HERALD_HOST_CHANNELS / 64], taken[HERALD_HOST_CHANNELS / 64];
    uint32_t count, process_count, processes[HERALD_HOST_CHANNELS];
};

static void count(void *context, uint32_t channel) {
    struct taken *taken = context;
    uint64_t bit = UINT64_C(1) << (channel % 64);
    if (!(taken->known[channel / 64] & bit)) {
        taken->known[channel / 64] |= bit;
        if (herald_host_file_is_locked(taken->file, channel, 1)) taken->taken[channel / 64] |= bit;
    }
    if (!(taken->taken[channel / 64] & bit)) return;
    taken->count++;
    uint32_t owner = herald_host_channel_at(taken->header, channel)->owner;
    if (owner) taken->processes[taken->process_count++] = owner;
}

static void close_file(void *file) { close(*(int *)file); }

/* If the process moves twice during the visit, the list mixes names of two files, because a newer file then has the old
 * file's address range. */
HeraldStatus HeraldHostVisitNames(void (*visit)(void *context, const HeraldHostNameInfo *info), void *context) {
    if (!visit) return herald_host_complain(HeraldInvalidArgument, "the function is NULL");
    struct taken taken = {.count = 0};
    struct herald_host_segment *segment = herald_host_move_open(&taken.file);
    if (!segment) return HeraldTransportFailed;
    taken.header = segment->header;
    pthread_cleanup_push(close_file, &taken.file);
    uint32_t regions = herald_host_segment_regions(segment);
    for (uint32_t region = 0; region < regions; region++) {
        struct herald_host_entry *entries = herald_host_region_entries(segment->header, region);
        for (uint32_t i = 0; i < herald_host_region_names(region); i++) {
            char text[HERALD_HOST_NAME_LIMIT + 1];
            if (!herald_host_entry_text(segment, region, &entries[i], text)) continue;
            taken.count = taken.process_count = 0;
            herald_host_entry_visit_watchers(&entries[i], segment, count, &taken);
            HeraldHostNameInfo info = {.size = sizeof info,
                                       .name = text,
                                       .posts = herald_host_entry_count(&entries[i]),
                                       .state = entries[i].state,
                                       .watchers = taken.count,
                                       .processCount = taken.process_count,
                                       .processes = taken.processes};
            visit(context, &info);
        }
    }
    pthread_cleanup_pop(1);
    return HeraldOK;
}

/* Counts the channels with a bit in the header's `any` that have a process. The other bits belong to processes that are
 * dead, or that have not moved to this file yet (replace.c). */
uint32_t HeraldHostGetPrefixWatcherCount(void) {
    const struct herald_host_segment *segment = herald_host_move_segment();
    if (!segment || !segment->header->any) return 0; /* the file need not be opened */
    struct taken taken = {.count = 0};
    int cancelable;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelable);
    segment = herald_host_move_open(&taken.file);
    if (segment) {
        taken.header = segment->header;
        for (uint64_t rest = segment->header->any; rest; rest &= rest - 1)
            count(&taken, (uint32_t)__builtin_ctzll(rest));
        close(taken.file);
    }
    pthread_setcancelstate(cancelable, NULL);
    return taken.count;
}
