/* Clocks that agree in all processes that share the file. A container may be in a time namespace, which adds an offset
 * to its clocks; the offset is subtracted here. It is read once, because a process stays in the namespace in which it
 * was started.
 *
 * Ordering: The offsets are read before the first use (pthread_once).
 * Progress: No system call after the first use.
 * Ownership: Only the offsets are kept.
 */
#include "clock.h"
#include "file.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct { int64_t monotonic, boot; /* seconds; the nanoseconds of an offset do not matter */ } offsets;

static int64_t offset_in(const char *text, const char *clock) {
    const char *found = strstr(text, clock);
    return found ? strtoll(found + strlen(clock), NULL, 10) : 0;
}

static void read_offsets(void) {
    char text[128] = "";
    int file = herald_host_file_open("/proc/self/timens_offsets", O_RDONLY | O_CLOEXEC);
    if (file < 0) return; /* the kernel has no time namespaces, or there is no /proc */
    if (read(file, text, sizeof text - 1) < 0) text[0] = 0;
    herald_host_file_discard(file);
    offsets.monotonic = offset_in(text, "monotonic");
    offsets.boot = offset_in(text, "boottime");
}

static void know_offsets(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_offsets);
}

uint32_t herald_host_clock_seconds(void) {
    struct timespec time;
    know_offsets();
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return (uint32_t)(time.tv_sec - offsets.monotonic);
}

uint64_t herald_host_clock_since_boot(void) {
    struct timespec time;
    know_offsets();
    clock_gettime(CLOCK_BOOTTIME, &time);
    return (uint64_t)(time.tv_sec - offsets.boot) * 1000000000 + (uint64_t)time.tv_nsec;
}
