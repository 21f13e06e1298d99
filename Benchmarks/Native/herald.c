/* Herald in C: posts by topic, by name, and by a C string that is looked up for each. */
#include <peer.h>

#include <herald/herald.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct place {
    HeraldCenterRef center;
    HeraldNameRef name;
    const void *object;
    HeraldTopicRef topic;
    uint64_t center_number; /* of its tokens */
    char *text;
};

static __attribute__((noinline)) void hear(HeraldCenterRef center, void *observer, HeraldNameRef name,
                                           const void *object, const void *userInfo) {
    *(uint64_t *)observer += 1;
    __asm__ volatile("" : : "r"(center), "r"(name), "r"(object), "r"(userInfo));
}

static __attribute__((noinline)) void hear_here(HeraldCenterRef center, void *observer, HeraldNameRef name,
                                                const void *object, const void *userInfo) {
    count_here();
    __asm__ volatile("" : : "r"(center), "r"(observer), "r"(name), "r"(object), "r"(userInfo));
}

static void *make_center(void) { return HeraldCenterCreate(NULL); }
static void end_center(void *center) { HeraldCenterRelease(center); }

/* Objects are counted, as C programs that hand them around do. */
static void *make_object(void) {
    _Atomic long *object = malloc(sizeof *object);
    REQUIRE(object);
    atomic_init(object, 1);
    return object;
}
static const void *retain_object(const void *object) {
    atomic_fetch_add((_Atomic long *)object, 1);
    return object;
}
static void release_object(const void *object) {
    if (atomic_fetch_sub((_Atomic long *)object, 1) == 1) free((void *)object);
}
static void end_object(void *object) { release_object(object); }

static void *make_place(void *center, const char *name, const void *object) {
    struct place *place = calloc(1, sizeof *place);
    REQUIRE(place);
    *place = (struct place){.center = center, .object = object};
    if (name) {
        place->text = strdup(name);
        place->name = HeraldNameCreate(name);
        REQUIRE(place->text && place->name);
    }
    place->topic = HeraldTopicCreate(center, place->name, object);
    return place;
}
static void *make_plain_place(void *center, const char *name, const void *object) {
    struct place *place = make_place(center, name, object);
    HeraldTopicRelease(place->topic);
    place->topic = NULL;
    return place;
}
static void end_place(void *context) {
    struct place *place = context;
    HeraldTopicRelease(place->topic);
    free(place->text);
    free(place);
}

/* A registration is its token's number; the other half of the token is the same for all of a center. */
static void *registration_of(struct place *place, HeraldToken token) {
    place->center_number = token.center;
    return (void *)token.registration;
}
static HeraldToken token_of(const struct place *place, void *registration) {
    return (HeraldToken){place->center_number, (uint64_t)registration};
}

static void *add(void *context, uint64_t *word) {
    struct place *place = context;
    HeraldToken token;
    REQUIRE(HeraldCenterAddObserverWithOptions(place->center, word, word ? hear : hear_here, place->name, place->object,
                                               NULL, &token) == HeraldOK);
    return registration_of(place, token);
}

static void call_listener(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                          const void *userInfo) {
    (void)center, (void)name, (void)object, (void)userInfo;
    ((struct listener *)observer)->call(((struct listener *)observer)->context);
}
static void release_listener(void *observer) {
    struct listener listener = *(struct listener *)observer;
    free(observer);
    if (listener.release) listener.release(listener.context);
}
static void *observe(void *context, const struct listener *listener) {
    struct place *place = context;
    struct listener *copy = malloc(sizeof *copy);
    HeraldObserverOptions options = {.size = sizeof options,
                                     .release = release_listener,
                                     .retainObject = retain_object,
                                     .releaseObject = release_object};
    HeraldToken token;
    REQUIRE(copy);
    *copy = *listener;
    REQUIRE(HeraldCenterAddObserverWithOptions(place->center, copy, call_listener, place->name, place->object, &options,
                                               &token) == HeraldOK);
    return registration_of(place, token);
}

static void remove_registration(void *place, void *registration) {
    HeraldCenterRemoveToken(((struct place *)place)->center, token_of(place, registration));
}
static void remove_and_wait(void *place, void *registration) {
    HeraldCenterRemoveTokenAndWait(((struct place *)place)->center, token_of(place, registration));
}
static void remove_observer(void *context, uint64_t *word) {
    struct place *place = context;
    HeraldCenterRemoveObserver(place->center, word, place->name, place->object);
}

static void post_by_topic(void *context, long count) {
    HeraldTopicRef topic = ((struct place *)context)->topic;
    for (; count; count--) HeraldTopicPost(topic, "what happened");
}
static void post_by_name(void *context, long count) {
    struct place *place = context;
    for (; count; count--)
        HeraldCenterPostNotification(place->center, place->name, place->object, "what happened", false);
}
static void post_by_string(void *context, long count) {
    struct place *place = context;
    for (; count; count--)
        HeraldCenterPostNotification(place->center, HeraldNameFind(place->text), place->object, "what happened", false);
}

int main(int count, char **arguments) {
    static const struct peer topic = {.name = "topic",
                                      .title = "Herald (C), by topic",
                                      .thread_safe = true,
                                      .objects = true,
                                      .any = true,
                                      .owns = true,
                                      .make_center = make_center,
                                      .end_center = end_center,
                                      .make_object = make_object,
                                      .end_object = end_object,
                                      .make_place = make_place,
                                      .end_place = end_place,
                                      .add = add,
                                      .observe = observe,
                                      .remove = remove_registration,
                                      .remove_and_wait = remove_and_wait,
                                      .remove_observer = remove_observer,
                                      .post = post_by_topic};
    struct peer peers[] = {topic, topic, topic};
    peers[1].name = "name", peers[1].title = "Herald (C), by name";
    peers[1].make_place = make_plain_place, peers[1].post = post_by_name;
    peers[2].name = "string", peers[2].title = "Herald (C), by string";
    peers[2].make_place = make_plain_place, peers[2].post = post_by_string;
    return peer_main(count, arguments, peers, 3, NULL, 0);
}
