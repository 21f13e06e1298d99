/* Ordering: see current.h. Progress: A copy is made again if the value was claimed anew meanwhile. That is rare,
 * because a freed value rests (value.h), and bounded. Ownership: The copies are the caller's. */
#include "current.h"
#include "host_complaint.h"
#include <stdlib.h>
#include <string.h>

/* What a cell keeps now. */
struct kept_now {
    uint32_t number, generation; /* of the value; number 0: nothing is kept */
    uint64_t sequence;           /* of the record; its lower bits, as in a cell's word */
};

/* Reads the cell's word. False: it changes at the moment. */
static bool look_at(struct herald_host_header *header, const struct herald_host_cell *cell, struct kept_now *found) {
    uint64_t word = cell->word;
    *found = (struct kept_now){.number = herald_host_cell_value(word), .sequence = herald_host_cell_sequence(word)};
    found->generation = herald_host_value_generation_of(header, found->number);
    return cell->word == word;
}

static bool look(struct herald_host_header *header, uint32_t number, const struct herald_host_cell *cell,
                 struct kept_now *found) {
    struct herald_host_part part;
    uint64_t tail;
    bool pending = HERALD_HOST_STEP(PENDING) && herald_host_log_pending(header, &part, &tail);
    if (!pending || part.cell != number || (part.if_empty && herald_host_cell_is_of_line(header, cell->word)))
        return look_at(header, cell, found);
    uint64_t word = herald_host_cell_word(tail, part.value);
    *found = (struct kept_now){part.value, part.generation, herald_host_cell_sequence(word)};
    return true;
}

/* Whether the copy is what was found, and belongs to this cell, which is the one that is found by its key. (If another
 * program has spoilt the file, many cells may lead to one value, and many may have one key.) */
static bool is_its(struct herald_host_header *header, uint32_t number, const struct kept_now *found,
                   const struct herald_host_received *received) {
    const struct herald_host_fields *fields = &received->fields;
    uint64_t key = herald_host_cell_key(received->name, fields->name, received->message.object, fields->object);
    return herald_host_cell_sequence(herald_host_cell_word(received->sequence, 0)) == found->sequence &&
           herald_host_cell_find(header, key) == number;
}

enum herald_host_copied herald_host_current_read(struct herald_host_header *header, uint32_t number,
                                                 struct herald_host_received **block) {
    enum { ATTEMPTS = 1 << 16 };
    const struct herald_host_cell *cell = herald_host_cell_with_memory(header, number);
    struct kept_now found = {0}, before;
    for (int i = 0; cell && i < ATTEMPTS; i++) {
        before = found;
        if (!look(header, number, cell, &found)) {
            found = (struct kept_now){0};
            continue;
        }
        if (!found.number) break;
        enum herald_host_copied copied = herald_host_value_read(header, found.number, found.generation, block);
        if (copied == HERALD_HOST_NO_MEMORY) return HERALD_HOST_NO_MEMORY;
        if (copied == HERALD_HOST_COPIED)
            return is_its(header, number, &found, *block) ? HERALD_HOST_COPIED : HERALD_HOST_NOT_COPIED;
        atomic_thread_fence(memory_order_acquire); /* sizes that are impossible may be those of the next claim */
        if (herald_host_value_generation_of(header, found.number) == found.generation) break;
        /* The value is over, so another was put into the cell; unless the record at the tail is spoilt. */
        if (found.number == before.number && found.generation == before.generation) break;
    }
    return HERALD_HOST_NOT_COPIED;
}

uint32_t herald_host_current_cell(struct herald_host_header *header, const char *name, const char *object) {
    uint32_t object_size = object ? (uint32_t)strlen(object) + 1 : 0;
    return herald_host_cell_find(header, herald_host_cell_key(name, (uint32_t)strlen(name) + 1, object, object_size));
}

bool herald_host_current_read_one(struct herald_host_header *header, uint32_t cell, const char *name,
                                  const char *object, struct herald_host_received **block) {
    if (cell == HERALD_HOST_CELLS || herald_host_current_read(header, cell, block) != HERALD_HOST_COPIED) return false;
    const char *its = (*block)->message.object;
    return strcmp((*block)->name, name) == 0 && (object ? its && strcmp(its, object) == 0 : !its);
}

/* ---- Lists ------------------------------------------------------------------------------------------------------- */

void herald_host_current_free(struct herald_host_received *list) {
    for (struct herald_host_received *next; list; list = next) {
        next = list->next;
        free(list);
    }
}

static int compare(const void *one, const void *other) {
    uint64_t a = (*(struct herald_host_received *const *)one)->sequence;
    uint64_t b = (*(struct herald_host_received *const *)other)->sequence;
    return (a > b) - (a < b);
}

/* Sorts a list by sequence numbers. False: memory is out. */
static bool sort(struct herald_host_received **list, uint32_t count) {
    if (count < 2) return true;
    struct herald_host_received **all = malloc(count * sizeof(struct herald_host_received *));
    if (!all) return false;
    struct herald_host_received *at = *list;
    for (uint32_t i = 0; i < count; i++, at = at->next) all[i] = at;
    qsort(all, count, sizeof(struct herald_host_received *), compare);
    for (uint32_t i = 0; i < count; i++) all[i]->next = i + 1 < count ? all[i + 1] : NULL;
    *list = all[0];
    free(all);
    return true;
}

struct selection {
    const struct herald_host_name *name; /* NULL: any */
    const char *object;                  /* NULL: any */
    uint64_t from, until;
};

static bool is_wanted(const struct selection *selection, const struct herald_host_received *received) {
    const char *object = received->message.object;
    if (received->sequence - selection->from >= selection->until - selection->from) return false;
    if (selection->name && strcmp(received->name, selection->name->text) != 0) return false;
    return !selection->object || (object && strcmp(object, selection->object) == 0);
}

static HeraldStatus find(struct herald_host_header *header, const struct selection *selection,
                         struct herald_host_received **list) {
    struct herald_host_received *block = NULL;
    uint32_t used = herald_host_cells_used(header), count = 0;
    enum herald_host_copied copied = HERALD_HOST_NOT_COPIED;
    *list = NULL;
    for (uint32_t i = 0; i < used && copied != HERALD_HOST_NO_MEMORY; i++) {
        const struct herald_host_cell *cell = herald_host_cell_with_memory(header, i);
        if (!cell || (selection->name && cell->name != selection->name->hash)) continue;
        copied = herald_host_current_read(header, i, &block);
        if (copied != HERALD_HOST_COPIED || !is_wanted(selection, block)) continue;
        block->known = NULL;
        block->for_all = false;
        block->next = *list;
        *list = block;
        block = NULL;
        count++;
    }
    free(block);
    if (copied != HERALD_HOST_NO_MEMORY && sort(list, count)) return HeraldOK;
    herald_host_current_free(*list);
    *list = NULL;
    return herald_host_complain_of_memory();
}

HeraldStatus herald_host_current_find(struct herald_host_header *header, const struct herald_host_name *name,
                                      const char *object, uint64_t from, uint64_t until,
                                      struct herald_host_received **list) {
    return find(header, &(struct selection){name, object, from, until}, list);
}

HeraldStatus herald_host_current_find_all(struct herald_host_header *header, struct herald_host_received **list) {
    return find(header, &(struct selection){.until = UINT64_MAX}, list);
}
