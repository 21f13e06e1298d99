/* Names from the input (R13), compared with a check of UTF-8 that decodes it and a list of the names made so far. */
#ifndef FUZZ_NAMES_H
#define FUZZ_NAMES_H

void names_check(void);

#endif
