/* Copies of messages, for suspended centers and for what a center keeps.
 *
 * Ordering: A sum of bytes orders nothing.
 * Progress: One allocation.
 * Ownership: A copy, with everything that it points to, belongs to the held post. In a copy the bytes come before the
 * texts, so that the bytes are aligned.
 */
#include "copy.h"
#include "memory.h"

enum { MOST = 16 << 20 };

const char herald_message_tag;
__thread HeraldStatus herald_copy_problem;

static uint64_t bytes_held, bytes_kept; /* atomic: bytes in all copies of a kind together */

static size_t text_size(const char *text) { return text ? strlen(text) + 1 : 0; }
static size_t size_of(const HeraldMessage *message) {
    return sizeof *message + message->length + text_size(message->object) + text_size(message->type);
}

/* Takes `size` bytes from the limit that all copies of a kind share. Returns false if fewer are left. */
static bool reserve(uint64_t *sum, size_t size) {
    if (size <= MOST && add_relaxed(sum, size) + size <= MOST) return true;
    if (size <= MOST) add_relaxed(sum, 0 - (uint64_t)size);
    return false;
}

static const char *put_text(char **to, const char *text) {
    if (!text) return NULL;
    char *put = *to;
    *to += text_size(text);
    return memcpy(put, text, text_size(text));
}

static const void *copy(const HeraldMessage *message, uint64_t *sum) {
    /* The length may be any number, so the sum in size_of() could overflow. */
    size_t size = message->length > MOST ? SIZE_MAX : size_of(message);
    if (!reserve(sum, size)) {
        herald_copy_problem = HeraldQueueFull;
        return NULL;
    }
    HeraldMessage *made = malloc(size);
    if (!made) {
        add_relaxed(sum, 0 - (uint64_t)size);
        herald_copy_problem = HeraldOutOfMemory;
        return NULL;
    }
    char *at = (char *)(made + 1);
    *made = *message;
    if (message->length) memcpy(at, message->bytes, message->length);
    made->bytes = at;
    at += message->length;
    made->object = put_text(&at, message->object);
    made->type = put_text(&at, message->type);
    return made;
}

static void give_up(const void *userInfo, uint64_t *sum) {
    add_relaxed(sum, 0 - (uint64_t)size_of(userInfo));
    free((void *)userInfo);
}

static const void *hold(const void *userInfo) { return copy(userInfo, &bytes_held); }
static void end_hold(const void *userInfo) { give_up(userInfo, &bytes_held); }
static const void *keep(const void *userInfo) { return copy(userInfo, &bytes_kept); }
static void end_keep(const void *userInfo) { give_up(userInfo, &bytes_kept); }

/* The objects of messages live for ever: see HeraldObjectForString. */
static const void *keep_object(const void *object) { return object; }

const HeraldTagOptions herald_message_options = {.size = sizeof herald_message_options,
                                                 .retainUserInfo = hold,
                                                 .releaseUserInfo = end_hold,
                                                 .retainObject = keep_object};

const HeraldTagOptions herald_kept_message_options = {.size = sizeof herald_kept_message_options,
                                                      .retainUserInfo = keep,
                                                      .releaseUserInfo = end_keep,
                                                      .retainObject = keep_object};

uint64_t herald_copy_bytes_kept(void) { return load_relaxed(&bytes_kept); }
