/* Ordering and ownership: the center's lock. Progress: Each call is O(1), except herald_known_clear. */
#include "known.h"
#include "copy.h"
#include "memory.h"
#include "name.h"

struct object {
    uint64_t hash, number;
    bool has_text; /* false: posts without an object */
    char text[];
};

static uint64_t object_hash(const void *object) { return ((const struct object *)object)->hash; }

static bool is_object_of(const void *element, const void *text) {
    const struct object *object = element;
    return object->has_text == (text != NULL) && (!text || strcmp(object->text, text) == 0);
}

const char *herald_known_text(const struct herald_held *held) {
    return held->tag == &herald_message_tag ? ((const HeraldMessage *)held->userInfo)->object : NULL;
}

static uint64_t hash_of(const char *text) { return text ? herald_name_hash(text) : 0; }

static struct object *find(const struct herald_known *known, const char *text) {
    return ground_table_get(&known->objects, hash_of(text), is_object_of, text);
}

static struct object *make(const char *text) {
    size_t size = text ? strlen(text) + 1 : 0;
    struct object *object = malloc(sizeof *object + size);
    if (!object) return NULL;
    object->hash = hash_of(text);
    object->number = 0;
    object->has_text = text != NULL;
    if (text) memcpy(object->text, text, size);
    return object;
}

bool herald_known_put(struct herald_known *known, const struct herald_held *held, uint64_t most) {
    const char *text = herald_known_text(held);
    struct object *object = find(known, text);
    if (!object) {
        if (known->objects.count >= most) return false;
        known->objects.hash = object_hash;
        object = ground_table_add(&known->objects, make(text));
        if (!object) return false;
    }
    if (object->number < held->number) object->number = held->number;
    if (known->newest < held->number) known->newest = held->number;
    return true;
}

void herald_known_put_or_forget(struct herald_known *known, const struct herald_held *held, uint64_t most) {
    if (herald_known_put(known, held, most)) return;
    uint64_t newest = known->newest > held->number ? known->newest : held->number;
    herald_known_clear(known);
    known->newest = known->all_to = newest;
}

bool herald_known_has(const struct herald_known *known, const struct herald_held *held) {
    if (held->number > known->newest) return false;
    if (held->number <= known->all_to) return true;
    const struct object *object = find(known, herald_known_text(held));
    return object && object->number >= held->number;
}

void herald_known_clear(struct herald_known *known) {
    ground_table_destroy(&known->objects);
    known->newest = known->all_to = 0;
}
