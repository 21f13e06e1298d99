/* Names: CFStrings compared by their text, and interned by the core.
 *
 * Ordering, ownership: those of HeraldNameCreate. Progress. A name that fits on the stack allocates nothing.
 */
#include "center.h"
#include <herald/host.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of a text in UTF-8, ended by a NUL: in the string itself, in the room given, or in memory of their own. */
struct bytes {
    const char *text; /* NULL: it cannot be a name */
    size_t length;
    char *owned;
    char room[256];
};

static void copy_bytes(struct bytes *bytes, CFStringRef string, CFIndex length) {
    CFIndex needed = 0, got = 0;
    CFRange all = {0, length};
    /* What is converted: units of UTF-16, or, by Swift's own strings, bytes, of which there are not fewer. */
    if (CFStringGetBytes(string, all, HERALD_CF_UTF8, 0, false, NULL, 0, &needed) < length) return; /* not Unicode */
    char *room = bytes->room;
    if ((size_t)needed >= sizeof bytes->room) room = bytes->owned = malloc((size_t)needed + 1);
    if (!room) return;
    CFStringGetBytes(string, all, HERALD_CF_UTF8, 0, false, (UInt8 *)room, needed, &got);
    room[got] = 0;
    if (strlen(room) != (size_t)got) return; /* there is a NUL in it */
    bytes->text = room;
    bytes->length = (size_t)got;
}

static void get_bytes(struct bytes *bytes, CFStringRef string) {
    CFIndex length = CFStringGetLength(string);
    const char *inside = CFStringGetCStringPtr(string, HERALD_CF_ASCII);
    bytes->owned = NULL;
    bytes->text = NULL;
    if (inside && strlen(inside) == (size_t)length) {
        bytes->text = inside;
        bytes->length = (size_t)length;
    } else {
        copy_bytes(bytes, string, length);
    }
}

/* What a thread has looked up last: names live for ever, and are compared by their text, so nothing here gets old. */
static _Thread_local HeraldNameRef recent[32] __attribute__((tls_model("initial-exec")));

static HeraldNameRef *place_of(const struct bytes *bytes) {
    uint64_t hash = bytes->length, word;
    size_t at = 0;
    for (; at + sizeof word <= bytes->length; at += sizeof word) {
        memcpy(&word, bytes->text + at, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    for (word = 0; at < bytes->length; at++) word = word << 8 | (unsigned char)bytes->text[at];
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return &recent[hash >> 59];
}

static HeraldNameRef find(const struct bytes *bytes, bool make) {
    HeraldNameRef *place = place_of(bytes);
    if (*place && strcmp(HeraldNameGetUTF8String(*place), bytes->text) == 0) return *place;
    HeraldNameRef name = make ? HeraldNameCreate(bytes->text) : HeraldNameFind(bytes->text);
    if (name) *place = name;
    return name;
}

HeraldNameRef herald_cf_name(CFStringRef string, bool make) {
    struct bytes bytes;
    get_bytes(&bytes, string);
    HeraldNameRef name = bytes.text ? find(&bytes, make) : NULL;
    free(bytes.owned);
    return name;
}

void herald_cf_post_text(CFStringRef string) {
    struct bytes bytes;
    get_bytes(&bytes, string);
    if (bytes.text) HeraldHostPost(bytes.text);
    free(bytes.owned);
}
