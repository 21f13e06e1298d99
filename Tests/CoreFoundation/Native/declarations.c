/* Proves at compile time that CHeraldCF's declarations of CoreFoundation agree with the toolchain's headers: a typedef
 * or a function that differs is an error, and structs are compared member by member.
 */
#include <CoreFoundation/CoreFoundation.h>
#include <CoreFoundation/CFRuntime.h>
#include <dispatch/dispatch.h>
#include <stddef.h>

#define CFRange our_CFRange
#define CFRunLoopSourceContext our_CFRunLoopSourceContext
#define CFRuntimeClass our_CFRuntimeClass
#define __CFRuntimeClass our___CFRuntimeClass
#define CFRuntimeBase our_CFRuntimeBase
#define __CFRuntimeBase our___CFRuntimeBase
#define CFNotificationSuspensionBehavior our_CFNotificationSuspensionBehavior
#define CFPropertyListFormat our_CFPropertyListFormat
#define HERALD_CF_STRUCTS_ONLY
#include "../../../CSources/CHeraldCF/src/corefoundation.h"
#undef CFRange
#undef CFRunLoopSourceContext
#undef CFRuntimeClass
#undef __CFRuntimeClass
#undef CFRuntimeBase
#undef __CFRuntimeBase
#undef CFNotificationSuspensionBehavior
#undef CFPropertyListFormat
#undef HERALD_CF_STRUCTS_ONLY
#define HERALD_CF_REST_ONLY
#undef HERALD_CF_COREFOUNDATION_H
#include "../../../CSources/CHeraldCF/src/corefoundation.h"

#define SAME_SIZE(type) _Static_assert(sizeof(type) == sizeof(our_##type), #type " has another size")
#define SAME(type, member)                                                                                             \
    _Static_assert(                                                                                                    \
        offsetof(type, member) == offsetof(our_##type, member) &&                                                      \
            __builtin_types_compatible_p(__typeof__(((type *)0)->member), __typeof__(((our_##type *)0)->member)),      \
        #type "." #member " differs")

SAME_SIZE(CFNotificationSuspensionBehavior);
SAME_SIZE(CFPropertyListFormat);
SAME_SIZE(CFRange);
SAME(CFRange, location);
SAME(CFRange, length);
SAME_SIZE(CFRunLoopSourceContext);
SAME(CFRunLoopSourceContext, version);
SAME(CFRunLoopSourceContext, info);
SAME(CFRunLoopSourceContext, retain);
SAME(CFRunLoopSourceContext, release);
SAME(CFRunLoopSourceContext, copyDescription);
SAME(CFRunLoopSourceContext, equal);
SAME(CFRunLoopSourceContext, hash);
SAME(CFRunLoopSourceContext, schedule);
SAME(CFRunLoopSourceContext, cancel);
SAME(CFRunLoopSourceContext, perform);
SAME_SIZE(CFRuntimeClass);
SAME(CFRuntimeClass, version);
SAME(CFRuntimeClass, className);
SAME(CFRuntimeClass, init);
SAME(CFRuntimeClass, copy);
SAME(CFRuntimeClass, finalize);
SAME(CFRuntimeClass, equal);
SAME(CFRuntimeClass, hash);
SAME(CFRuntimeClass, copyFormattingDesc);
SAME(CFRuntimeClass, copyDebugDesc);
SAME(CFRuntimeClass, reclaim);
SAME(CFRuntimeClass, refcount);
SAME(CFRuntimeClass, requiredAlignment);
SAME_SIZE(CFRuntimeBase);
SAME(CFRuntimeBase, _cfisa);
SAME(CFRuntimeBase, _swift_rc);
SAME(CFRuntimeBase, _cfinfoa);
_Static_assert(kCFStringEncodingUTF8 == HERALD_CF_UTF8 && kCFStringEncodingASCII == HERALD_CF_ASCII,
               "encodings differ");
_Static_assert(kCFNotificationDeliverImmediately == 1, "the option differs");
_Static_assert(kCFPropertyListBinaryFormat_v1_0 == HERALD_CF_BINARY_PLIST, "the format differs");
