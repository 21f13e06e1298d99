/* userInfo between processes: a property list, in its binary form. */
#ifndef HERALD_CF_USERINFO_H
#define HERALD_CF_USERINFO_H

#include "corefoundation.h"

#define HERALD_CF_PLIST "application/x-plist"

#pragma GCC visibility push(hidden)
/* NULL: userInfo is not a dictionary, not a property list, or too deep; or memory is out. */
CFDataRef herald_cf_userinfo_encode(CFDictionaryRef userInfo);
/* NULL: the bytes are not a dictionary in the binary form, or memory is out. */
CFDictionaryRef herald_cf_userinfo_decode(const void *bytes, size_t length);
#pragma GCC visibility pop

#endif
