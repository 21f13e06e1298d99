/* How often the program has allocated, on any thread, since it began. */
#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H
unsigned long allocations(void);
#endif
