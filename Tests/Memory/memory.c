#include "HeraldMemory.h"
#include <malloc.h>

size_t HeraldMemoryInUse(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd; /* large blocks are mapped each on its own, until one was freed */
}
