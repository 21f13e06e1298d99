/* Taking a channel, sleeping and waking.
 *
 * Ordering: see channel.h.
 * Progress: A poster never waits. A sleeper sleeps no longer than the time that its caller gives.
 * Ownership: A channel belongs to the process that has the kernel's lock on the channel's byte. A process that finds no
 * free channel shares one of the last channels. The process's identity decides which one.
 */
#include "channel.h"
#include "clock.h"
#include "host_complaint.h"
#include "identity.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WORD = 64 };

/* ---- The dead ---------------------------------------------------------------------------------------------------- */

/* Clears the bits of some of the 64 channels that `word` stands for: in the watchers of every name, and in the header's
 * `any`. The caller has the locks of these channels. */
static void clear_bits(struct herald_host_segment *segment, uint32_t word, uint64_t bits) {
    if (word == 0) segment->header->any &= ~bits;
    uint32_t end = herald_host_region_first(herald_host_segment_regions(segment));
    for (uint32_t place = 0; place < end; place++) {
        struct herald_host_entry *entry = herald_host_entry_at(segment->header, place);
        _Atomic uint64_t *watchers = herald_host_entry_watchers(segment->header, entry, word * WORD);
        if (watchers && *watchers & bits) *watchers &= ~bits;
    }
}

/* Goes to the next word in which a channel has an owner, living or dead. Returns the bits of the channels with an
 * owner, or 0 if no channel of any word has one. */
static uint64_t find_owned(struct herald_host_segment *segment, uint32_t *word) {
    for (uint32_t i = 0; i < HERALD_HOST_CHANNELS / WORD; i++) {
        *word = (*word + 1) % (HERALD_HOST_CHANNELS / WORD);
        /* Some bits in `any` may have been copied from the file before this one (replace.c), for processes that are
         * still on the way here. So `any` is used only when no such process is expected any more. */
        uint64_t owned = *word || herald_host_segment_is_expecting(segment->header) ? 0 : segment->header->any;
        for (uint32_t bit = 0; bit < WORD; bit++)
            if (herald_host_channel_at(segment->header, *word * WORD + bit)->owner) owned |= UINT64_C(1) << bit;
        if (owned) return owned;
    }
    return 0;
}

void herald_host_channels_sweep(struct herald_host_segment *segment) {
    static uint32_t word; /* under the session's lock */
    uint64_t owned = find_owned(segment, &word), dead = 0;
    int file = owned ? herald_host_segment_reopen(segment) : -1;
    if (file < 0) return;
    for (uint64_t rest = owned; rest; rest &= rest - 1)
        if (herald_host_file_lock_byte(file, word * WORD + (uint32_t)__builtin_ctzll(rest), F_WRLCK))
            dead |= rest & -rest;
    if (dead) clear_bits(segment, word, dead);
    for (uint64_t rest = dead; rest; rest &= rest - 1)
        herald_host_channel_at(segment->header, word * WORD + (uint32_t)__builtin_ctzll(rest))->owner = 0;
    close(file);
}

/* ---- Taking ------------------------------------------------------------------------------------------------------ */

struct range {
    uint32_t first, shared, end;
};
static const struct range of_names = {HERALD_HOST_INLINE_CHANNELS, HERALD_HOST_SHARED_CHANNELS, HERALD_HOST_CHANNELS};
static const struct range of_any_name = {0, HERALD_HOST_ANY_SHARED_CHANNELS, HERALD_HOST_INLINE_CHANNELS};

/* Locks a channel for this process alone. First it tries the channel that this process has just left, because the
 * process may have mapped the same file again. Then it tries channels that nobody has had or that were left clean. Last
 * it tries channels whose process may be dead. */
static bool lock_own(struct herald_host_segment *segment, int file, const struct range *range, uint32_t *number) {
    if (*number >= range->first && *number < range->shared && herald_host_file_lock_byte(file, *number, F_WRLCK))
        return true;
    for (int owned = 0; owned < 2; owned++)
        for (*number = range->first; *number < range->shared; ++*number)
            if (!herald_host_channel_at(segment->header, *number)->owner == !owned &&
                herald_host_file_lock_byte(file, *number, F_WRLCK))
                return true;
    return false;
}

