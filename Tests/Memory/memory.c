#include "HeraldMemory.h"
#include <malloc.h>

size_t HeraldMemoryInUse(void) { return mallinfo2().uordblks; }
