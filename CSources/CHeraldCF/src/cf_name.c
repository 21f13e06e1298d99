/* Names: CFStrings, compared by their text, and interned by the core.
 *
 * Ordering, ownership: those of HeraldNameCreate.
 * Progress: Looking up a name that exists allocates nothing, if its text fits on the stack.
 */
#include "cf_center.h"
#include "text.h"

/* Names that this thread has looked up lately. Names live for ever, and they are compared by their text. So no place in
 * this array becomes stale. */
static _Thread_local HeraldNameRef recent[32] __attribute__((tls_model("initial-exec")));

static HeraldNameRef *place_of(const struct herald_cf_text *text) {
    uint64_t hash = text->length, word;
    size_t at = 0;
    for (; at + sizeof word <= text->length; at += sizeof word) {
        memcpy(&word, text->bytes + at, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    for (word = 0; at < text->length; at++) word = word << 8 | (unsigned char)text->bytes[at];
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return &recent[hash >> 59];
}

static HeraldNameRef find(const struct herald_cf_text *text, bool make) {
    HeraldNameRef *place = place_of(text);
    if (*place && strcmp(HeraldNameGetUTF8String(*place), text->bytes) == 0) return *place;
    HeraldNameRef name = make ? HeraldNameCreate(text->bytes) : HeraldNameFind(text->bytes);
    if (name) *place = name;
    return name;
}

HeraldNameRef herald_cf_name(CFStringRef string, bool make) {
    struct herald_cf_text text;
    herald_cf_text_begin(&text, string);
    HeraldNameRef name = text.bytes ? find(&text, make) : NULL;
    herald_cf_text_end(&text);
    return name;
}