static bool lock_shared(int file, const struct range *range, uint32_t *number) {
    uint32_t count = range->end - range->shared;
    for (uint32_t i = 0; i < count; i++) {
        *number = range->shared + (uint32_t)((herald_host_identity() + i) % count);
        if (herald_host_file_lock_byte(file, *number, F_RDLCK)) return true; /* else a sweep has the channel's lock */
    }
    return false;
}

HeraldStatus herald_host_own_channel_take(struct herald_host_own_channel *own, struct herald_host_segment *segment,
                                          bool any_name) {
    const struct range *range = any_name ? &of_any_name : &of_names;
    int file = herald_host_segment_reopen(segment);
    if (file < 0) return HeraldTransportFailed;
    struct herald_host_own_channel found = {.segment = segment, .number = own->number};
    bool locked = lock_own(segment, file, range, &found.number);
    found.shared = !locked;
    if (!locked) locked = lock_shared(file, range, &found.number);
    if (locked) found.lock = herald_host_file_keep(file);
    herald_host_file_discard(file);
    if (!found.lock)
        return herald_host_complain(HeraldTransportFailed, "%s cannot be locked: %s", segment->path, strerror(errno));
    struct herald_host_channel *channel = herald_host_channel_at(segment->header, found.number);
    if (HERALD_HOST_STEP(SWEEP) && !found.shared && channel->owner)
        clear_bits(segment, found.number / WORD, UINT64_C(1) << found.number % WORD);
    /* `reading` is a position that the channel's previous process has shown. It does not hold for this process, so it
     * is cleared before anybody sees the new owner. */
    channel->reading = 0;
    channel->owner = (uint32_t)getpid();
    if (any_name) segment->header->any |= UINT64_C(1) << found.number;
    *own = found;
    return HeraldOK;
}

void herald_host_own_channel_show_reading(const struct herald_host_own_channel *own, uint64_t sequence) {
    if (!own->shared) herald_host_channel_at(own->segment->header, own->number)->reading = sequence;
}

void herald_host_own_channel_leave(struct herald_host_own_channel *own, bool clean) {
    if (!own->segment) return;
    if (clean && !own->shared) {
        if (own->number < HERALD_HOST_INLINE_CHANNELS) own->segment->header->any &= ~(UINT64_C(1) << own->number);
        herald_host_channel_at(own->segment->header, own->number)->owner = 0;
    }
    herald_host_file_give_up(own->lock);
    own->segment = NULL;
}

/* ---- Sleeping and waking ----------------------------------------------------------------------------------------- */

static struct herald_host_channel *channel_of(const struct herald_host_own_channel *own) {
    return herald_host_channel_at(own->segment->header, own->number);
}

