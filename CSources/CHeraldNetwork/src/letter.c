/* Ordering, ownership: The center's lock; see net_store.c. Progress: O(1), amortised. */
#include "letter.h"
#include <stdlib.h>

static uint64_t hash_letter(const void *letter) {
    return ground_mix(((const struct herald_net_letter *)letter)->number);
}

static bool is_letter(const void *letter, const void *number) {
    return ((const struct herald_net_letter *)letter)->number == *(const uint64_t *)number;
}

void herald_net_letters_create(struct herald_net_letters *letters) {
    letters->numbered.hash = hash_letter;
    letters->end = &letters->foremost;
    letters->over_end = &letters->over;
}

struct herald_net_letter *herald_net_letters_find(const struct herald_net_letters *letters, uint64_t number) {
    struct herald_net_letter *letter = ground_table_get(&letters->numbered, ground_mix(number), is_letter, &number);
    return letter && letter->sent_at ? letter : NULL;
}

void herald_net_letter_destroy(struct herald_net_letter *letter) {
    if (letter->post) herald_net_outgoing_destroy(letter->post);
    free(letter);
}
