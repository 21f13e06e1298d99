/* The CF centers, and how the local center keeps posts while it is suspended.
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

static CFNotificationCenterRef make(HeraldCenterRef native, enum herald_cf_kind kind) {
    CFIndex extra = (CFIndex)(sizeof(struct __CFNotificationCenter) - sizeof(CFRuntimeBase));
    CFNotificationCenterRef center = native
                                         ? (CFNotificationCenterRef)(uintptr_t)_CFRuntimeCreateInstance(
                                               kCFAllocatorSystemDefault, CFNotificationCenterGetTypeID(), extra, NULL)
                                         : NULL;
    if (!center) {
        herald_cf_complain("CFNotificationCenter", "out of memory");
        abort();
    }
    center->native = native;
    center->kind = kind;
    pthread_mutex_init(&center->lock, NULL);
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
    local = make(HeraldCenterCreate(&options), HERALD_CF_LOCAL);
}

static void make_darwin(void) { darwin = make(HeraldCenterGetHostCenter(), HERALD_CF_DARWIN); }

static void make_distributed(void) { distributed = make(HeraldCenterGetHostCenter(), HERALD_CF_DISTRIBUTED); }

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

/* No other function takes more than one of these locks. */
void herald_cf_lock_centers(void) {
    if (local) pthread_mutex_lock(&local->lock);
    if (darwin) pthread_mutex_lock(&darwin->lock);
    if (distributed) pthread_mutex_lock(&distributed->lock);
}
void herald_cf_unlock_centers(void) {
    if (distributed) pthread_mutex_unlock(&distributed->lock);
    if (darwin) pthread_mutex_unlock(&darwin->lock);
    if (local) pthread_mutex_unlock(&local->lock);
}
