/* GNUstep's NSNotificationCenter. */
#import <Foundation/Foundation.h>
#include <peer.h>

@interface Hearer : NSObject {
@public
    uint64_t *word;
    struct listener listener;
}
- (void)hear:(NSNotification *)notification;
- (void)hearHere:(NSNotification *)notification;
- (void)call:(NSNotification *)notification;
@end

@implementation Hearer
- (void)hear:(NSNotification *)notification {
    *word += 1;
}
- (void)hearHere:(NSNotification *)notification {
    count_here();
}
- (void)call:(NSNotification *)notification {
    listener.call(listener.context);
}
@end

@interface Place : NSObject {
@public
    NSNotificationCenter *center;
    NSString *name;
    id object;
}
@end
@implementation Place
@end

static void *make_center(void) { return [NSNotificationCenter new]; }
static void release(void *object) { [(id)object release]; }
static void *make_object(void) { return [NSObject new]; }

static void *make_place(void *center, const char *name, const void *object) {
    Place *place = [Place new];
    place->center = center;
    place->name = name ? [[NSString alloc] initWithUTF8String:name] : nil;
    place->object = (id)object;
    return place;
}
static void end_place(void *place) {
    [((Place *)place)->name release];
    [(Place *)place release];
}

static void *add_hearer(Place *place, Hearer *hearer, SEL selector) {
    [place->center addObserver:hearer selector:selector name:place->name object:place->object];
    return hearer;
}
/* An observer may still be called after its removal, so it is reused and never freed. */
static NSMutableArray *unused;
static void forget(void *registration) { [unused addObject:(id)registration]; }
static Hearer *make_hearer(void) {
    Hearer *hearer = [unused lastObject];
    if (!hearer) return [Hearer new];
    [unused removeLastObject]; /* its first reference is ours */
    return hearer;
}

static void *add(void *place, uint64_t *word) {
    Hearer *hearer = make_hearer();
    hearer->word = word;
    return add_hearer(place, hearer, word ? @selector(hear:) : @selector(hearHere:));
}
static void *observe(void *place, const struct listener *listener) {
    Hearer *hearer = [Hearer new];
    hearer->listener = *listener;
    return add_hearer(place, hearer, @selector(call:));
}
static void remove_hearer(void *context, void *registration) {
    Place *place = context;
    [place->center removeObserver:(id)registration name:place->name object:place->object];
}

static void post(void *context, long count) {
    Place *place = context;
    while (count > 0) {
        NSAutoreleasePool *pool = [NSAutoreleasePool new];
        for (int i = 0; i < 64 && count > 0; i++, count--)
            [place->center postNotificationName:place->name object:place->object userInfo:nil];
        [pool release];
    }
}

static __thread NSAutoreleasePool *pool_here;
static void begin_thread(void) {
    GSRegisterCurrentThread();
    pool_here = [NSAutoreleasePool new];
}
static void end_thread(void) {
    [pool_here release];
    GSUnregisterCurrentThread();
}

int main(int count, char **arguments) {
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    static char title[64];
    unused = [NSMutableArray new];
    snprintf(title, sizeof title, "GNUstep Base %d.%d", GNUSTEP_BASE_MAJOR_VERSION, GNUSTEP_BASE_MINOR_VERSION);
    struct peer center = {.name = "gnustep",
                          .title = title,
                          .package = "libgnustep-base-dev gobjc",
                          .rival = "name",
                          .ahead = "loose at-once small-name",
                          .lookup = "name",
                          .rank = 160,
                          .label = "GNUstep",
                          .thread_safe = true,
                          .objects = true,
                          .any = true,
                          .make_center = make_center,
                          .end_center = release,
                          .make_object = make_object,
                          .end_object = release,
                          .make_place = make_place,
                          .end_place = end_place,
                          .add = add,
                          .observe = observe,
                          .remove = remove_hearer,
                          .forget = forget,
                          .post = post,
                          .begin_thread = begin_thread,
                          .end_thread = end_thread};
    int status = peer_main(count, arguments, &center, 1, NULL, 0);
    [pool release];
    return status;
}
