/* What the poster and the listeners have in common, and D-Bus as a peer. */
#ifndef HERALD_BENCH_PEER_H
#define HERALD_BENCH_PEER_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

extern struct board {
    _Atomic uint32_t ready, bell, answers;
    _Atomic double heard_at;
    _Atomic long calls[64];
} * board;

void heard(void);

static inline void futex_wait(_Atomic uint32_t *word, uint32_t value) {
    syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}
static inline void futex_wake(_Atomic uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0); }

/* A bus of our own: its address, or NULL, with a line on stderr, when there is no dbus-daemon or no libsystemd. */
const char *peer_begin(void);
bool peer_connect(const char *address);
void peer_listen(const char *address);
void peer_wake(void);
void peer_end(void);

#endif
