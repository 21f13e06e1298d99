/* Taking and visiting what is kept, and the registrations that begin with it.
 *
 * A registration that begins waits in a list until the watcher has read what is kept, and hands it in (watcher.c). It
 * is in the list before its add returns. So the watcher finds it before it reads messages that are posted after that.
 *
 * Ordering, ownership: The list is under the session's lock. A beginning belongs to the list, then to the watcher.
 * Progress: What is kept is copied under the session's lock, and handed in under no lock.
 */
#include "host_kept.h"
#include "current.h"
#include "host_complaint.h"
#include "inbox.h"
#include "move.h"
#include "session.h"
#include "watched.h"
#include <stdlib.h>
#include <string.h>

static struct herald_host_beginning *first, **last = &first;
static struct herald_host_beginning *failed; /* those that are tried again, when the next second has begun */

static void put_last(struct herald_host_beginning *beginning) {
    beginning->next = NULL;
    *last = beginning;
    last = &beginning->next;
}

/* ---- Taking ------------------------------------------------------------------------------------------------------ */

/* What a thread has taken last. While its cell is the same, it is not copied again. */
struct last_taken {
    struct herald_host_received *block; /* NULL: nothing */
    struct herald_host_segment *segment;
    HeraldNameRef name;
    uint32_t cell;
    uint64_t word; /* of the cell, read before the block was copied */
};
static _Thread_local struct last_taken last_taken;
static pthread_key_t end_of_thread; /* its value is the block, to be freed */
static bool has_key;

/* Another destructor of the thread may take again after this one. */
static void free_at_end(void *block) {
    last_taken.block = NULL;
    free(block);
}
static void make_key(void) { has_key = pthread_key_create(&end_of_thread, free_at_end) == 0; }

static void put_back(struct last_taken *taken) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_key);
    free(last_taken.block); /* of a call in the hook */
    last_taken = *taken;
    if (has_key && pthread_setspecific(end_of_thread, taken->block) == 0) return;
    free_at_end(taken->block); /* nobody would free it */
}

