/* Reading and making strings.
 *
 * Ordering: none.
 * Progress: Reading a text that fits on the stack allocates nothing.
 * Ownership: See text.h.
 */
#include "text.h"
#include <stdlib.h>
#include <string.h>

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
