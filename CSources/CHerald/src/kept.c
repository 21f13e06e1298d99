/* Ordering and ownership: the center's lock. A cell and each link have a reference to their post. Progress: Each call
 * is O(1), except: herald_chain_leave and herald_chain_pass are O(links that are freed), herald_kept_forget_all is
 * O(cells). */
#include "kept.h"
#include "memory.h"
#include "name.h"
#include "table.h"

enum { MOST_KEPT = 65536 };

/* ---- Cells ------------------------------------------------------------------------------------------------------ */

/* An object that HeraldObjectForString has made is known by its text, so that a message is found by it that was kept
 * before the object was made. */
struct cell_key {
    uint64_t hash;
    HeraldNameRef name;
    const void *object;
    const char *text; /* NULL: the object has none */
};

static struct cell_key key_of(HeraldNameRef name, const void *object, const char *text) {
    if (!text) text = herald_name_text_of(object);
    uint64_t about = text ? herald_name_hash(text) : (uint64_t)(uintptr_t)object;
    struct cell_key key = {herald_mix((uint64_t)(uintptr_t)name, about), name, object, text};
    return key;
}

static uint64_t cell_hash(const void *cell) { return ((const struct herald_cell *)cell)->hash; }

static bool is_cell_of(const void *element, const void *wanted) {
    const struct herald_cell *cell = element;
    const struct cell_key *key = wanted;
    if (cell->hash != key->hash || cell->name != key->name || !cell->text != !key->text) return false;
    return key->text ? strcmp(cell->text, key->text) == 0 : cell->object == key->object;
}

static struct herald_keeping *obtain_keeping(HeraldCenterRef center) {
    if (!center->keeping) {
        center->keeping = calloc(1, sizeof *center->keeping);
        if (center->keeping) center->keeping->cells.hash = cell_hash;
    }
    return center->keeping;
}

static struct herald_cell *make_cell(struct herald_keeping *keeping, const struct cell_key *key) {
    struct herald_cell *cell = calloc(1, sizeof *cell);
    if (!cell) return NULL;
    cell->hash = key->hash;
    cell->name = key->name;
    cell->object = key->object;
    cell->text = key->text;
    return ground_table_add(&keeping->cells, cell);
}

static struct herald_cell *find(HeraldCenterRef center, const struct cell_key *key, bool made) {
    struct herald_keeping *keeping = made ? obtain_keeping(center) : center->keeping;
    struct herald_cell *cell = keeping ? ground_table_get(&keeping->cells, key->hash, is_cell_of, key) : NULL;
    if (cell && key->object && cell->text) { /* from now on the cell needs no message for its text */
        cell->object = key->object;
        cell->text = key->text;
    }
    if (cell || !keeping || !made) return cell;
    struct herald_cell *of_name = NULL;
    if (key->object || key->text) {
        struct cell_key whole = key_of(key->name, NULL, NULL);
        of_name = find(center, &whole, true);
        if (!of_name) return NULL;
    }
    cell = make_cell(keeping, key);
    if (cell) {
        cell->of_name = of_name ? of_name : cell;
        if (of_name) of_name->others++;
    } else if (of_name) {
        herald_kept_settle(center, of_name);
    }
    return cell;
}

struct herald_cell *herald_kept_find(HeraldCenterRef center, HeraldNameRef name, const void *object, bool made) {
    struct cell_key key = key_of(name, object, NULL);
    return find(center, &key, made);
}

void herald_kept_settle(HeraldCenterRef center, struct herald_cell *cell) {
    struct herald_chain *chain = &cell->chain;
    if (!chain->followers && chain->end) {
        free(chain->end);
        chain->end = NULL;
    }
    if (cell->kept || chain->followers || cell->others) return;
    struct herald_cell *of_name = cell->of_name;
    struct herald_keeping *keeping = center->keeping;
    ground_table_remove(&keeping->cells, ground_table_place(&keeping->cells, cell));
    free(cell);
    if (of_name == cell) return;
    of_name->others--;
    herald_kept_settle(center, of_name);
}

/* Takes the cell out of the list of the name's cells that keep a post. */
static void take_out(struct herald_cell *cell) {
    struct herald_cell *of_name = cell->of_name;
    *(cell->older ? &cell->older->newer : &of_name->oldest) = cell->newer;
    *(cell->newer ? &cell->newer->older : &of_name->newest) = cell->older;
    of_name->keeping--;
}

