/* The bytes of a CFString. */
#ifndef HERALD_CF_TEXT_H
#define HERALD_CF_TEXT_H

#include "corefoundation.h"

/* In UTF-8, ended by a NUL: in the string itself, in the room given, or in memory of their own. */
struct text {
    const char *bytes; /* NULL: there is a NUL in it, it is not Unicode, or memory is out */
    size_t length;
    char *owned;
    char room[256];
};

#pragma GCC visibility push(hidden)
/* Valid while the string is, and until the end. */
void herald_cf_text_begin(struct text *text, CFStringRef string);
void herald_cf_text_end(struct text *text);
/* A string of its own; NULL for NULL, for what is not UTF-8, and when memory is out. */
CFStringRef herald_cf_text_string(const char *utf8);
#pragma GCC visibility pop

#endif
