/* The bytes of an input, and a shared file that they spoil. */
#ifndef FUZZ_HOSTILE_H
#define FUZZ_HOSTILE_H

#include "../../../CSources/CHeraldHost/src/entry.h"

void hostile_begin(const uint8_t *bytes, size_t length);
size_t hostile_left(void);    /* bytes */
uint64_t take(unsigned size); /* a number of so many of them; 0 when they are used up */

void require(bool condition, const char *what);

/* The memory of a file, zero, between pages that may not be touched. */
struct herald_host_header *hostile_memory(size_t size);
/* Spoils some of these bytes. */
void hostile_patch(void *bytes, size_t size);

/* An input for the log. */
void fuzz_log(void);

#endif
