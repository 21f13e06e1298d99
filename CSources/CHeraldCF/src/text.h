/* The bytes of a CFString, and the name that the bytes are. */
#ifndef HERALD_CF_TEXT_H
#define HERALD_CF_TEXT_H

#include "corefoundation.h"
#include <herald/herald.h>
#include <stdlib.h>
#include <string.h>

/* UTF-8, ended by a NUL. The bytes lie in the CFString itself, in `room`, or in memory of their own (`owned`). */
struct herald_cf_text {
    const char *bytes; /* NULL: the text has a NUL in it or is not Unicode, or memory is out */
    size_t length;
    char *owned;
    char room[256];
};

#pragma GCC visibility push(hidden)
/* Copies the bytes of a string for which CFStringGetCStringPtr returns no usable pointer. */
void herald_cf_text_copy(struct herald_cf_text *text, CFStringRef string, CFIndex length);
/* Makes a string. Returns NULL for NULL, for bytes that are not UTF-8, and when memory is out. */
CFStringRef herald_cf_text_string(const char *utf8);
/* Returns the name with this text, or NULL if the text cannot be a name. If there is no such name yet, makes the name
 * if `make` is true, and otherwise returns NULL. */
HeraldNameRef herald_cf_text_name(CFStringRef string, bool make);
#pragma GCC visibility pop

/* The bytes are valid until herald_cf_text_end, if the string lives that long and does not change. */
static inline void herald_cf_text_begin(struct herald_cf_text *text, CFStringRef string) {
    CFIndex length = CFStringGetLength(string);
    text->bytes = CFStringGetCStringPtr(string, HERALD_CF_ASCII);
    text->length = (size_t)length;
    text->owned = NULL;
    if (text->bytes && strlen(text->bytes) == text->length) return; /* there is no NUL in it */
    text->bytes = NULL;
    herald_cf_text_copy(text, string, length);
}
static inline void herald_cf_text_end(struct herald_cf_text *text) {
    if (text->owned) free(text->owned);
}

#endif
