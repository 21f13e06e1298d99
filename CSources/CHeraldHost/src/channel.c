/* Taking a seat, sleeping and waking.
 *
 * Ordering: see channel.h. Progress. A poster never waits; a sleeper wakes after a second at most. Ownership. A channel
 * belongs to the process that has the kernel's lock on its byte; the last one is shared by those that find no other.
 */
#include "channel.h"
#include "complaint.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LAST = HERALD_CHANNELS - 1 }; /* shared by all processes that come when the others are taken */

/* ---- Taking ------------------------------------------------------------------------------------------------------ */

/* The lock for a channel is on the byte of its number: it belongs to our open file, not to the process as older locks
 * do, so no other part of the program can lose it for us. Returns what fcntl does. */
static int lock_byte(int file, int command, short type, uint32_t number, short *found) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = number, .l_len = 1};
    int result = fcntl(file, command, &lock);
    if (found) *found = lock.l_type;
    return result;
}

/* A process that was killed has left its bit in the names that it watched. */
static void sweep(struct herald_segment *segment, uint32_t number) {
    uint64_t bit = UINT64_C(1) << (number % 64);
    uint32_t regions = herald_segment_regions(segment);
    for (uint32_t region = 0; region < regions; region++) {
        struct herald_entry *entries = herald_region_entries(segment->header, region);
        for (uint32_t i = 0; i < herald_region_names(region); i++) {
            _Atomic uint64_t *watchers = &entries[i].watchers[number / 64];
            if (*watchers & bit) *watchers &= ~bit;
        }
    }
}

static void sit(struct herald_seat *seat, struct herald_segment *segment, uint32_t number, bool shared) {
    struct herald_channel *channel = herald_channel_at(segment->header, number);
    seat->segment = segment;
    seat->number = number;
    seat->shared = shared;
    seat->opened = segment->opened;
    if (herald_does(SWEEP) && !shared && channel->owner) sweep(segment, number);
    channel->owner = (uint32_t)getpid();
}

HeraldStatus herald_seat_take(struct herald_seat *seat, struct herald_segment *segment) {
    int file = herald_segment_file(segment);
    if (file < 0) return HeraldTransportFailed;
    uint32_t first = (uint32_t)getpid() * 2654435761u;
    for (uint32_t i = 0; i < LAST; i++) {
        uint32_t number = (first + i) % LAST;
        if (lock_byte(file, F_OFD_SETLK, F_WRLCK, number, NULL) == 0) {
            sit(seat, segment, number, false);
            return HeraldOK;
        }
        if (errno != EAGAIN && errno != EACCES) break;
    }
    if (lock_byte(file, F_OFD_SETLK, F_RDLCK, LAST, NULL) == 0) {
        sit(seat, segment, LAST, true);
        return HeraldOK;
    }
    return herald_complain(HeraldTransportFailed, "%s cannot be locked: %s", segment->path, strerror(errno));
}

void herald_seat_leave(struct herald_seat *seat, bool clean) {
    if (!seat->segment) return;
    if (herald_seat_holds(seat)) {
        if (clean && !seat->shared) herald_channel_at(seat->segment->header, seat->number)->owner = 0;
        lock_byte(seat->segment->file.number, F_OFD_SETLK, F_UNLCK, seat->number, NULL);
    }
    seat->segment = NULL;
}

bool herald_seat_holds(const struct herald_seat *seat) {
    return seat->opened == seat->segment->opened && herald_file_is_ours(&seat->segment->file);
}

bool herald_channel_is_taken(struct herald_segment *segment, const struct herald_seat *own, uint32_t number) {
    if (own && own->segment == segment && own->number == number) return true;
    int file = herald_segment_file(segment);
    short found = F_UNLCK;
    return file >= 0 && lock_byte(file, F_OFD_GETLK, F_WRLCK, number, &found) == 0 && found != F_UNLCK;
}

/* ---- Sleeping and waking ----------------------------------------------------------------------------------------- */

static struct herald_channel *channel_of(const struct herald_seat *seat) {
    return herald_channel_at(seat->segment->header, seat->number);
}

static void wake(struct herald_channel *channel) {
    syscall(SYS_futex, &channel->sequence, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

uint32_t herald_seat_arm(const struct herald_seat *seat) {
    struct herald_channel *channel = channel_of(seat);
    uint32_t sequence = channel->sequence; /* before arming: a poster that sees the arming has yet to change it */
    uint32_t armed = channel->armed;
    while (herald_does(ARM) && !atomic_compare_exchange_weak(&channel->armed, &armed, (armed + 2) | 1)) {
    }
    return sequence;
}

void herald_seat_disarm(const struct herald_seat *seat) {
    if (!seat->shared) channel_of(seat)->armed &= ~1u;
}

uint64_t herald_seat_groups(const struct herald_seat *seat) {
    if (seat->shared) return UINT64_MAX;
    struct herald_channel *channel = channel_of(seat);
    return channel->groups ? atomic_exchange(&channel->groups, 0) : 0;
}

void herald_seat_wait(const struct herald_seat *seat, uint32_t sequence) {
    struct timespec second = {.tv_sec = 1};
    syscall(SYS_futex, &channel_of(seat)->sequence, FUTEX_WAIT, sequence, &second, NULL, 0);
}

void herald_seat_wake(const struct herald_seat *seat) {
    struct herald_channel *channel = channel_of(seat);
    channel->sequence++;
    wake(channel);
}

void herald_channel_ring(struct herald_channel *channel, uint32_t group) {
    uint64_t bit = UINT64_C(1) << group;
    if (herald_does(GROUP) && !(channel->groups & bit)) channel->groups |= bit;
    uint32_t armed = channel->armed;
    if (!(armed & 1)) return;
    if (herald_does(SEQUENCE)) channel->sequence++;
    if (herald_does(WAKE)) wake(channel);
    if (!herald_does(COMPARE)) channel->armed = armed & ~1u;
    atomic_compare_exchange_strong(&channel->armed, &armed, armed & ~1u);
}
