/* The CF centers, and their suspension.
 *
 * Ordering: A center is complete before pthread_once lets callers have it.
 * Progress: Bounded.
 * Ownership: A held post is a copy, with references of its own to its name and its userInfo.
 */
#include "cf_center.h"
#include "cf_complaint.h"
#include "text.h"
#include "../include/HeraldCF.h"
#include <herald/host.h>
#include <herald/inspect.h>
#include <stdlib.h>

/* ---- The type ---------------------------------------------------------------------------------------------------- */

static CFStringRef describe(CFTypeRef center) {
    static const char *const texts[] = {"<CFNotificationCenter: local>", "<CFNotificationCenter: Darwin>",
                                        "<CFNotificationCenter: distributed>"};
    return herald_cf_text_string(texts[((CFNotificationCenterRef)(uintptr_t)center)->kind]);
}

static const CFRuntimeClass class = {.className = "CFNotificationCenter", .copyDebugDesc = describe};
static CFTypeID type;

static void register_class(void) { type = _CFRuntimeRegisterClass(&class); }

CFTypeID CFNotificationCenterGetTypeID(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_class);
    return type;
}

static CFNotificationCenterRef make(enum herald_cf_kind kind, HeraldCenterRef native, HeraldCenterRef holding) {
    CFIndex extra = (CFIndex)(sizeof(struct __CFNotificationCenter) - sizeof(CFRuntimeBase));
    CFNotificationCenterRef center = (CFNotificationCenterRef)(uintptr_t)_CFRuntimeCreateInstance(
        kCFAllocatorSystemDefault, CFNotificationCenterGetTypeID(), extra, NULL);
    if (!center || !native || (kind != HERALD_CF_DARWIN && !holding)) {
        herald_cf_complain("CFNotificationCenter", "out of memory");
        abort();
    }
    center->kind = kind;
    center->native = native;
    center->holding = holding;
    return center;
}

/* ---- What a suspended center holds ------------------------------------------------------------------------------- */

static const void *copy_post(const void *userInfo) {
    const struct herald_cf_post *post = userInfo;
    struct herald_cf_post *copy = post ? malloc(sizeof *copy) : NULL;
    if (!copy) return NULL;
    copy->name = CFStringCreateCopy(kCFAllocatorSystemDefault, post->name);
    if (!copy->name) {
        free(copy);
        return NULL;
    }
    copy->userInfo = post->userInfo ? CFRetain(post->userInfo) : NULL;
    return copy;
}

static void free_post(const void *userInfo) {
    struct herald_cf_post *copy = (struct herald_cf_post *)(uintptr_t)userInfo;
    if (!copy) return;
    CFRelease(copy->name);
    if (copy->userInfo) CFRelease(copy->userInfo);
    free(copy);
}

/* Objects of the local center are addresses. They are not dereferenced. */
static const void *same_address(const void *object) { return object; }
static void free_nothing(const void *object) { (void)object; }

/* ---- The centers ------------------------------------------------------------------------------------------------- */

static CFNotificationCenterRef local, darwin, distributed;

static void make_local(void) {
    HeraldCenterOptions options = {.size = sizeof options,
                                   .retainUserInfo = copy_post,
                                   .releaseUserInfo = free_post,
                                   .retainObject = same_address,
                                   .releaseObject = free_nothing};
    HeraldCenterRef native = HeraldCenterCreate(&options);
    local = make(HERALD_CF_LOCAL, native, native);
}

static void make_darwin(void) { darwin = make(HERALD_CF_DARWIN, HeraldCenterGetHostCenter(), NULL); }

static void make_distributed(void) {
    HeraldCenterRef holding = HeraldCenterCreate(NULL);
    HeraldCenterSetLabel(holding, "CFNotificationCenter: distributed, held");
    distributed = make(HERALD_CF_DISTRIBUTED, HeraldCenterGetHostCenter(), holding);
}

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

CFNotificationCenterRef CFNotificationCenterGetDistributedCenter(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_distributed);
    return distributed;
}

/* A thread that still uses the previous center is safe: that center is never released. */
void HeraldCFSetDistributedCenter(HeraldCenterRef native) {
    CFNotificationCenterRef center = CFNotificationCenterGetDistributedCenter();
    center->native = native ? HeraldCenterRetain(native) : HeraldCenterGetHostCenter();
}

/* ---- Suspension. On macOS AppKit does this. ---------------------------------------------------------------------- */

void HeraldCFNotificationCenterSetSuspended(CFNotificationCenterRef center, bool suspended) {
    if (center) HeraldCenterSetSuspended(center->holding, suspended);
}

bool HeraldCFNotificationCenterIsSuspended(CFNotificationCenterRef center) {
    return center && HeraldCenterIsSuspended(center->holding);
}
