/* Ordering, ownership: The center's lock. A followed name owns its beginners and what is known of its subjects, until
 * it is forgotten; the beginners that a question has taken are the question's. Progress: O(1), amortised, except when a
 * name is forgotten.
 */
#include "followed.h"
#include <stdlib.h>
#include <string.h>

enum { HEARD_MOST = 65536, HEARD_BYTES_MOST = 16 << 20 };

static uint64_t hash_followed(const void *followed) {
    return ground_mix((uintptr_t)((const struct herald_net_followed *)followed)->name);
}

static bool is_followed(const void *followed, const void *name) {
    return ((const struct herald_net_followed *)followed)->name == name;
}

static uint64_t hash_heard_subject(const char *subject) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *subject; subject++) hash = (hash ^ (unsigned char)*subject) * 0x100000001b3u;
    return ground_mix(hash);
}

static uint64_t hash_heard(const void *heard) {
    return hash_heard_subject(((const struct herald_net_heard *)heard)->subject);
}

static bool is_heard_subject(const void *heard, const void *subject) {
    return strcmp(((const struct herald_net_heard *)heard)->subject, subject) == 0;
}

static size_t heard_size(const char *subject) { return sizeof(struct herald_net_heard) + strlen(subject) + 1; }

void herald_net_follows_create(struct herald_net_follows *follows) { follows->all.hash = hash_followed; }

void herald_net_beginners_destroy(struct herald_net_beginner *first) {
    for (struct herald_net_beginner *beginner; (beginner = first);) {
        first = beginner->next;
        free(beginner);
    }
}

static void destroy_followed(struct herald_net_follows *follows, struct herald_net_followed *followed) {
    struct herald_net_heard *heard;
    for (uint32_t at = 0; (heard = ground_table_next(&followed->heard, &at)); follows->count--)
        follows->bytes -= heard_size(heard->subject);
    ground_table_destroy(&followed->heard);
    herald_net_beginners_destroy(followed->waiting);
    herald_net_beginners_destroy(followed->failed);
    free(followed);
}

void herald_net_follows_destroy(struct herald_net_follows *follows) {
    struct herald_net_followed *followed;
    for (uint32_t at = 0; (followed = ground_table_next(&follows->all, &at));) destroy_followed(follows, followed);
    ground_table_clear(&follows->all);
}

struct herald_net_followed *herald_net_follows_find(const struct herald_net_follows *follows, HeraldNameRef name) {
    return ground_table_get(&follows->all, ground_mix((uintptr_t)name), is_followed, name);
}

struct herald_net_followed *herald_net_follows_obtain(struct herald_net_follows *follows, HeraldNameRef name,
                                                      const char *subject) {
    struct herald_net_followed *followed = herald_net_follows_find(follows, name);
    if (followed) return followed;
    followed = calloc(1, sizeof *followed + strlen(subject) + 1);
    if (!followed) return NULL;
    followed->name = name;
    followed->heard.hash = hash_heard;
    strcpy(followed->subject, subject);
    return ground_table_add(&follows->all, followed);
}

void herald_net_follows_forget(struct herald_net_follows *follows, HeraldNameRef name) {
    struct herald_net_followed *followed = herald_net_follows_find(follows, name);
    if (!followed) return;
    ground_table_remove(&follows->all, ground_table_place(&follows->all, followed));
    destroy_followed(follows, followed);
}

struct herald_net_heard *herald_net_heard_find(const struct herald_net_followed *followed, const char *subject) {
    return ground_table_get(&followed->heard, hash_heard_subject(subject), is_heard_subject, subject);
}

struct herald_net_heard *herald_net_heard_obtain(struct herald_net_follows *follows,
                                                 struct herald_net_followed *followed, const char *subject) {
    struct herald_net_heard *heard = herald_net_heard_find(followed, subject);
    size_t size = heard_size(subject);
    if (heard || follows->count >= HEARD_MOST || follows->bytes + size > HEARD_BYTES_MOST) return heard;
    heard = calloc(1, size);
    if (!heard) return NULL;
    heard->is_new = true;
    strcpy(heard->subject, subject);
    heard = ground_table_add(&followed->heard, heard);
    follows->count += heard != NULL;
    follows->bytes += heard ? size : 0;
    return heard;
}

bool herald_net_heard_note(struct herald_net_heard *heard, uint64_t number, uint64_t before, bool *missed) {
    uint64_t newest = heard->heard > heard->known ? heard->heard : heard->known;
    *missed = false;
    if (number <= heard->heard && HERALD_NET_STEP(REPEATED)) return false;
    *missed = !heard->is_new && before > newest && HERALD_NET_STEP(MISSED);
    heard->heard = number;
    heard->is_new = false;
    return true;
}

void herald_net_followed_fail(struct herald_net_followed *followed, struct herald_net_beginner *beginner) {
    beginner->next = followed->failed;
    followed->failed = beginner;
    if (++followed->failed_count < 2 * HERALD_NET_FAILED_MOST) return;
    for (int i = 1; i < HERALD_NET_FAILED_MOST; i++) beginner = beginner->next;
    herald_net_beginners_destroy(beginner->next);
    beginner->next = NULL;
    followed->failed_count = HERALD_NET_FAILED_MOST;
}
