/* Taking, visiting and carrying what is kept, and the registrations that begin with it.
 *
 * A registration that begins waits in a list until the watcher has read what is kept, and hands it in (watcher.c). It
 * is in the list before its add returns. So the watcher finds it before it reads messages that are posted after that.
 *
 * Ordering, ownership: The list is under the session's lock. A beginning belongs to the list, then to the watcher.
 * Progress: What is kept is copied under the session's lock, and handed in under no lock.
 */
#include "host_kept.h"
#include "cell.h"
#include "ground_list.h"
#include "host_complaint.h"
#include "inbox.h"
#include "move.h"
#include "outbox.h"
#include "session.h"
#include "watched.h"
#include <stdlib.h>
#include <string.h>

static struct herald_host_beginning *first, **last = &first;

static void free_list(struct herald_host_received *list) {
    for (struct herald_host_received *next; list; list = next) {
        next = list->next;
        free(list);
    }
}

/* ---- Finding ----------------------------------------------------------------------------------------------------- */

static bool is_about(const struct herald_host_received *received, const char *object) {
    const char *its = received->message.object;
    return !object || (its && strcmp(its, object) == 0);
}

static void insert(struct herald_host_received **list, struct herald_host_received *received) {
    while (*list && (int64_t)(received->sequence - (*list)->sequence) > 0) list = &(*list)->next;
    received->next = *list;
    *list = received;
}

struct herald_host_received *herald_host_kept_find(struct herald_host_header *header,
                                                   const struct herald_host_name *name, const char *object,
                                                   uint64_t from, uint64_t until) {
    struct herald_host_received *list = NULL, *block = NULL;
    uint32_t used = herald_host_cells_used(header);
    for (uint32_t i = 0; i < used; i++) {
        if (herald_host_cell_at(header, i)->name != name->hash || !herald_host_cell_read(header, i, &block)) continue;
        bool wanted =
            block->sequence - from < until - from && is_about(block, object) && strcmp(block->name, name->text) == 0;
        if (!wanted) continue;
        block->known = NULL;
        block->for_all = false;
        insert(&list, block);
        block = NULL;
    }
    free(block);
    return list;
}

/* The cell of exactly this name and object. HERALD_HOST_CELLS: there is none. */
static uint32_t find_cell(struct herald_host_header *header, const char *name, const char *object) {
    uint32_t object_size = object ? (uint32_t)strlen(object) + 1 : 0;
    return herald_host_cell_find(header, herald_host_cell_key(name, (uint32_t)strlen(name) + 1, object, object_size));
}

bool herald_host_kept_is_there(struct herald_host_header *header, const char *name, const char *object) {
    struct herald_host_received *block = NULL;
    uint32_t cell = find_cell(header, name, object);
    bool is_there = cell != HERALD_HOST_CELLS && herald_host_cell_read(header, cell, &block);
    free(block);
    return is_there;
}

/* ---- Taking ------------------------------------------------------------------------------------------------------ */

/* What a thread has taken last. While its cell is the same, it is not copied again. */
struct taken {
    struct herald_host_received *block; /* NULL: nothing */
    struct herald_host_segment *segment;
    HeraldNameRef name;
    uint32_t cell;
    uint64_t word; /* of the cell, read before the block was copied */
};
static _Thread_local struct taken last_taken;
static pthread_key_t end_of_thread; /* its value is the block, to be freed */
static void make_key(void) { pthread_key_create(&end_of_thread, free); }

static void put_back(struct taken *taken) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_key);
    free(last_taken.block); /* of a call in the hook */
    last_taken = *taken;
    pthread_setspecific(end_of_thread, taken->block);
}

/* Whether the cell keeps what was taken last. */
static bool is_same(const struct taken *taken, struct herald_host_segment *segment, HeraldNameRef name,
                    const char *object) {
    struct herald_host_part part;
    uint64_t tail;
    if (!taken->block || taken->segment != segment || taken->name != name) return false;
    const char *its = taken->block->message.object;
    if (object != its && (!object || !its || strcmp(object, its) != 0)) return false;
    return !herald_host_log_pending(segment->header, &part, &tail) &&
           herald_host_cell_at(segment->header, taken->cell)->word == taken->word;
}

/* Copies what is kept. False: nothing is. The session's lock is not needed: see segment.h. */
static bool copy(struct taken *taken, struct herald_host_segment *segment, HeraldNameRef name, const char *object) {
    struct herald_host_header *header = segment->header;
    taken->segment = segment;
    taken->name = name;
    taken->cell = find_cell(header, HeraldNameGetUTF8String(name), object);
    if (taken->cell == HERALD_HOST_CELLS) return false;
    taken->word = herald_host_cell_at(header, taken->cell)->word;
    return herald_host_cell_read(header, taken->cell, &taken->block);
}

bool herald_host_kept_take(void *context, HeraldCenterRef center, HeraldNameRef name, const char *object,
                           void (*take)(void *taken, const HeraldMessage *message), void *taken) {
    enum { ATTEMPTS = 10 };
    (void)context, (void)center;
    struct taken mine __attribute__((cleanup(put_back))) = last_taken;
    last_taken.block = NULL;
    if (!herald_host_name_find(name) && !herald_host_name_length(HeraldNameGetUTF8String(name))) return false;
    for (int i = 0; i < ATTEMPTS; i++) {
        struct herald_host_segment *segment = herald_host_move_segment();
        if (!segment) return false;
        bool found = is_same(&mine, segment, name, object) || copy(&mine, segment, name, object);
        if (herald_host_session.segment != segment) continue; /* the memory may belong to another file by now */
        if (found) take(taken, &mine.block->message);
        if (!found) mine.segment = NULL;
        return found;
    }
    return false;
}

