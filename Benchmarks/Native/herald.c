/* Herald in C: posts by topic, by name, and by a C string that is looked up for each; the look-up alone; posts that are
 * traced. */
#include "texts.h"

#include <herald/herald.h>
#include <herald/inspect.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* A place, as this program knows it. It is not allocated by malloc: a program keeps these things where it uses them. */
static struct place {
    void *handle; /* the topic, or this struct */
    HeraldCenterRef center;
    HeraldNameRef name;
    const void *object;
    char *text;             /* for posts by string only */
    uint64_t center_number; /* of its tokens */
} places[1200000];

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

/* Objects are reference-counted, as in C programs that pass them around. */
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

static struct place *by_handle[1 << 21]; /* open addressing */
static __thread struct place *last;

static struct place **entry_of(const void *handle) {
    size_t at = (size_t)(((uintptr_t)handle >> 3) * 0x9e3779b97f4a7c15u >> 43);
    while (by_handle[at] && by_handle[at]->handle != handle) at = (at + 1) % (sizeof by_handle / sizeof *by_handle);
    return &by_handle[at];
}
static struct place *place_of(const void *handle) {
    if (!last || last->handle != handle) last = *entry_of(handle);
    return last;
}

static void *make_place(void *center, const char *name, const void *object) {
    static size_t used;
    REQUIRE(used < sizeof places / sizeof *places);
    struct place *place = &places[used++];
    *place = (struct place){place, center, name ? HeraldNameCreate(name) : NULL, object, NULL, 0};
    REQUIRE(place->name || !name);
    return *entry_of(place) = last = place;
}
static void *make_text_place(void *center, const char *name, const void *object) {
    struct place *place = make_place(center, name, object);
    REQUIRE((place->text = strdup(name ? name : "")) != NULL);
    return place;
}
static void end_place(void *place) { (void)place; }

/* By topic: the topic is the place, as a program would keep it. It is the counterpart of a signal. */
static void *make_topic(void *center, const char *name, const void *object) {
    struct place *place = make_place(center, name, object);
    if (!name) return place; /* any name: observed, never posted to */
    REQUIRE((place->handle = HeraldTopicCreate(center, place->name, object)) != NULL);
    *entry_of(place->handle) = place;
    return place->handle;
}
static void end_topic(void *topic) { HeraldTopicRelease(topic); }

/* A registration is its token's number; the other half of the token is the same for all of a center. */
static void *registration_of(struct place *place, HeraldToken token) {
    place->center_number = token.center;
    return (void *)token.registration;
}
static HeraldToken token_of(const struct place *place, void *registration) {
    return (HeraldToken){place->center_number, (uint64_t)registration};
}

