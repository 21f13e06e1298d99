#include "input.h"

static const uint8_t *at, *end;

void input_begin(const uint8_t *bytes, size_t length) {
    at = bytes;
    end = bytes + length;
}

void input_end(void) { at = end; }

bool input_is_empty(void) { return at == end; }

uint8_t input_byte(void) { return at == end ? 0 : *at++; }
