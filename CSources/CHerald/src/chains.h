/* A small hash table whose elements carry their own links. */
#ifndef HERALD_CHAINS_H
#define HERALD_CHAINS_H

#include "platform.h"
#include <stdlib.h>

struct herald_chain {
    struct herald_chain *next;
    uint64_t hash;
};

struct herald_chains {
    struct herald_chain **heads;
    uint32_t capacity, count;
};

/* Returns the first element of the list for this hash; NULL: the list is empty. The list may also have elements with
 * other hashes: follow `next` and compare. */
static inline struct herald_chain *herald_chains_find(const struct herald_chains *chains, uint64_t hash) {
    return chains->capacity ? chains->heads[hash & (chains->capacity - 1)] : NULL;
}

static inline void herald_chains_push(struct herald_chains *chains, struct herald_chain *chain) {
    struct herald_chain **head = &chains->heads[chain->hash & (chains->capacity - 1)];
    chain->next = *head;
    *head = chain;
}

/* Makes room for one more; false if memory is out. */
static inline bool herald_chains_reserve(struct herald_chains *chains) {
    if (chains->count < chains->capacity) return true;
    struct herald_chains larger = {NULL, chains->capacity ? chains->capacity * 2 : 16, chains->count};
    larger.heads = (struct herald_chain **)calloc(larger.capacity, sizeof *larger.heads);
    if (!larger.heads) return false;
    for (uint32_t i = 0; i < chains->capacity; i++)
        for (struct herald_chain *chain = chains->heads[i], *next; chain; chain = next) {
            next = chain->next;
            herald_chains_push(&larger, chain);
        }
    free(chains->heads);
    *chains = larger;
    return true;
}

/* Call herald_chains_reserve before this. */
static inline void herald_chains_insert(struct herald_chains *chains, struct herald_chain *chain) {
    herald_chains_push(chains, chain);
    chains->count++;
}

static inline void herald_chains_remove(struct herald_chains *chains, struct herald_chain *chain) {
    struct herald_chain **link = &chains->heads[chain->hash & (chains->capacity - 1)];
    while (*link != chain) link = &(*link)->next;
    *link = chain->next;
    chains->count--;
}

#endif
