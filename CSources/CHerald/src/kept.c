/* Ordering and ownership: the center's lock. A cell and each link have a reference to their post. Progress: Each call
 * is O(1), except: herald_chain_leave and herald_chain_pass are O(links that are freed), herald_kept_forget_all is
 * O(cells). */
#include "kept.h"
#include "memory.h"
#include "name.h"
#include "table.h"

/* ---- Chains ----------------------------------------------------------------------------------------------------- */

enum { MOST_SPARE = 32 };

static struct herald_link *make_link(struct herald_keeping *keeping) {
    struct herald_link *link = keeping->spare;
    if (!link) return calloc(1, sizeof *link);
    keeping->spare = link->next;
    keeping->spare_count--;
    link->next = NULL;
    link->kept = NULL;
    return link;
}

static void free_link(struct herald_keeping *keeping, struct herald_link *link) {
    if (keeping->spare_count == MOST_SPARE) {
        free(link);
        return;
    }
    link->next = keeping->spare;
    keeping->spare = link;
    keeping->spare_count++;
}

static void free_spare_links(struct herald_keeping *keeping) {
    for (struct herald_link *link; (link = keeping->spare);) {
        keeping->spare = link->next;
        free(link);
    }
    keeping->spare_count = 0;
}

bool herald_chain_prepare(struct herald_keeping *keeping, struct herald_chain *chain) {
    if (!chain->end && (chain->end = make_link(keeping))) chain->end->references = 1;
    return chain->end != NULL;
}

void herald_chain_leave(struct herald_keeping *keeping, struct herald_link *place, struct herald_held **unused) {
    while (place && --place->references == 0) {
        struct herald_link *next = place->next;
        if (place->kept) herald_held_unuse(place->kept, unused);
        free_link(keeping, place);
        place = next;
    }
}

void herald_chain_pass(struct herald_keeping *keeping, struct herald_link **place, struct herald_held **unused) {
    struct herald_link *left = *place;
    *place = left->next;
    left->next->references++;
    herald_chain_leave(keeping, left, unused);
}

struct herald_held *herald_chain_take(struct herald_keeping *keeping, struct herald_link **place,
                                      struct herald_held **unused) {
    struct herald_link *left = *place;
    struct herald_held *held = left->kept;
    if (left->references == 1 || !HERALD_STEP(LINK_TAKEN)) {
        left->kept = NULL; /* the link's reference */
    } else {
        herald_held_retain(held);
    }
    herald_chain_pass(keeping, place, unused);
    return held;
}

/* Puts the post, which nobody else has yet, into the end of the chain; `end` is the new end. */
static void add_link(struct herald_keeping *keeping, struct herald_chain *chain, struct herald_held *held,
                     struct herald_link *end, struct herald_held **unused) {
    struct herald_link *last = chain->end;
    end->references = 2; /* the chain's, and that of the link before it */
    held->references++;
    last->kept = held;
    last->next = end;
    chain->end = end;
    chain->count++;
    herald_chain_leave(keeping, last, unused);
}

/* ---- Cells ------------------------------------------------------------------------------------------------------ */

/* An object that HeraldObjectForString has made is known by its text, so that a message is found by it that was kept
 * before the object was made. */
struct cell_key {
    uint64_t hash;
    HeraldNameRef name;
    const void *object;
    const char *text; /* NULL: the object has none */
};

static struct cell_key key_with(HeraldNameRef name, const void *object, const char *text, uint64_t about) {
    struct cell_key key = {herald_mix((uint64_t)(uintptr_t)name, about), name, object, text};
    return key;
}

static struct cell_key key_of(HeraldNameRef name, const void *object) {
    const char *text = herald_name_text_of(object);
    return key_with(name, object, text, text ? herald_name_hash(text) : (uint64_t)(uintptr_t)object);
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
        struct cell_key whole = key_of(key->name, NULL);
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
    struct cell_key key = key_of(name, object);
    return find(center, &key, made);
}

