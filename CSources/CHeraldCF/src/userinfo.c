/* Property lists. Incoming bytes may be anything: CoreFoundation's decoder copes with all bytes. The decoder takes at
 * most 512 levels. CoreFoundation's encoder takes more, so is_decodable() tries to decode what was encoded.
 * (CFPropertyListIsValid does not cope with every list: a list of 200 bytes that shares its parts keeps it busy for
 * ever.)
 *
 * Ordering: none.
 * Progress: That of CoreFoundation.
 * Ownership: The caller owns what these functions return.
 */
#include "userinfo.h"
#include <string.h>

enum { BYTES_OF_512_LEVELS = 512 * 3 };

/* The decoder also knows other forms, which are not accepted here. */
static bool is_binary(const void *bytes, size_t length) { return length >= 8 && memcmp(bytes, "bplist00", 8) == 0; }

static CFDictionaryRef decode(CFDataRef data) {
    CFErrorRef error = NULL;
    CFTypeRef list = CFPropertyListCreateWithData(kCFAllocatorSystemDefault, data, 0, NULL, &error);
    if (error) CFRelease(error);
    if (!list || CFGetTypeID(list) == CFDictionaryGetTypeID()) return list;
    CFRelease(list);
    return NULL;
}

CFDictionaryRef herald_cf_userinfo_decode(const void *bytes, size_t length) {
    CFDataRef data = is_binary(bytes, length) ? CFDataCreate(kCFAllocatorSystemDefault, bytes, (CFIndex)length) : NULL;
    if (!data) return NULL;
    CFDictionaryRef userInfo = decode(data);
    CFRelease(data);
    return userInfo;
}

static bool is_decodable(CFDataRef data) {
    if (CFDataGetLength(data) < BYTES_OF_512_LEVELS) return true;
    CFDictionaryRef userInfo = decode(data);
    if (userInfo) CFRelease(userInfo);
    return userInfo;
}

CFDataRef herald_cf_userinfo_encode(CFDictionaryRef userInfo) {
    if (CFGetTypeID(userInfo) != CFDictionaryGetTypeID()) return NULL;
    CFErrorRef error = NULL;
    CFDataRef data = CFPropertyListCreateData(kCFAllocatorSystemDefault, userInfo, HERALD_CF_BINARY_PLIST, 0, &error);
    if (error) CFRelease(error);
    if (!data || is_decodable(data)) return data;
    CFRelease(data);
    return NULL;
}
