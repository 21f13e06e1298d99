/* Names of literals, by the addresses of their texts.
 *
 * Ordering: A place is one pointer, which is stored with release. Partner: the acquire in herald_swift_literal_find.
 * Without the pair a thread could find a name and not yet see its text.
 * Progress: Wait-free.
 * Ownership: Names live for ever. A text may be unloaded, and another one loaded at the same address. So the texts are
 * compared.
 */
#include "herald_runtime.h"

#include <string.h>

enum { LITERALS_BITS = 10 };
static HeraldNameRef literals[1 << LITERALS_BITS]; /* atomic */

static HeraldNameRef *place_of(const uint8_t *text) {
    return &literals[(uint64_t)(uintptr_t)text * 0x9e3779b97f4a7c15u >> (64 - LITERALS_BITS)];
}

HeraldNameRef herald_swift_literal_find(const uint8_t *text, size_t length) {
    HeraldNameRef name = __atomic_load_n(place_of(text), __ATOMIC_ACQUIRE);
    if (!name) return NULL;
    const char *known = HeraldNameGetUTF8String(name);
    return strlen(known) == length && memcmp(known, text, length) == 0 ? name : NULL;
}

void herald_swift_literal_note(const uint8_t *text, HeraldNameRef name) {
    __atomic_store_n(place_of(text), name, __ATOMIC_RELEASE);
}
