/* The CF centers, and their suspension.
 *
 * Ordering: A center is complete before pthread_once lets callers have it.
 * Progress: Bounded.
 * Ownership: A held post is a copy, with references of its own to its name and its userInfo.
 */
#include "cf_center.h"
#include "text.h"
#include "../include/HeraldCF.h"
#include <herald/host.h>
#include <herald/inspect.h>
#include <pthread.h>

/* ---- What the suspended local center holds ----------------------------------------------------------------------- */

static const void *copy_post(const void *userInfo) {
    const struct herald_cf_post *post = userInfo;
    struct herald_cf_post *copy = malloc(sizeof *copy);
    if (!copy) return NULL;
    copy->name = CFStringCreateCopy(kCFAllocatorSystemDefault, post->name);
    copy->userInfo = post->userInfo ? CFRetain(post->userInfo) : NULL;
    return copy;
}

static void free_post(const void *userInfo) {
    struct herald_cf_post *copy = (struct herald_cf_post *)(uintptr_t)userInfo;
    CFRelease(copy->name);
    if (copy->userInfo) CFRelease(copy->userInfo);
    free(copy);
}

/* Objects of the local center are addresses. They are not dereferenced. */
static const void *same_address(const void *object) { return object; }

/* ---- The centers, and their type --------------------------------------------------------------------------------- */

static CFNotificationCenterRef centers[3]; /* by kind */
static CFTypeID type;

static CFStringRef describe(CFTypeRef center) {
    static const char *const texts[] = {"<CFNotificationCenter: local>", "<CFNotificationCenter: Darwin>",
                                        "<CFNotificationCenter: distributed>"};
    return herald_cf_text_string(texts[((CFNotificationCenterRef)(uintptr_t)center)->kind]);
}

static const void *made(const void *made) {
    if (made) return made;
    herald_cf_complain("CFNotificationCenter", "out of memory");
    abort();
}

static void make(enum herald_cf_kind kind, HeraldCenterRef native, HeraldCenterRef holding) {
    CFIndex extra = (CFIndex)(sizeof(struct __CFNotificationCenter) - sizeof(CFRuntimeBase));
    centers[kind] = (CFNotificationCenterRef)(uintptr_t)made(
        _CFRuntimeCreateInstance(kCFAllocatorSystemDefault, type, extra, NULL));
    centers[kind]->kind = kind;
    centers[kind]->native = native;
    centers[kind]->holding = holding;
}

static void make_all(void) {
    static const CFRuntimeClass class = {.className = "CFNotificationCenter", .copyDebugDesc = describe};
    HeraldCenterOptions options = {.size = sizeof options,
                                   .retainUserInfo = copy_post,
                                   .releaseUserInfo = free_post,
                                   .retainObject = same_address};
    HeraldCenterRef local = (HeraldCenterRef)made(HeraldCenterCreate(&options));
    HeraldCenterRef host = (HeraldCenterRef)made(HeraldCenterGetHostCenter());
    HeraldCenterRef holding = (HeraldCenterRef)made(HeraldCenterCreate(NULL));
    HeraldCenterSetLabel(holding, "CFNotificationCenter: distributed, held");
    type = _CFRuntimeRegisterClass(&class);
    make(HERALD_CF_LOCAL, local, local);
    make(HERALD_CF_DARWIN, host, NULL);
    make(HERALD_CF_DISTRIBUTED, host, holding);
}

static void make_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_all);
}

CFTypeID CFNotificationCenterGetTypeID(void) {
    make_once();
    return type;
}

CFNotificationCenterRef CFNotificationCenterGetLocalCenter(void) {
    make_once();
    return centers[HERALD_CF_LOCAL];
}

CFNotificationCenterRef CFNotificationCenterGetDarwinNotifyCenter(void) {
    make_once();
    return centers[HERALD_CF_DARWIN];
}

CFNotificationCenterRef CFNotificationCenterGetDistributedCenter(void) {
    make_once();
    return centers[HERALD_CF_DISTRIBUTED];
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
