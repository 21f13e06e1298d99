/* The store of a center's slots.
 *
 * Ordering: A directory is published with release when it is complete; partner: the acquire in herald_slots_at.
 * Progress: Taking and recycling a slot are O(1), amortised. herald_slots_trim walks over all chunks, but runs only
 * after many slots have come back.
 * Ownership: The center's lock; see slot.h.
 */
#include "slot.h"
#include "memory.h"
#include "pages.h"

static uint32_t chunk_size(uint32_t chunk) { return herald_chunk_start(chunk + 1) - herald_chunk_start(chunk); }

/* ---- Finding ----------------------------------------------------------------------------------------------------- */

/* Returns NULL if the slot was never in use, or if its chunk has been given up. */
static struct herald_slot *find(const struct herald_slots *slots, uint32_t number) {
    uint32_t index = number - 1, chunk = herald_chunk_of(index);
    if (number == 0 || chunk >= slots->chunk_count) return NULL;
    const struct herald_slot_chunk *in = &slots->directory->chunks[chunk];
    uint32_t place = index - herald_chunk_start(chunk);
    return in->slots && place < in->used ? &in->slots[place] : NULL;
}

struct herald_slot *herald_slots_find(const struct herald_slots *slots, uint64_t registration) {
    struct herald_slot *slot = find(slots, (uint32_t)registration);
    return slot && slot->generation == registration >> 32 ? slot : NULL;
}

bool herald_slots_have(const struct herald_slots *slots, const struct herald_slot *slot) {
    return find(slots, slot->self) == slot;
}

bool herald_slots_contain(const struct herald_slots *slots, const struct herald_slot *slot) {
    for (uint32_t chunk = 0; chunk < slots->chunk_count; chunk++) {
        const struct herald_slot_chunk *in = &slots->directory->chunks[chunk];
        if (in->slots && slot >= in->slots && slot < in->slots + in->used) return true;
    }
    return false;
}

struct herald_slot *herald_slots_next(const struct herald_slots *slots, const struct herald_slot *slot) {
    return herald_slots_after(slots, slot ? slot->self : 0);
}

/* Numbers begin with 1, so the number of a slot is the index of the next one. */
struct herald_slot *herald_slots_after(const struct herald_slots *slots, uint32_t index) {
    for (uint32_t chunk = herald_chunk_of(index); chunk < slots->chunk_count; chunk++) {
        const struct herald_slot_chunk *in = &slots->directory->chunks[chunk];
        uint32_t start = herald_chunk_start(chunk), place = index > start ? index - start : 0;
        if (in->slots && place < in->used) return &in->slots[place];
    }
    return NULL;
}

/* ---- Taking ------------------------------------------------------------------------------------------------------ */

static bool enlarge(struct herald_slots *slots) {
    struct herald_slot_directory *smaller = slots->directory;
    uint32_t room = smaller ? smaller->room * 2 : 2;
    struct herald_slot_directory *larger = malloc(sizeof *larger + room * sizeof *larger->chunks);
    if (!larger) return false;
    memset(larger, 0, sizeof *larger + room * sizeof *larger->chunks);
    larger->smaller = smaller;
    larger->room = room;
    if (smaller) memcpy(larger->chunks, smaller->chunks, smaller->room * sizeof *smaller->chunks);
    store_release(&slots->directory, larger);
    return true;
}

/* Returns the index of the next chunk to make: the first one that has been given up. If none has, the chunk follows the
 * last one. */
static uint32_t chunk_to_make(const struct herald_slots *slots) {
    uint32_t chunk = 0;
    if (!slots->given_up) return slots->chunk_count;
    while (slots->directory->chunks[chunk].slots) chunk++;
    return chunk;
}

static void note_room(struct herald_slots *slots, uint32_t number) {
    struct herald_slot_chunk *chunk = &slots->directory->chunks[number];
    if (chunk->has_room) return;
    chunk->has_room = true;
    chunk->next = slots->roomy;
    slots->roomy = number + 1;
}

/* The largest chunks come from the system, and go back to it when they are freed. A heap would keep them. */
static struct herald_slot *allocate_chunk(uint32_t size) {
    size_t bytes = size * sizeof(struct herald_slot);
    return size == HERALD_CHUNK_LARGEST ? herald_pages_allocate(bytes, 0) : herald_allocate_lines(bytes);
}

