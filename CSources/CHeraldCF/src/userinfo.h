/* userInfo between processes: a property list, in its binary form. */
#ifndef HERALD_CF_USERINFO_H
#define HERALD_CF_USERINFO_H

#include "corefoundation.h"

#define HERALD_CF_PLIST "application/x-plist"

#pragma GCC visibility push(hidden)
/* NULL: it is no dictionary, no property list, or too deep. */
CFDataRef herald_cf_userinfo_encode(CFDictionaryRef userInfo);
/* NULL: the bytes are no dictionary in that form. */
CFDictionaryRef herald_cf_userinfo_decode(const void *bytes, size_t length);
#pragma GCC visibility pop

#endif
