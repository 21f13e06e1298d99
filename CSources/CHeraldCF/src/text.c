/* Reading and making strings. Names are compared by their text, and interned by the core.
 *
 * Ordering: For names that of HeraldNameCreate.
 * Progress: Reading a text that fits on the stack allocates nothing, and neither does looking up a name that exists.
 * Ownership: See text.h. Names live for ever.
 */
#include "text.h"

void herald_cf_text_copy(struct herald_cf_text *text, CFStringRef string, CFIndex length) {
    CFIndex needed = 0, got = 0;
    CFRange all = {0, length};
    /* CFStringGetBytes returns how many UTF-16 units it has converted. For Swift's own strings it returns a number of
     * bytes, which is never smaller than the number of units. */
    if (CFStringGetBytes(string, all, HERALD_CF_UTF8, 0, false, NULL, 0, &needed) < length) return; /* not Unicode */
    char *room = text->room;
    if ((size_t)needed >= sizeof text->room) room = text->owned = malloc((size_t)needed + 1);
    if (!room) return;
    CFStringGetBytes(string, all, HERALD_CF_UTF8, 0, false, (UInt8 *)room, needed, &got);
    room[got] = 0;
    if (strlen(room) != (size_t)got) return; /* there is a NUL in it */
    text->bytes = room;
    text->length = (size_t)got;
}

CFStringRef herald_cf_text_string(const char *utf8) {
    if (!utf8) return NULL;
    return CFStringCreateWithBytes(kCFAllocatorSystemDefault, (const UInt8 *)utf8, (CFIndex)strlen(utf8),
                                   HERALD_CF_UTF8, false);
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* Names that this thread has looked up lately, and their texts. No place becomes stale. */
struct recent {
    HeraldNameRef name;
    const char *text;
};
static _Thread_local struct recent recent[32] __attribute__((tls_model("initial-exec")));

static struct recent *place_of(const struct herald_cf_text *text) {
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
    struct recent *place = place_of(text);
    if (place->name && strcmp(place->text, text->bytes) == 0) return place->name;
    HeraldNameRef name = make ? HeraldNameCreate(text->bytes) : HeraldNameFind(text->bytes);
    if (name) *place = (struct recent){name, HeraldNameGetUTF8String(name)};
    return name;
}

HeraldNameRef herald_cf_text_name(CFStringRef string, bool make) {
    struct herald_cf_text text;
    herald_cf_text_begin(&text, string);
    HeraldNameRef name = text.bytes ? find(&text, make) : NULL;
    herald_cf_text_end(&text);
    return name;
}
