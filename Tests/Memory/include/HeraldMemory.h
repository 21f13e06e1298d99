/* What malloc says. */
#ifndef HERALD_TEST_MEMORY_H
#define HERALD_TEST_MEMORY_H

#include <stddef.h>

/* Bytes that the program has from malloc, with what malloc adds to them. */
size_t HeraldMemoryInUse(void);

#endif