/* Copies what is kept to a list, in no order. */
static struct herald_host_received *find_all(struct herald_host_header *header) {
    struct herald_host_received *list = NULL, *block = NULL;
    uint32_t used = herald_host_cells_used(header);
    for (uint32_t i = 0; i < used; i++) {
        if (!herald_host_cell_read(header, i, &block)) continue;
        block->next = list;
        list = block;
        block = NULL;
    }
    free(block);
    return list;
}

static void free_whole_list(struct herald_host_received **list) { free_list(*list); }

void herald_host_kept_visit(void *context, HeraldCenterRef center,
                            void (*visit)(void *visited, HeraldNameRef name, const HeraldMessage *message),
                            void *visited) {
    (void)context, (void)center;
    herald_host_session_lock();
    struct herald_host_segment *segment = herald_host_move_look(false);
    struct herald_host_received *list __attribute__((cleanup(free_whole_list))) =
        segment ? find_all(segment->header) : NULL;
    herald_host_session_unlock();
    for (const struct herald_host_received *at = list; at; at = at->next) {
        HeraldNameRef name = HeraldNameCreate(at->name);
        if (name) visit(visited, name, &at->message);
    }
}

/* ---- Beginning --------------------------------------------------------------------------------------------------- */

void herald_host_kept_begin(void *context, HeraldCenterRef center, HeraldNameRef name, const char *object,
                            HeraldToken token) {
    (void)context;
    size_t size = object ? strlen(object) + 1 : 0;
    struct herald_host_beginning *beginning = calloc(1, sizeof *beginning + size);
    if (!beginning) {
        HeraldCenterBegin(center, name, token, NULL, 0, 0, HeraldOutOfMemory);
        return;
    }
    beginning->name = name;
    beginning->token = token;
    beginning->is_about_object = object != NULL;
    if (object) memcpy(beginning->object, object, size);
    herald_host_session_lock();
    struct herald_host_name *known = herald_host_name_find(name);
    if (known) known->begins = true;
    *last = beginning;
    last = &beginning->next;
    struct herald_host_own_channel *own = herald_host_watched_own_channel();
    if (own) herald_host_own_channel_wake(own);
    herald_host_session_unlock();
}

bool herald_host_kept_has_more(void) { return first != NULL; }

struct herald_host_beginning *herald_host_kept_next(void) {
    struct herald_host_beginning *beginning = first;
    if (!beginning) return NULL;
    first = beginning->next;
    if (!first) last = &first;
    struct herald_host_segment *segment = herald_host_session.segment;
    const struct herald_host_name *name = herald_host_name_find(beginning->name);
    if (!segment || !name || herald_host_session.broken) {
        beginning->status = HeraldTransportFailed;
        return beginning;
    }
    const struct herald_host_entry *entry = name->entry;
    const char *object = beginning->is_about_object ? beginning->object : NULL;
    beginning->has_state = !object && entry && entry->flags & HERALD_HOST_HAS_STATE;
    beginning->state = entry ? entry->state : 0;
    uint64_t position = herald_host_inbox_position(segment->header);
    beginning->delivered = position ? herald_host_inbox_number(position) - 1 : 0;
    beginning->first = herald_host_kept_find(segment->header, name, object, 0, UINT64_MAX);
    for (const struct herald_host_received *at = beginning->first; at; at = at->next) beginning->count++;
    return beginning;
}

void herald_host_kept_free(struct herald_host_beginning *beginning) {
    if (beginning) free_list(beginning->first);
    free(beginning);
}

static void free_posts(HeraldKeptPost **posts) { free(*posts); }

void herald_host_kept_hand_in(HeraldCenterRef center, struct herald_host_beginning *beginning) {
    size_t count = 0;
    HeraldStatus status = beginning->status;
    HeraldKeptPost *posts __attribute__((cleanup(free_posts))) = malloc((beginning->count + 1) * sizeof *posts);
    if (!posts) status = HeraldOutOfMemory;
    if (posts && beginning->has_state) posts[count++] = (HeraldKeptPost){NULL, 1};
    for (const struct herald_host_received *at = beginning->first; posts && at; at = at->next)
        posts[count++] = (HeraldKeptPost){&at->message, herald_host_inbox_number(at->sequence)};
    HeraldCenterBegin(center, beginning->name, beginning->token, posts, count, beginning->delivered, status);
}

/* ---- Another file ------------------------------------------------------------------------------------------------ */

void herald_host_kept_carry(struct herald_host_segment *old, struct herald_host_segment *segment) {
    struct herald_host_received *block = NULL;
    uint32_t used = HERALD_HOST_STEP(CARRY) ? herald_host_cells_used(old->header) : 0;
    for (uint32_t i = 0; i < used; i++) {
        struct herald_host_entry *entry;
        bool written;
        if (!herald_host_cell_read(old->header, i, &block)) continue;
        struct herald_host_outgoing outgoing = {
            .name = block->name, .message = &block->message, .fields = {.name = block->fields.name}};
        if (herald_host_outbox_measure(&outgoing) != HeraldOK) continue;
        outgoing.fields.options |= HERALD_HOST_IS_SILENT;
        outgoing.part.if_empty = 1;
        herald_host_entry_obtain(segment, block->name, block->fields.name - 1, true, &entry);
        herald_host_outbox_post(&outgoing, segment, &written); /* if there is no room, it is lost with its file */
    }
    free(block);
}