static void *add(void *handle, uint64_t *word) {
    struct place *place = place_of(handle);
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
static void *observe(void *handle, const struct listener *listener) {
    struct place *place = place_of(handle);
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

static void remove_registration(void *handle, void *registration) {
    const struct place *place = place_of(handle);
    HeraldCenterRemoveToken(place->center, token_of(place, registration));
}
static void remove_and_wait(void *handle, void *registration) {
    const struct place *place = place_of(handle);
    HeraldCenterRemoveTokenAndWait(place->center, token_of(place, registration));
}
static void remove_observer(void *handle, uint64_t *word) {
    const struct place *place = place_of(handle);
    HeraldCenterRemoveObserver(place->center, word, place->name, place->object);
}

static void post_by_topic(void *topic, long count) {
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

/* ---- Texts that are looked up ------------------------------------------------------------------------------------ */

static const char *know_texts(void *text) {
    char name[32];
    REQUIRE(HeraldNameCreate(text) != NULL);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "another.name.%d", i);
        REQUIRE(HeraldNameCreate(name) != NULL);
    }
    return NULL;
}
static void find_text(void *text, long count) {
    for (; count; count--) REQUIRE(HeraldNameFind(text) != NULL);
}

/* ---- Posts that are traced --------------------------------------------------------------------------------------- */

enum { QUIET, TRACED, TRACED_ELSEWHERE };
static struct traced {
    int where;
    struct place *place;
    uint64_t word, events;
} quiet = {QUIET, NULL, 0, 0}, traced = {TRACED, NULL, 0, 0}, elsewhere = {TRACED_ELSEWHERE, NULL, 0, 0};

static void note(void *context, const HeraldTraceEvent *event) {
    *(uint64_t *)context += 1;
    __asm__ volatile("" : : "r"(event));
}
static const char *begin_trace(void *context) {
    struct traced *it = context;
    HeraldCenterRef center = HeraldCenterCreate(NULL), other = HeraldCenterCreate(NULL);
    HeraldToken trace;
    it->place = make_place(center, "document.saved", NULL);
    add(it->place, &it->word);
    if (it->where != QUIET)
        REQUIRE(HeraldTraceStart(it->where == TRACED ? center : other, NULL, note, &it->events, NULL, &trace) ==
                HeraldOK);
    post_by_name(it->place, 1);
    return (it->events > 0) == (it->where == TRACED) ? NULL : "its posts are not told as they should be";
}
static void post_traced(void *context, long count) { post_by_name(((struct traced *)context)->place, count); }

/* ---- Threads that post once -------------------------------------------------------------------------------------- */

static struct place *the_place;

static void *post_once(void *unused) {
    post_by_name(the_place, 1);
    return unused;
}
static void *do_nothing(void *unused) { return unused; }
static const char *begin_place(void *word) {
    the_place = make_place(HeraldCenterCreate(NULL), "document.saved", NULL);
    add(the_place, word);
    return NULL;
}
static void run_threads(void *(*function)(void *), long count) {
    pthread_t thread;
    for (; count; count--) {
        REQUIRE(pthread_create(&thread, NULL, function, NULL) == 0);
        pthread_join(thread, NULL);
    }
}
static void run_empty_threads(void *unused, long count) {
    (void)unused;
    run_threads(do_nothing, count);
}
static void run_posting_threads(void *unused, long count) {
    (void)unused;
    run_threads(post_once, count);
}

/* ---- Programs that begin and end --------------------------------------------------------------------------------- */

static char empty[] = "begin-empty", posting[] = "begin-posting";

/* Runs this program, which ends at once: the cost of a process with the library in it, and with a center, too. */
static void run_programs(void *what, long count) {
    extern char **environ;
    char *arguments[] = {what, what, NULL};
    for (; count; count--) {
        pid_t program;
        int status;
        REQUIRE(posix_spawn(&program, "/proc/self/exe", NULL, NULL, arguments, environ) == 0);
        REQUIRE(waitpid(program, &status, 0) == program && status == 0);
    }
}
static int begin_and_end(const char *what) {
    uint64_t word = 0;
    if (what == empty) return 0;
    begin_place(&word);
    post_by_name(the_place, 1);
    return word != 1;
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], empty) == 0) return begin_and_end(empty);
    if (count == 2 && strcmp(arguments[1], posting) == 0) return begin_and_end(posting);
    static const struct peer topic = {.name = "topic",
                                      .title = "Herald (C), by topic",
                                      .role = "herald",
                                      .thread_safe = true,
                                      .objects = true,
                                      .any = true,
                                      .owns = true,
                                      .make_center = make_center,
                                      .end_center = end_center,
                                      .make_object = make_object,
                                      .end_object = end_object,
                                      .make_place = make_topic,
                                      .end_place = end_topic,
                                      .add = add,
                                      .observe = observe,
                                      .remove = remove_registration,
                                      .remove_and_wait = remove_and_wait,
                                      .remove_observer = remove_observer,
                                      .post = post_by_topic};
    struct peer peers[] = {topic, topic, topic};
    peers[0].rank = 20, peers[0].label = "Herald, topic";
    peers[1].name = "name", peers[1].title = "Herald (C), by name", peers[1].lookup = "name";
    peers[1].rank = 30, peers[1].label = "Herald, name";
    peers[1].make_place = make_place, peers[1].end_place = end_place, peers[1].post = post_by_name;
    peers[2].name = "string", peers[2].title = "Herald (C), by string", peers[2].lookup = "string";
    peers[2].like = "name";
    peers[2].make_place = make_text_place, peers[2].end_place = end_place, peers[2].post = post_by_string;
    static uint64_t heard_once;
    static const struct task tasks[] = {
        {.name = "begin-empty", .run = run_programs, .context = empty},
        {.name = "begin-posting", .run = run_programs, .context = posting},
        {.name = "thread", .run = run_empty_threads, .open = begin_place, .context = &heard_once},
        {.name = "thread-post", .run = run_posting_threads, .open = begin_place, .context = &heard_once},
        {.name = "find-8", .run = find_text, .open = know_texts, .context = text_8},
        {.name = "find-16", .run = find_text, .open = know_texts, .context = text_16},
        {.name = "find-24", .run = find_text, .open = know_texts, .context = text_24},
        {.name = "find-40", .run = find_text, .open = know_texts, .context = text_40},
        {.name = "post-quiet", .run = post_traced, .open = begin_trace, .context = &quiet},
        {.name = "post-traced", .run = post_traced, .open = begin_trace, .context = &traced},
        {.name = "post-traced-elsewhere", .run = post_traced, .open = begin_trace, .context = &elsewhere}};
    return peer_main(count, arguments, peers, 3, tasks, sizeof tasks / sizeof *tasks);
}
