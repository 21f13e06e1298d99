/* UTF-8 (RFC 3629): no overlong forms, no surrogates, no numbers above U+10FFFF. */
#ifndef HERALD_GROUND_UTF8_H
#define HERALD_GROUND_UTF8_H

#include "ground.h"
#include <stdbool.h>
#include <string.h>

/* Returns the length in bytes of the character at `at`, or 0 if no valid character begins there. The text ends with a
 * NUL, which is a character of one byte. */
static inline int ground_utf8_length(const unsigned char *at) {
    int length = *at < 0x80                  ? 1
                 : *at >= 0xc2 && *at < 0xe0 ? 2
                 : *at >= 0xe0 && *at < 0xf0 ? 3
                 : *at >= 0xf0 && *at < 0xf5 ? 4
                                             : 0;
    /* The limits of the second byte exclude overlong forms, surrogates and numbers above U+10FFFF. */
    unsigned char low = *at == 0xe0 ? 0xa0 : *at == 0xf0 ? 0x90 : 0x80;
    unsigned char high = *at == 0xed ? 0x9f : *at == 0xf4 ? 0x8f : 0xbf;
    for (int i = 1; i < length; i++, low = 0x80, high = 0xbf)
        if (at[i] < low || at[i] > high) return 0;
    return length;
}

/* NULL is no text, and no fault. */
static inline bool ground_utf8_is_text(const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    for (int length; at && *at; at += length)
        if (!(length = ground_utf8_length(at))) return false;
    return true;
}

/* Returns how many of the text's bytes are kept if at most `limit` are: no character is cut in two. */
static inline size_t ground_utf8_cut(const char *text, size_t limit) {
    size_t length = strnlen(text, limit);
    while (length && ((unsigned char)text[length] & 0xc0) == 0x80) length--;
    return length;
}

#endif