/* Whether the cell keeps what was taken last. */
static bool is_same(const struct last_taken *taken, struct herald_host_segment *segment, HeraldNameRef name,
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
static bool copy(struct last_taken *taken, struct herald_host_segment *segment, HeraldNameRef name,
                 const char *object) {
    const char *text = HeraldNameGetUTF8String(name);
    taken->segment = segment;
    taken->name = name;
    taken->cell = herald_host_current_cell(segment->header, text, object);
    if (taken->cell == HERALD_HOST_CELLS) return false;
    taken->word = herald_host_cell_at(segment->header, taken->cell)->word;
    return herald_host_current_read_one(segment->header, taken->cell, text, object, &taken->block);
}

/* Whether what was read in the segment is current. If the file was superseded by then, another process may have kept
 * something in the next one, and this process goes there. (Its memory may also belong to the next one by now.) */
static bool is_current(const struct herald_host_segment *segment) {
    bool superseded = segment->header->superseded;
    if (herald_host_session.segment != segment || !superseded) return herald_host_session.segment == segment;
    herald_host_session_lock();
    bool stays = herald_host_move_look(false) == segment;
    herald_host_session_unlock();
    return stays;
}

/* For a thread that always finds that others have made the file again. What it copies was the newest at some moment of
 * this call, because this call has gone to the file; and no thread of this process has been in a newer file. */
static bool copy_after_a_look(struct last_taken *taken, HeraldNameRef name, const char *object) {
    herald_host_session_lock();
    struct herald_host_segment *segment = herald_host_move_look(true);
    bool found = segment && copy(taken, segment, name, object);
    herald_host_session_unlock();
    return found;
}

bool herald_host_kept_take(void *context, HeraldCenterRef center, HeraldNameRef name, const char *object,
                           void (*take)(void *taken, const HeraldMessage *message), void *taken) {
    enum { ATTEMPTS = 10 };
    (void)context, (void)center;
    struct last_taken mine __attribute__((cleanup(put_back))) = last_taken;
    last_taken.block = NULL;
    if (!herald_host_name_find(name) && !herald_host_name_length(HeraldNameGetUTF8String(name))) return false;
    bool found = false, sure = false;
    for (int i = 0; i < ATTEMPTS && !sure; i++) {
        struct herald_host_segment *segment = herald_host_move_segment();
        if (!segment) return false;
        found = is_same(&mine, segment, name, object) || copy(&mine, segment, name, object);
        sure = is_current(segment);
    }
    if (!sure) found = copy_after_a_look(&mine, name, object);
    if (found) herald_host_session_see_posts();
    if (found) take(taken, &mine.block->message);
    if (!found) mine.segment = NULL;
    return found;
}

static void free_list(struct herald_host_received **list) { herald_host_current_free(*list); }

void herald_host_kept_visit(void *context, HeraldCenterRef center,
                            void (*visit)(void *visited, HeraldNameRef name, const HeraldMessage *message),
                            void *visited) {
    (void)context, (void)center;
    herald_host_session_lock();
    struct herald_host_segment *segment = herald_host_move_look(false);
    struct herald_host_received *list __attribute__((cleanup(free_list))) = NULL;
    if (segment) herald_host_current_find_all(segment->header, &list);
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
    put_last(beginning);
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
    beginning->status = !segment || !name || herald_host_session.broken ? HeraldTransportFailed : HeraldOK;
    if (beginning->status != HeraldOK) return beginning;
    const struct herald_host_entry *entry = name->entry;
    const char *object = beginning->is_about_object ? beginning->object : NULL;
    beginning->has_state = !object && entry && entry->flags & HERALD_HOST_HAS_STATE;
    beginning->state = entry ? entry->state : 0;
    beginning->status = herald_host_current_find(segment->header, name, object, 0, UINT64_MAX, &beginning->first);
    if (beginning->status != HeraldOK) beginning->has_state = false;
    for (struct herald_host_received *at = beginning->first; at; at = at->next) {
        at->number = herald_host_inbox_number(at->sequence);
        beginning->count++;
    }
    return beginning;
}

void herald_host_kept_put_back(struct herald_host_beginning *beginning) {
    if (!beginning) return;
    beginning->first = NULL; /* the parent's thread may have been using it */
    beginning->count = 0;
    beginning->next = first;
    if (!first) last = &beginning->next;
    first = beginning;
}

void herald_host_kept_try_again(void) {
    for (struct herald_host_beginning *beginning; (beginning = failed);) {
        failed = beginning->next;
        put_last(beginning);
    }
}

void herald_host_kept_end(struct herald_host_beginning *beginning) {
    if (!beginning) return;
    herald_host_current_free(beginning->first);
    if (beginning->status == HeraldOK) {
        free(beginning);
        return;
    }
    beginning->first = NULL;
    beginning->count = 0;
    herald_host_session_lock();
    beginning->next = failed;
    failed = beginning;
    herald_host_session_unlock();
}

static void free_posts(HeraldKeptPost **posts) { free(*posts); }

void herald_host_kept_hand_in(HeraldCenterRef center, const struct herald_host_beginning *beginning) {
    size_t count = 0;
    HeraldStatus status = beginning->status;
    HeraldKeptPost *posts __attribute__((cleanup(free_posts))) = malloc((beginning->count + 1) * sizeof *posts);
    if (!posts) status = HeraldOutOfMemory;
    if (posts && beginning->has_state) posts[count++] = (HeraldKeptPost){NULL, 1};
    for (const struct herald_host_received *at = beginning->first; posts && at; at = at->next)
        posts[count++] = (HeraldKeptPost){&at->message, at->number};
    if (status == HeraldTransportFailed) herald_host_complain(status, "the shared file cannot be used now");
    if (status == HeraldOutOfMemory) herald_host_complain_of_memory(); /* `began` asks for the sentence */
    HeraldCenterBegin(center, beginning->name, beginning->token, posts, count, 0, status);
}
