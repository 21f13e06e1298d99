/* By hand in Rust (rust.rs), for the harness. */
#include <peer.h>

#include <stdlib.h>

void *rust_make_place(void);
void rust_end_place(void *place);
uintptr_t rust_add(void *place, uint64_t *word);
uintptr_t rust_observe(void *place, const struct listener *listener);
void rust_remove(void *place, uintptr_t number);
void rust_post(void *place, int64_t count);
void rust_count_here(void);

void rust_count_here(void) { count_here(); }

static void *make_center(void) { return malloc(1); }
static void *make_place(void *center, const char *name, const void *object) {
    (void)center, (void)name, (void)object;
    return rust_make_place();
}
static void *add(void *place, uint64_t *word) { return (void *)rust_add(place, word); }
static void *observe(void *place, const struct listener *listener) { return (void *)rust_observe(place, listener); }
static void remove_number(void *place, void *number) { rust_remove(place, (uintptr_t)number); }
static void post(void *place, long count) { rust_post(place, count); }

int main(int count, char **arguments) {
    static const struct peer by_hand = {.name = "byhand-rust",
                                        .title = "by hand in Rust, an Arc replaced",
                                        .package = "rustc",
                                        .rival = "topic",
                                        .ahead = "unnamed",
                                        .rank = 116,
                                        .thread_safe = true,
                                        .owns = true,
                                        .make_center = make_center,
                                        .end_center = free,
                                        .make_place = make_place,
                                        .end_place = rust_end_place,
                                        .add = add,
                                        .observe = observe,
                                        .remove = remove_number,
                                        .post = post};
    return peer_main(count, arguments, &by_hand, 1, NULL, 0);
}
