/* Declares the parts of CoreFoundation and libdispatch that this library uses. The toolchain's headers cannot be
 * included here: they need compiler flags that SwiftPM does not allow in a dependency.
 * Tests/CoreFoundation/Native/declarations.c proves that this file agrees with those headers. The test includes the
 * headers, and then this file twice: once for the structs alone, under other names, and once for the rest. */
#ifndef HERALD_CF_COREFOUNDATION_H
#define HERALD_CF_COREFOUNDATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef bool Boolean;
typedef uint8_t UInt8;
typedef uint32_t UInt32;
typedef signed long CFIndex;
typedef unsigned long CFTypeID, CFOptionFlags, CFHashCode;
typedef const void *CFTypeRef;
typedef const struct __CFString *CFStringRef;
typedef const struct __CFDictionary *CFDictionaryRef;
typedef const struct __CFData *CFDataRef;
typedef struct __CFError *CFErrorRef;
typedef CFTypeRef CFPropertyListRef;
typedef const struct __CFAllocator *CFAllocatorRef;
typedef struct __CFRunLoop *CFRunLoopRef;
typedef struct __CFRunLoopSource *CFRunLoopSourceRef;
typedef UInt32 CFStringEncoding;
typedef CFStringRef CFRunLoopMode;
typedef CFStringRef CFNotificationName;
typedef struct __CFNotificationCenter *CFNotificationCenterRef;
typedef void (*CFNotificationCallback)(CFNotificationCenterRef center, void *observer, CFNotificationName name,
                                       const void *object, CFDictionaryRef userInfo);

#ifndef HERALD_CF_REST_ONLY
typedef CFIndex CFNotificationSuspensionBehavior; /* an enumeration with this size */
typedef CFIndex CFPropertyListFormat;             /* also an enumeration with this size */

typedef struct {
    CFIndex location;
    CFIndex length;
} CFRange;

typedef struct {
    CFIndex version;
    void *info;
    const void *(*retain)(const void *info);
    void (*release)(const void *info);
    CFStringRef (*copyDescription)(const void *info);
    Boolean (*equal)(const void *info1, const void *info2);
    CFHashCode (*hash)(const void *info);
    void (*schedule)(void *info, CFRunLoopRef rl, CFRunLoopMode mode);
    void (*cancel)(void *info, CFRunLoopRef rl, CFRunLoopMode mode);
    void (*perform)(void *info);
} CFRunLoopSourceContext;

typedef struct __CFRuntimeClass {
    CFIndex version;
    const char *className;
    void (*init)(CFTypeRef cf);
    CFTypeRef (*copy)(CFAllocatorRef allocator, CFTypeRef cf);
    void (*finalize)(CFTypeRef cf);
    Boolean (*equal)(CFTypeRef cf1, CFTypeRef cf2);
    CFHashCode (*hash)(CFTypeRef cf);
    CFStringRef (*copyFormattingDesc)(CFTypeRef cf, CFDictionaryRef formatOptions);
    CFStringRef (*copyDebugDesc)(CFTypeRef cf);
    void (*reclaim)(CFTypeRef cf);
    uint32_t (*refcount)(intptr_t op, CFTypeRef cf);
    uintptr_t requiredAlignment;
} CFRuntimeClass;

/* As in Swift's build of CoreFoundation. */
typedef struct __attribute__((__aligned__(8))) __CFRuntimeBase {
    uintptr_t _cfisa;
    uintptr_t _swift_rc;
    _Atomic(uint64_t) _cfinfoa;
} CFRuntimeBase;
#endif

#ifndef HERALD_CF_STRUCTS_ONLY
/* ---- Used -------------------------------------------------------------------------------------------------------- */

extern const CFAllocatorRef kCFAllocatorSystemDefault;
extern const CFRunLoopMode kCFRunLoopCommonModes;

CFTypeRef CFRetain(CFTypeRef cf);
void CFRelease(CFTypeRef cf);
CFTypeID CFGetTypeID(CFTypeRef cf);
Boolean CFEqual(CFTypeRef cf1, CFTypeRef cf2);

