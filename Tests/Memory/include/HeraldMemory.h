/* Memory in use, as malloc reports it. */
#ifndef HERALD_TEST_MEMORY_H
#define HERALD_TEST_MEMORY_H

#include <stddef.h>

/* Bytes that the program has from malloc, with malloc's overhead. */
size_t HeraldMemoryInUse(void);

#endif
