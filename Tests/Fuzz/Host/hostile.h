/* The bytes of an input, and a shared file that they damage. */
#ifndef FUZZ_HOSTILE_H
#define FUZZ_HOSTILE_H

#include "../../../CSources/CHeraldHost/src/entry.h"

void hostile_begin(const uint8_t *bytes, size_t length);
size_t hostile_left(void);    /* bytes */
uint64_t take(unsigned size); /* a number of so many bytes; 0 when the input is used up */

void require(bool condition, const char *what);

/* The memory of a file, zeroed, between pages that may not be accessed. There are two. */
struct herald_host_header *hostile_memory(int number, size_t size);
/* Damages some of these bytes. */
void hostile_patch(void *bytes, size_t size);

/* Runs an input on the log, or on what is kept. */
void fuzz_log(void);
void fuzz_kept(void);

#endif