static void append(struct herald_cell *cell) {
    struct herald_cell *of_name = cell->of_name;
    cell->older = of_name->newest;
    cell->newer = NULL;
    *(of_name->newest ? &of_name->newest->newer : &of_name->oldest) = cell;
    of_name->newest = cell;
    of_name->keeping++;
}

/* ---- Chains ----------------------------------------------------------------------------------------------------- */

bool herald_chain_prepare(struct herald_chain *chain) {
    if (!chain->end && (chain->end = calloc(1, sizeof *chain->end))) chain->end->references = 1;
    return chain->end != NULL;
}

void herald_chain_leave(struct herald_link *place, struct herald_held **unused) {
    while (place && --place->references == 0) {
        struct herald_link *next = place->next;
        if (place->kept) herald_held_unuse(place->kept, unused);
        free(place);
        place = next;
    }
}

void herald_chain_pass(struct herald_link **place, struct herald_held **unused) {
    struct herald_link *left = *place;
    *place = left->next;
    left->next->references++;
    herald_chain_leave(left, unused);
}

/* Puts the post into the end of the chain; `end` is the new end. */
static void add_link(struct herald_chain *chain, struct herald_held *held, struct herald_link *end,
                     struct herald_held **unused) {
    struct herald_link *last = chain->end;
    end->references = 2; /* the chain's, and that of the link before it */
    herald_held_retain(held);
    last->kept = held;
    last->next = end;
    chain->end = end;
    chain->count++;
    herald_chain_leave(last, unused);
}

/* ---- Keeping ---------------------------------------------------------------------------------------------------- */

static size_t most_kept(HeraldCenterRef center) {
    return center->options.keptPostLimit ? center->options.keptPostLimit : MOST_KEPT;
}

HeraldStatus herald_kept_put(HeraldCenterRef center, struct herald_held *held, bool was_suspended,
                             struct herald_cell **kept_by, struct herald_held **unused) {
    struct cell_key key = key_of(held->name, held->object, held->text);
    struct herald_cell *cell = find(center, &key, true);
    if (!cell) return HeraldOutOfMemory;
    struct herald_keeping *keeping = center->keeping;
    bool full = !cell->kept && keeping->count >= most_kept(center);
    struct herald_chain *chains[2] = {&cell->of_name->chain, &cell->chain};
    struct herald_link *ends[2] = {NULL, NULL};
    int count = cell == cell->of_name ? 1 : 2, ready = 0;
    while (!full && ready < count && (!chains[ready]->end || (ends[ready] = calloc(1, sizeof *ends[ready])))) ready++;
    if (ready < count) {
        free(ends[0]);
        herald_kept_settle(center, cell);
        return full ? HeraldQueueFull : HeraldOutOfMemory;
    }
    *kept_by = cell;
    held->number = ++keeping->newest;
    held->was_suspended = was_suspended;
    if (cell->kept) {
        take_out(cell);
        cell->kept->is_superseded = true;
        herald_held_unuse(cell->kept, unused);
    } else {
        keeping->count++;
    }
    if (!cell->object) cell->text = held->text;
    herald_held_retain(held);
    cell->kept = held;
    append(cell);
    if (!HERALD_STEP(KEEP_AT_ONCE)) {
        herald_center_unlock(center);
        herald_center_lock(center);
    }
    for (int i = 0; i < count; i++)
        if (ends[i]) add_link(chains[i], held, ends[i], unused);
    return HeraldOK;
}

bool herald_kept_forget(HeraldCenterRef center, struct herald_cell *cell, struct herald_held **unused) {
    struct herald_held *kept = cell->kept;
    if (!kept) return false;
    take_out(cell);
    cell->kept = NULL;
    center->keeping->count--;
    kept->is_superseded = true;
    herald_kept_settle(center, cell);
    herald_held_unuse(kept, unused);
    return true;
}

void herald_kept_forget_all(HeraldCenterRef center, struct herald_held **unused) {
    struct herald_keeping *keeping = center->keeping;
    if (!keeping) return;
    uint32_t at = 0;
    for (struct herald_cell *cell; (cell = ground_table_next(&keeping->cells, &at));) {
        if (cell->kept) herald_held_unuse(cell->kept, unused);
        free(cell->chain.end);
        free(cell);
    }
    ground_table_clear(&keeping->cells);
    center->keeping = NULL;
    free(keeping);
}

const void *herald_kept_object(const struct herald_held *held) {
    return held->text ? herald_name_find_object(held->text) : held->object;
}
