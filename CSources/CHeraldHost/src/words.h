/* Copying bytes that other processes may be writing or reading: as words, with relaxed accesses. */
#ifndef HERALD_HOST_WORDS_H
#define HERALD_HOST_WORDS_H

#include "host_platform.h"
#include <string.h>

/* A record's fields are copied as words, too. */
typedef _Atomic uint64_t __attribute__((may_alias)) herald_host_word_in_file;

/* Copies whole words, many at once where the processor has an instruction for it: 4 times as fast for 16 KiB. C knows
 * no accesses in assembly, so they are no race by its rules; each byte is read and written once, as with relaxed
 * atomics. The lfence keeps loads after it behind those of the string instruction. (Its stores are not reordered with
 * others.) Returns how many bytes were copied. */
static inline size_t herald_host_copy_many(void *to, const void *from, size_t length) {
#if defined(__x86_64__) && !defined(HERALD_TSAN) && !defined(HERALD_ASAN)
    enum { MANY = 512 }; /* below this the instruction takes longer than a loop */
    size_t words = length / 8;
    if (length < MANY) return 0;
    __asm__ volatile("rep movsq\n\tlfence" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
    return length & ~(size_t)7;
#else
    (void)to, (void)from, (void)length;
    return 0;
#endif
}

/* Copies `length` bytes in units of 8. Fills the last unit up with zeros, so up to 7 bytes more are written. A record
 * has room for them. `to` is aligned to 8. */
static inline void herald_host_copy_in(unsigned char *to, const void *from, size_t length) {
    const unsigned char *at = from;
    uint64_t word;
    size_t i = herald_host_copy_many(to, from, length);
    for (; i + 8 <= length; i += 8) {
        memcpy(&word, at + i, 8);
        atomic_store_explicit((herald_host_word_in_file *)(void *)(to + i), word, memory_order_relaxed);
    }
    if (i == length) return;
    word = 0;
    memcpy(&word, at + i, length - i);
    atomic_store_explicit((herald_host_word_in_file *)(void *)(to + i), word, memory_order_relaxed);
}

/* `length` is a number of whole words. */
static inline void herald_host_copy_out(unsigned char *to, const unsigned char *from, size_t length) {
    for (size_t i = herald_host_copy_many(to, from, length); i < length; i += 8) {
        uint64_t word =
            atomic_load_explicit((const herald_host_word_in_file *)(const void *)(from + i), memory_order_relaxed);
        memcpy(to + i, &word, 8);
    }
}

static inline size_t herald_host_whole_words(size_t length) { return (length + 7) & ~(size_t)7; }
#endif
