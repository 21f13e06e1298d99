/* The bytes of an input, read one after the other. After the last byte every further one is 0. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void input_begin(const uint8_t *bytes, size_t length);

/* Uses up the input, so that callbacks during the clean-up make no calls. */
void input_end(void);

bool input_is_empty(void);
uint8_t input_byte(void);

#endif
