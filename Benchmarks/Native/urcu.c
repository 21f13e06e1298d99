/* By hand on liburcu: an array of observers for each place, copied for each change, read in a read-side section. A
 * programmer who knows read-copy-update writes this in an afternoon. */
#define _LGPL_SOURCE
#include <peer.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <urcu/urcu-memb.h>

typedef void (*callback)(void *observer, const void *info);

struct observer {
    callback call;
    void *context;
    void (*release)(void *context);
    struct rcu_head head;
};

struct list {
    struct rcu_head head;
    size_t count;
    struct observer *observers[];
};

struct place {
    pthread_mutex_t lock;
    struct list *list;
};

static void hear(void *observer, const void *info) {
    *(uint64_t *)observer += 1;
    __asm__ volatile("" : : "r"(info));
}
static void hear_here(void *observer, const void *info) {
    count_here();
    __asm__ volatile("" : : "r"(observer), "r"(info));
}
static void call_listener(void *observer, const void *info) {
    (void)info;
    ((struct listener *)observer)->call(((struct listener *)observer)->context);
}
static void release_listener(void *observer) {
    struct listener listener = *(struct listener *)observer;
    free(observer);
    if (listener.release) listener.release(listener.context);
}

static void *make_center(void) { return malloc(1); }

static struct list *list_of(size_t count) {
    struct list *list = malloc(sizeof *list + count * sizeof *list->observers);
    REQUIRE(list);
    list->count = count;
    return list;
}

static void *make_place(void *center, const char *name, const void *object) {
    struct place *place = calloc(1, sizeof *place);
    (void)center, (void)name, (void)object;
    REQUIRE(place && pthread_mutex_init(&place->lock, NULL) == 0);
    place->list = list_of(0);
    return place;
}

static void end_place(void *context) {
    struct place *place = context;
    urcu_memb_synchronize_rcu();
    free(place->list);
    free(place);
}

static void free_list(struct rcu_head *head) { free(caa_container_of(head, struct list, head)); }

static void free_observer(struct rcu_head *head) {
    struct observer *observer = caa_container_of(head, struct observer, head);
    if (observer->release) observer->release(observer->context);
    free(observer);
}

static void *insert(struct place *place, callback call, void *context, void (*release)(void *context)) {
    struct observer *observer = malloc(sizeof *observer);
    REQUIRE(observer);
    *observer = (struct observer){.call = call, .context = context, .release = release};
    pthread_mutex_lock(&place->lock);
    struct list *before = place->list, *list = list_of(before->count + 1);
    memcpy(list->observers, before->observers, before->count * sizeof *list->observers);
    list->observers[before->count] = observer;
    rcu_assign_pointer(place->list, list);
    pthread_mutex_unlock(&place->lock);
    urcu_memb_call_rcu(&before->head, free_list);
    return observer;
}

static void *add(void *place, uint64_t *word) { return insert(place, word ? hear : hear_here, word, NULL); }

static void *observe(void *place, const struct listener *listener) {
    struct listener *copy = malloc(sizeof *copy);
    REQUIRE(copy);
    *copy = *listener;
    return insert(place, call_listener, copy, release_listener);
}

/* The observer, or NULL when it is not in the list. */
static struct observer *take_out(struct place *place, void *registration) {
    pthread_mutex_lock(&place->lock);
    struct list *before = place->list;
    size_t at = before->count;
    while (at > 0 && before->observers[at - 1] != registration) at--;
    if (at > 0) {
        struct list *list = list_of(before->count - 1);
        memcpy(list->observers, before->observers, (at - 1) * sizeof *list->observers);
        memcpy(list->observers + at - 1, before->observers + at, (before->count - at) * sizeof *list->observers);
        rcu_assign_pointer(place->list, list);
    }
    pthread_mutex_unlock(&place->lock);
    if (at == 0) return NULL;
    urcu_memb_call_rcu(&before->head, free_list);
    return registration;
}

static void remove_later(void *place, void *registration) {
    struct observer *observer = take_out(place, registration);
    if (observer) urcu_memb_call_rcu(&observer->head, free_observer);
}

static void remove_and_wait(void *place, void *registration) {
    struct observer *observer = take_out(place, registration);
    if (!observer) return;
    urcu_memb_synchronize_rcu();
    free_observer(&observer->head);
}

static void post(void *context, long count) {
    struct place *place = context;
    for (; count; count--) {
        urcu_memb_read_lock();
        struct list *list = rcu_dereference(place->list);
        for (size_t i = 0; i < list->count; i++) list->observers[i]->call(list->observers[i]->context, "what happened");
        urcu_memb_read_unlock();
    }
}

int main(int count, char **arguments) {
    struct peer by_hand = {.name = "urcu",
                           .title = "by hand on liburcu",
                           .package = "liburcu-dev",
                           .rival = "topic",
                           .ahead = "bare",
                           .rank = 110,
                           .label = "by hand, liburcu",
                           .thread_safe = true,
                           .owns = true,
                           .make_center = make_center,
                           .end_center = free,
                           .make_place = make_place,
                           .end_place = end_place,
                           .add = add,
                           .observe = observe,
                           .remove = remove_later,
                           .remove_and_wait = remove_and_wait,
                           .post = post,
                           .settle = urcu_memb_barrier,
                           .begin_thread = urcu_memb_register_thread,
                           .end_thread = urcu_memb_unregister_thread};
    urcu_memb_get_default_call_rcu_data(); /* before this thread is pinned to a CPU: urcu's thread inherits its mask */
    return peer_main(count, arguments, &by_hand, 1, NULL, 0);
}