static void free_chunk(struct herald_slot *memory, uint32_t size) {
    if (memory && size == HERALD_CHUNK_LARGEST) {
        herald_pages_free(memory, size * sizeof *memory);
    } else {
        free(memory);
    }
}

/* Makes room for the hooks of all slots of the chunk. Does not use calloc, because calloc bypasses the C library's
 * caches. */
static bool make_hooks(struct herald_slots *slots, uint32_t number) {
    struct herald_slot_chunk *chunk = &slots->directory->chunks[number];
    struct herald_hooks_store *hooks = malloc(sizeof *hooks + chunk_size(number) * sizeof *hooks->of);
    if (!hooks) return false;
    hooks->slots = slots;
    chunk->hooks = hooks;
    return true;
}

struct herald_hooks *herald_slots_make_hooks(struct herald_slots *slots, const struct herald_slot *slot) {
    uint32_t number = herald_chunk_of(slot->self - 1);
    const struct herald_slot_chunk *chunk = &slots->directory->chunks[number];
    if (!chunk->hooks && !make_hooks(slots, number)) return NULL;
    struct herald_hooks *hooks = &chunk->hooks->of[slot - chunk->slots];
    memset(hooks, 0, sizeof *hooks);
    return hooks;
}

struct herald_slots *herald_slots_of(const struct herald_slot *slot) {
    uint32_t index = slot->self - 1, place = index - herald_chunk_start(herald_chunk_of(index));
    const char *of = (const char *)(slot->hooks - place);
    return ((const struct herald_hooks_store *)(const void *)(of - offsetof(struct herald_hooks_store, of)))->slots;
}

static bool grow(struct herald_slots *slots) {
    uint32_t number = chunk_to_make(slots), size = chunk_size(number);
    if (number >= herald_chunk_of(UINT32_MAX - 1)) return false;
    if ((!slots->directory || number == slots->directory->room) && !enlarge(slots)) return false;
    struct herald_slot *memory = allocate_chunk(size);
    if (!memory) return false;
    if (number == slots->chunk_count) {
        slots->chunk_count++;
    } else {
        slots->given_up--;
    }
    slots->directory->chunks[number].slots = memory;
    slots->present += size;
    note_room(slots, number);
    return true;
}

/* Whether the chunk has no room: it has been given up, or all its slots are in use. */
static bool is_full(const struct herald_slot_chunk *chunk, uint32_t number) {
    return !chunk->slots || (!chunk->free && chunk->used == chunk_size(number));
}

/* Takes a slot of the chunk and gives it a new generation. NULL: the chunk has no room. */
static struct herald_slot *take_from(struct herald_slots *slots, struct herald_slot_chunk *chunk, uint32_t number) {
    uint32_t start = herald_chunk_start(number);
    while (chunk->free) {
        struct herald_slot *slot = &chunk->slots[chunk->free - 1 - start];
        chunk->free = slot->next;
        chunk->free_count--;
        slots->returned--;
        if (slot->generation == UINT32_MAX) continue; /* worn out: never used again, so no token is given twice */
        if (HERALD_STEP(GENERATION)) slot->generation++;
        return slot;
    }
    if (is_full(chunk, number)) return NULL;
    struct herald_slot *slot = &chunk->slots[chunk->used++];
    slot->self = start + chunk->used;
    slot->generation = chunk->generation + 1;
    return slot;
}

/* Moves the recycled slots to the `free` lists of their chunks. */
static void take_back_recycled(struct herald_slots *slots) {
    herald_domain_lock();
    uint32_t number = slots->recycled;
    slots->recycled = 0;
    slots->taken -= slots->recycled_count;
    store_relaxed(&slots->recycled_count, 0u);
    herald_domain_unlock();
    while (number) {
        uint32_t in = herald_chunk_of(number - 1);
        struct herald_slot_chunk *chunk = &slots->directory->chunks[in];
        struct herald_slot *slot = herald_slots_at(slots, number);
        uint32_t next = slot->next;
        slot->next = chunk->free;
        chunk->free = number;
        chunk->free_count++;
        slots->returned++;
        note_room(slots, in);
        number = next;
    }
}

