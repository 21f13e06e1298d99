/* The centers, and how posts are kept by a suspended one. */
#include "center.h"
#include "../include/HeraldCF.h"
#include <herald/host.h>
#include <stdio.h>
#include <stdlib.h>

void herald_cf_refuse(const char *function, const char *why) { fprintf(stderr, "herald: %s: %s\n", function, why); }

/* ---- The type ---------------------------------------------------------------------------------------------------- */

static CFStringRef describe(CFTypeRef center) {
    bool is_darwin = ((CFNotificationCenterRef)(uintptr_t)center)->is_darwin;
    const char *text = is_darwin ? "<CFNotificationCenter: Darwin>" : "<CFNotificationCenter: local>";
    CFIndex length = 0;
    while (text[length]) length++;
    return CFStringCreateWithBytes(kCFAllocatorSystemDefault, (const UInt8 *)text, length, HERALD_CF_UTF8, false);
}

static const CFRuntimeClass class = {.className = "CFNotificationCenter", .copyDebugDesc = describe};
static CFTypeID type;

static void register_class(void) { type = _CFRuntimeRegisterClass(&class); }

CFTypeID CFNotificationCenterGetTypeID(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_class);
    return type;
}

static CFNotificationCenterRef make(HeraldCenterRef native, bool is_darwin) {
    CFIndex extra = (CFIndex)(sizeof(struct __CFNotificationCenter) - sizeof(CFRuntimeBase));
    CFNotificationCenterRef center = native
                                         ? (CFNotificationCenterRef)(uintptr_t)_CFRuntimeCreateInstance(
                                               kCFAllocatorSystemDefault, CFNotificationCenterGetTypeID(), extra, NULL)
                                         : NULL;
    if (!center) {
        herald_cf_refuse("CFNotificationCenter", "memory is out");
        abort();
    }
    center->native = native;
    center->is_darwin = is_darwin;
    pthread_mutex_init(&center->lock, NULL);
    return center;
}

/* ---- What a suspended center keeps ------------------------------------------------------------------------------- */

static const void *keep_post(const void *userInfo) {
    const struct post *post = userInfo;
    struct post *kept = post ? malloc(sizeof *kept) : NULL;
    if (!kept) return NULL;
    kept->name = CFStringCreateCopy(kCFAllocatorSystemDefault, post->name);
    if (!kept->name) {
        free(kept);
        return NULL;
    }
    kept->userInfo = post->userInfo ? CFRetain(post->userInfo) : NULL;
    return kept;
}

static void free_post(const void *userInfo) {
    struct post *kept = (struct post *)(uintptr_t)userInfo;
    if (!kept) return;
    CFRelease(kept->name);
    if (kept->userInfo) CFRelease(kept->userInfo);
    free(kept);
}

/* Objects of the local center are addresses, which nobody follows. */
static const void *keep_address(const void *object) { return object; }
static void free_nothing(const void *object) { (void)object; }

/* ---- The centers ------------------------------------------------------------------------------------------------- */

static CFNotificationCenterRef local, darwin;

static void make_local(void) {
    HeraldCenterOptions options = {.size = sizeof options,
                                   .retainUserInfo = keep_post,
                                   .releaseUserInfo = free_post,
                                   .retainObject = keep_address,
                                   .releaseObject = free_nothing};
    local = make(HeraldCenterCreate(&options), false);
}

static void make_darwin(void) { darwin = make(HeraldCenterGetHostCenter(), true); }

CFNotificationCenterRef CFNotificationCenterGetLocalCenter(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_local);
    return local;
}

CFNotificationCenterRef CFNotificationCenterGetDarwinNotifyCenter(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_darwin);
    return darwin;
}

/* Fork: none of these locks is held by a thread that waits for another, or for one of the core's. */
static void lock_all(void) {
    if (local) pthread_mutex_lock(&local->lock);
    if (darwin) pthread_mutex_lock(&darwin->lock);
    herald_cf_lock_list();
}
static void unlock_all(void) {
    herald_cf_unlock_list();
    if (darwin) pthread_mutex_unlock(&darwin->lock);
    if (local) pthread_mutex_unlock(&local->lock);
}
__attribute__((constructor)) static void prepare(void) { pthread_atfork(lock_all, unlock_all, unlock_all); }

static void say_no_network(void) {
    herald_cf_refuse("CFNotificationCenterGetDistributedCenter", "there is no center of all machines; NULL");
}

CFNotificationCenterRef CFNotificationCenterGetDistributedCenter(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, say_no_network);
    return NULL;
}

void HeraldCFNotificationCenterSetSuspended(CFNotificationCenterRef center, bool suspended) {
    if (center && !center->is_darwin) HeraldCenterSetSuspended(center->native, suspended);
}

bool HeraldCFNotificationCenterIsSuspended(CFNotificationCenterRef center) {
    return center && !center->is_darwin && HeraldCenterIsSuspended(center->native);
}