CFTypeID CFStringGetTypeID(void);
CFIndex CFStringGetLength(CFStringRef theString);
const char *CFStringGetCStringPtr(CFStringRef theString, CFStringEncoding encoding);
CFIndex CFStringGetBytes(CFStringRef theString, CFRange range, CFStringEncoding encoding, UInt8 lossByte,
                         Boolean isExternalRepresentation, UInt8 *buffer, CFIndex maxBufLen, CFIndex *usedBufLen);
CFStringRef CFStringCreateWithBytes(CFAllocatorRef alloc, const UInt8 *bytes, CFIndex numBytes,
                                    CFStringEncoding encoding, Boolean isExternalRepresentation);

CFStringRef CFStringCreateCopy(CFAllocatorRef alloc, CFStringRef theString);

CFTypeID CFDictionaryGetTypeID(void);
CFDataRef CFDataCreate(CFAllocatorRef allocator, const UInt8 *bytes, CFIndex length);
CFIndex CFDataGetLength(CFDataRef theData);
const UInt8 *CFDataGetBytePtr(CFDataRef theData);
CFDataRef CFPropertyListCreateData(CFAllocatorRef allocator, CFPropertyListRef propertyList,
                                   CFPropertyListFormat format, CFOptionFlags options, CFErrorRef *error);
CFPropertyListRef CFPropertyListCreateWithData(CFAllocatorRef allocator, CFDataRef data, CFOptionFlags options,
                                               CFPropertyListFormat *format, CFErrorRef *error);

CFRunLoopRef CFRunLoopGetMain(void);
CFRunLoopRef CFRunLoopGetCurrent(void);
CFRunLoopMode CFRunLoopCopyCurrentMode(CFRunLoopRef rl);
void CFRunLoopAddSource(CFRunLoopRef rl, CFRunLoopSourceRef source, CFRunLoopMode mode);
void CFRunLoopRemoveSource(CFRunLoopRef rl, CFRunLoopSourceRef source, CFRunLoopMode mode);
void CFRunLoopWakeUp(CFRunLoopRef rl);
CFRunLoopSourceRef CFRunLoopSourceCreate(CFAllocatorRef allocator, CFIndex order, CFRunLoopSourceContext *context);
void CFRunLoopSourceSignal(CFRunLoopSourceRef source);

CFTypeID _CFRuntimeRegisterClass(const CFRuntimeClass *const cls);
CFTypeRef _CFRuntimeCreateInstance(CFAllocatorRef allocator, CFTypeID typeID, CFIndex extraBytes,
                                   unsigned char *category);

#define HERALD_CF_UTF8 0x08000100u
#define HERALD_CF_ASCII 0x0600u
#define HERALD_CF_BINARY_PLIST 200

extern struct dispatch_queue_s _dispatch_main_q;
void dispatch_async_f(struct dispatch_queue_s *queue, void *context, void (*work)(void *));

/* ---- Defined here ------------------------------------------------------------------------------------------------ */

CFTypeID CFNotificationCenterGetTypeID(void);
CFNotificationCenterRef CFNotificationCenterGetLocalCenter(void);
CFNotificationCenterRef CFNotificationCenterGetDarwinNotifyCenter(void);
void CFNotificationCenterAddObserver(CFNotificationCenterRef center, const void *observer,
                                     CFNotificationCallback callBack, CFStringRef name, const void *object,
                                     CFNotificationSuspensionBehavior suspensionBehavior);
void CFNotificationCenterRemoveObserver(CFNotificationCenterRef center, const void *observer, CFNotificationName name,
                                        const void *object);
void CFNotificationCenterRemoveEveryObserver(CFNotificationCenterRef center, const void *observer);
void CFNotificationCenterPostNotification(CFNotificationCenterRef center, CFNotificationName name, const void *object,
                                          CFDictionaryRef userInfo, Boolean deliverImmediately);
void CFNotificationCenterPostNotificationWithOptions(CFNotificationCenterRef center, CFNotificationName name,
                                                     const void *object, CFDictionaryRef userInfo,
                                                     CFOptionFlags options);
#endif

#endif
