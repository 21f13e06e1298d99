/* How often the program has looked up a generic type, on any thread, since it began. */
#ifndef LOOKUPS_H
#define LOOKUPS_H
unsigned long lookups(void);
#endif
