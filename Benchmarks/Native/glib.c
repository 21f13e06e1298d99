/* GLib: a GObject with a signal for each name and object, and the notification of a property. */
#include <peer.h>

#include <glib-object.h>

typedef struct {
    GObject parent;
} Emitter;
typedef struct {
    GObjectClass parent;
} EmitterClass;
G_DEFINE_TYPE(Emitter, emitter, G_TYPE_OBJECT)

static guint posted;
static GParamSpec *value;

static void get_value(GObject *object, guint id, GValue *to, GParamSpec *spec) {
    (void)object, (void)id, (void)spec;
    g_value_set_int(to, 0);
}
static void emitter_init(Emitter *emitter) { (void)emitter; }
static void emitter_class_init(EmitterClass *class) {
    posted = g_signal_new("posted", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                          G_TYPE_POINTER);
    value = g_param_spec_int("value", "value", "value", 0, 1, 0, G_PARAM_READABLE);
    G_OBJECT_CLASS(class)->get_property = get_value;
    g_object_class_install_property(G_OBJECT_CLASS(class), 1, value);
}

static void *make_center(void) { return g_malloc(1); }
static void *make_place(void *center, const char *name, const void *object) {
    (void)center, (void)name, (void)object;
    return g_object_new(emitter_get_type(), NULL);
}

static void hear(void *emitter, const void *info, void *word) {
    (void)emitter;
    *(uint64_t *)word += 1;
    __asm__ volatile("" : : "r"(info));
}
static void hear_here(void *emitter, const void *info, void *word) {
    (void)emitter, (void)word;
    count_here();
    __asm__ volatile("" : : "r"(info));
}
static void call(void *emitter, const void *info, void *context) {
    (void)emitter, (void)info;
    ((struct listener *)context)->call(((struct listener *)context)->context);
}
static void release(void *context, GClosure *closure) {
    struct listener listener = *(struct listener *)context;
    (void)closure;
    g_free(context);
    if (listener.release) listener.release(listener.context);
}

static void *add_to(void *place, const char *signal, uint64_t *word) {
    return (void *)g_signal_connect(place, signal, G_CALLBACK(word ? hear : hear_here), word);
}
static void *add(void *place, uint64_t *word) { return add_to(place, "posted", word); }
static void *add_notify(void *place, uint64_t *word) { return add_to(place, "notify::value", word); }

static void *observe_at(void *place, const char *signal, const struct listener *listener) {
    struct listener *copy = g_new(struct listener, 1);
    *copy = *listener;
    return (void *)g_signal_connect_data(place, signal, G_CALLBACK(call), copy, release, 0);
}
static void *observe(void *place, const struct listener *listener) { return observe_at(place, "posted", listener); }
static void *observe_notify(void *place, const struct listener *listener) {
    return observe_at(place, "notify::value", listener);
}

static void disconnect(void *place, void *registration) { g_signal_handler_disconnect(place, (gulong)registration); }
static void disconnect_observer(void *place, uint64_t *word) { g_signal_handlers_disconnect_by_data(place, word); }

static void post(void *place, long count) {
    for (; count; count--) g_signal_emit(place, posted, 0, "what happened");
}
static void notify(void *place, long count) {
    for (; count; count--) g_object_notify_by_pspec(place, value);
}

/* ---- Objects that are connected, and disconnect when they end */

struct object {
    GObject *emitter;
    gulong handler;
};

static __attribute__((noinline)) void draw_number(void *emitter, const void *random, void *object) {
    __asm__ volatile("" : : "r"(emitter), "r"(object));
    draw((uint32_t *)random);
}

static void *make_emitters(size_t count) {
    GObject **all = g_new(GObject *, count);
    for (size_t i = 0; i < count; i++) all[i] = g_object_new(emitter_get_type(), NULL);
    return all;
}
static void end_emitters(void *emitters, size_t count) {
    for (size_t i = 0; i < count; i++) g_object_unref(((GObject **)emitters)[i]);
    g_free(emitters);
}
static void *make_objects(size_t count) { return g_new0(struct object, count); }
static void end_objects(void *objects, size_t count) {
    struct object *object = objects;
    for (size_t i = 0; i < count; i++, object++)
        if (object->handler) g_signal_handler_disconnect(object->emitter, object->handler);
    g_free(objects);
}
static void connect(void *emitters, void *objects, size_t count) {
    struct object *object = objects;
    GObject *emitter = *(GObject **)emitters;
    for (size_t i = 0; i < count; i++, object++)
        *object = (struct object){emitter, g_signal_connect(emitter, "posted", G_CALLBACK(draw_number), object)};
}
static void emit(void *emitters, uint32_t *random) { g_signal_emit(*(GObject **)emitters, posted, 0, random); }
static void live(long count) {
    for (; count; count--) {
        GObject *emitter = g_object_new(emitter_get_type(), NULL);
        g_signal_connect(emitter, "posted", G_CALLBACK(draw_number), NULL);
        g_object_unref(emitter);
    }
}
static const struct slots slots = {make_emitters, end_emitters, make_objects, end_objects, connect, emit, live};

static void say_nothing(const char *domain, GLogLevelFlags level, const char *message, void *context) {
    (void)domain, (void)level, (void)message, (void)context;
}

int main(int count, char **arguments) {
    static char title[64], notify_title[64];
    g_snprintf(title, sizeof title, "GLib %d.%d, signal", GLIB_MAJOR_VERSION, GLIB_MINOR_VERSION);
    g_snprintf(notify_title, sizeof notify_title, "GLib %d.%d, notify", GLIB_MAJOR_VERSION, GLIB_MINOR_VERSION);
    struct peer signals = {.name = "glib",
                           .title = title,
                           .package = "libglib2.0-dev",
                           .rival = "topic",
                           .ahead = "adjacent at-once small-name",
                           .thread_safe = true,
                           .owns = true,
                           .make_center = make_center,
                           .end_center = g_free,
                           .make_place = make_place,
                           .end_place = g_object_unref,
                           .add = add,
                           .observe = observe,
                           .remove = disconnect,
                           .remove_observer = disconnect_observer,
                           .post = post,
                           .slots = &slots};
    struct peer both[] = {signals, signals};
    both[0].rank = 140, both[0].label = "GLib";
    both[1].name = "glib-notify", both[1].title = notify_title, both[1].like = "glib";
    both[1].add = add_notify, both[1].observe = observe_notify, both[1].post = notify;
    g_log_set_default_handler(say_nothing, NULL); /* it prints warnings about stale handlers */
    return peer_main(count, arguments, both, 2, NULL, 0);
}