struct herald_slot *herald_slots_take(struct herald_slots *slots, bool owes) {
    if (!slots->returned && load_relaxed(&slots->recycled_count)) take_back_recycled(slots);
    while (slots->roomy || grow(slots)) {
        uint32_t number = slots->roomy - 1;
        struct herald_slot_chunk *chunk = &slots->directory->chunks[number];
        if (owes && !chunk->hooks && !is_full(chunk, number) && !make_hooks(slots, number)) return NULL;
        struct herald_slot *slot = take_from(slots, chunk, number);
        if (slot) {
            slot->hooks = owes ? &chunk->hooks->of[slot - chunk->slots] : NULL;
            slots->taken++;
            return slot;
        }
        slots->roomy = chunk->next;
        chunk->has_room = false;
    }
    return NULL;
}

/* ---- Giving back ------------------------------------------------------------------------------------------------- */

void herald_slots_recycle(struct herald_slots *slots, struct herald_slot *slot) {
    slot->orphan = 0;
    store_relaxed(&slot->state, HERALD_RELEASED); /* a late waiter with an old token has nothing to wait for */
    slot->next = slots->recycled;
    slots->recycled = slot->self;
    store_relaxed(&slots->recycled_count, slots->recycled_count + 1);
}

static uint32_t newest_generation(const struct herald_slot_chunk *chunk) {
    uint32_t newest = chunk->generation;
    for (uint32_t i = 0; i < chunk->used; i++)
        if (chunk->slots[i].generation > newest) newest = chunk->slots[i].generation;
    return newest;
}

static void give_up(struct herald_slots *slots, uint32_t number) {
    struct herald_slot_chunk *chunk = &slots->directory->chunks[number];
    uint32_t newest = newest_generation(chunk);
    if (newest == UINT32_MAX) return; /* no token may be given twice */
    slots->present -= chunk_size(number);
    slots->given_up++;
    slots->returned -= chunk->free_count;
    free_chunk(chunk->slots, chunk_size(number));
    free(chunk->hooks);
    chunk->slots = NULL;
    chunk->hooks = NULL;
    chunk->generation = newest;
    /* The list `roomy` may still have the chunk. Then take_from() finds no room in it. */
    chunk->used = chunk->free = chunk->free_count = 0;
}

void herald_slots_trim(struct herald_slots *slots) {
    take_back_recycled(slots);
    uint32_t reserve = slots->taken / 4 + HERALD_SLOTS_RESERVE;
    for (uint32_t i = slots->chunk_count; i-- > 0 && slots->present - slots->taken > reserve;) {
        const struct herald_slot_chunk *chunk = &slots->directory->chunks[i];
        bool is_unused = chunk->slots && chunk->free_count == chunk->used;
        if (is_unused && slots->present - slots->taken >= reserve + chunk_size(i)) give_up(slots, i);
    }
}

bool herald_slots_waste_more(struct herald_slots *slots) {
    if (slots->live >= slots->wasted_at - slots->wasted_at / 8) return false;
    slots->wasted_at = slots->live;
    return true;
}

/* ---- The end ----------------------------------------------------------------------------------------------------- */

static const struct herald_slots_owner *end_of; /* atomic: the same for every center */

void herald_slots_create(struct herald_slots *slots, const struct herald_slots_owner *owner) {
    store_relaxed(&end_of, owner); /* relaxed: all callers store the same value */
    slots->references = 1;
    slots->wasted_at = UINT32_MAX;
}

void herald_slots_retain(struct herald_slots *slots) {
    herald_domain_lock();
    slots->references++;
    herald_domain_unlock();
}

void herald_slots_release(struct herald_slots *slots) {
    herald_domain_lock();
    bool last = --slots->references == 0;
    if (last) load_relaxed(&end_of)->unlink(slots);
    herald_domain_unlock();
    if (last) load_relaxed(&end_of)->destroy(slots);
}

void herald_slots_destroy(struct herald_slots *slots) {
    for (uint32_t i = 0; i < slots->chunk_count; i++) {
        free_chunk(slots->directory->chunks[i].slots, chunk_size(i));
        free(slots->directory->chunks[i].hooks);
    }
    for (struct herald_slot_directory *smaller; slots->directory; slots->directory = smaller) {
        smaller = slots->directory->smaller;
        free(slots->directory);
    }
}