static void wake(struct herald_host_channel *channel) {
    syscall(SYS_futex, &channel->sequence, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

uint32_t herald_host_own_channel_arm(const struct herald_host_own_channel *own) {
    struct herald_host_channel *channel = channel_of(own);
    uint32_t sequence = channel->sequence; /* before arming; a poster that sees the arming changes the sequence later */
    uint32_t armed = channel->armed;
    while (HERALD_HOST_STEP(ARM) && !atomic_compare_exchange_weak(&channel->armed, &armed, (armed + 2) | 1)) {
    }
    return sequence;
}

void herald_host_own_channel_disarm(const struct herald_host_own_channel *own) {
    if (!own->shared) channel_of(own)->armed &= ~1u;
}

uint64_t herald_host_own_channel_groups(const struct herald_host_own_channel *own) {
    if (own->shared)
        /* The marks at a shared channel are not for this process alone, so they are not read. If the process watches
         * certain names, all groups may have changed. If it observes all names, no group is returned: marks are rare
         * then, and an idle watcher finds the posts by the names' counts (herald_host_watched_find_posts). */
        return own->number < HERALD_HOST_INLINE_CHANNELS ? 0 : UINT64_MAX;
    struct herald_host_channel *channel = channel_of(own);
    return channel->groups ? atomic_exchange(&channel->groups, 0) : 0;
}

/* Lets the other hardware thread of this core run. */
static void relax(void) {
#ifdef __x86_64__
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void herald_host_own_channel_look(const struct herald_host_own_channel *own, uint64_t read, uint64_t nanoseconds) {
    const struct herald_host_header *header = own->segment->header;
    const struct herald_host_channel *channel = channel_of(own);
    uint64_t end = herald_host_clock_since_boot() + nanoseconds;
    while (!channel->groups && !(read && (int64_t)(header->tail - read) > 0) && !header->superseded &&
           herald_host_clock_since_boot() < end)
        relax();
}

bool herald_host_own_channel_wait(const struct herald_host_own_channel *own, uint32_t sequence, uint32_t milliseconds) {
    struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
    return syscall(SYS_futex, &channel_of(own)->sequence, FUTEX_WAIT, sequence, &time, NULL, 0) == 0 ||
           errno != ETIMEDOUT;
}

void herald_host_own_channel_wake(const struct herald_host_own_channel *own) {
    struct herald_host_channel *channel = channel_of(own);
    channel->sequence++;
    wake(channel);
}

void herald_host_channel_mark(struct herald_host_channel *channel, uint32_t group) {
    uint64_t bit = UINT64_C(1) << group;
    if (HERALD_HOST_STEP(GROUP) && !(channel->groups & bit)) channel->groups |= bit;
}

void herald_host_channel_wake(struct herald_host_channel *channel) {
    uint32_t armed = channel->armed;
    if (!(armed & 1)) return;
    if (HERALD_HOST_STEP(SEQUENCE)) channel->sequence++;
    if (HERALD_HOST_STEP(WAKE)) wake(channel);
    if (!HERALD_HOST_STEP(COMPARE)) channel->armed = armed & ~1u;
    atomic_compare_exchange_strong(&channel->armed, &armed, armed & ~1u);
}

void herald_host_header_wake_any(struct herald_host_header *header) {
    for (uint64_t rest = header->any; rest; rest &= rest - 1)
        herald_host_channel_wake(herald_host_channel_at(header, (uint32_t)__builtin_ctzll(rest)));
}

void herald_host_header_mark_any(struct herald_host_header *header, uint32_t group) {
    for (uint64_t rest = header->any; rest; rest &= rest - 1)
        herald_host_channel_mark(herald_host_channel_at(header, (uint32_t)__builtin_ctzll(rest)), group);
}

void herald_host_header_supersede(struct herald_host_header *header) {
    uint32_t superseded = HERALD_HOST_NOT_SUPERSEDED;
    if (HERALD_HOST_STEP(SUPERSEDE))
        atomic_compare_exchange_strong(&header->superseded, &superseded, HERALD_HOST_SUPERSEDED);
    /* The log is closed even if another process has set the mark: that process may have been killed before it closed
     * the log. */
    herald_host_log_close(header);
}

void herald_host_header_wake_all(struct herald_host_header *header) {
    bool wiped = herald_host_header_is_wiped(header); /* if wiped, the owners are not known */
    for (uint32_t number = 0; number < HERALD_HOST_CHANNELS; number++) {
        struct herald_host_channel *channel = herald_host_channel_at(header, number);
        if (!channel->owner && !wiped) continue;
        channel->sequence++;
        wake(channel);
    }
}

/* HERALD_HOST_LEFT means that all were woken, and is set last. If this process is killed before that, another process
 * wakes them. */
void herald_host_header_leave(struct herald_host_header *header) {
    if (!HERALD_HOST_STEP(WAKE_ALL) || header->superseded == HERALD_HOST_LEFT) return;
    herald_host_header_wake_all(header);
    header->superseded = HERALD_HOST_LEFT;
}