void herald_kept_settle(HeraldCenterRef center, struct herald_cell *cell) {
    struct herald_chain *chain = &cell->chain;
    if (!chain->followers && chain->end) {
        free_link(center->keeping, chain->end);
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

/* ---- Keeping ---------------------------------------------------------------------------------------------------- */

/* Makes a link for each chain that has followers: the name's, and the cell's. */
static HeraldStatus make_ends(struct herald_keeping *keeping, const struct herald_cell *cell,
                              struct herald_link *ends[2]) {
    bool of_name = cell->of_name->chain.end, of_cell = cell != cell->of_name && cell->chain.end;
    if (of_name && !(ends[0] = make_link(keeping))) return HeraldOutOfMemory;
    if (!of_cell || (ends[1] = make_link(keeping))) return HeraldOK;
    if (of_name) free_link(keeping, ends[0]);
    return HeraldOutOfMemory;
}

static void add_links(struct herald_keeping *keeping, struct herald_cell *cell, struct herald_held *held,
                      struct herald_link *ends[2], struct herald_held **unused) {
    if (ends[0]) add_link(keeping, &cell->of_name->chain, held, ends[0], unused);
    if (ends[1]) add_link(keeping, &cell->chain, held, ends[1], unused);
}

static struct cell_key key_of_held(const struct herald_held *held) {
    return held->text ? key_with(held->name, NULL, held->text, held->about) : key_of(held->name, held->object);
}

HeraldStatus herald_kept_put(HeraldCenterRef center, struct herald_held *held, bool was_suspended,
                             struct herald_cell **kept_by, struct herald_held **unused) {
    struct cell_key key = key_of_held(held);
    struct herald_cell *cell = find(center, &key, true);
    if (!cell) return HeraldOutOfMemory;
    struct herald_keeping *keeping = center->keeping;
    struct herald_link *ends[2] = {NULL, NULL};
    HeraldStatus status = !cell->kept && keeping->count >= center->options.keptPostLimit ? HeraldQueueFull : HeraldOK;
    if (herald_unlikely(keeping->followers) && status == HeraldOK) status = make_ends(keeping, cell, ends);
    if (herald_unlikely(status != HeraldOK)) {
        herald_kept_settle(center, cell);
        return status;
    }
    *kept_by = cell;
    held->number = ++keeping->newest;
    held->was_suspended = was_suspended;
    struct herald_held *older = cell->kept;
    if (older) {
        older->is_superseded = true;
        herald_held_unkeep(older, unused);
    } else {
        keeping->count++;
    }
    if (!cell->object) cell->text = held->text;
    cell->kept = held;
    held->references = HERALD_HELD_KEPT; /* nobody else has it yet */
    if (!older || cell->newer) {         /* it becomes the newest of the name */
        if (older) take_out(cell);
        append(cell);
    }
    if (!HERALD_STEP(KEEP_AT_ONCE)) {
        herald_center_unlock(center);
        herald_center_lock(center);
    }
    add_links(keeping, cell, held, ends, unused);
    return HeraldOK;
}

bool herald_kept_link(HeraldCenterRef center, struct herald_held *held, struct herald_cell **followed,
                      struct herald_held **unused) {
    struct cell_key key = key_of_held(held);
    struct herald_cell *cell = find(center, &key, false);
    if (!cell) cell = herald_kept_find(center, held->name, NULL, false);
    *followed = cell;
    if (!cell) return true;
    struct herald_keeping *keeping = center->keeping;
    struct herald_link *ends[2] = {NULL, NULL};
    if (make_ends(keeping, cell, ends) != HeraldOK) return false;
    keeping->newest = held->number;
    add_links(keeping, cell, held, ends, unused);
    return true;
}

bool herald_kept_forget(HeraldCenterRef center, struct herald_cell *cell, struct herald_held **unused) {
    struct herald_held *kept = cell->kept;
    if (!kept) return false;
    take_out(cell);
    cell->kept = NULL;
    center->keeping->count--;
    herald_kept_settle(center, cell);
    herald_held_unkeep(kept, unused);
    return true;
}

void herald_kept_forget_all(HeraldCenterRef center, struct herald_held **unused) {
    struct herald_keeping *keeping = center->keeping;
    if (!keeping) return;
    uint32_t at = 0;
    for (struct herald_cell *cell; (cell = ground_table_next(&keeping->cells, &at));) {
        if (cell->kept) herald_held_unkeep(cell->kept, unused);
        free(cell->chain.end);
        free(cell);
    }
    ground_table_clear(&keeping->cells);
    free_spare_links(keeping);
    center->keeping = NULL;
    free(keeping);
}

const void *herald_kept_object(const struct herald_held *held) {
    return held->text ? herald_name_find_object(held->text) : held->object;
}
