/* Copies of messages, for suspended centers.
 *
 * Ordering: `bytes_kept` is only a sum; it orders nothing.
 * Progress: One allocation.
 * Ownership: A copy, with everything that it points to, belongs to the held post. In a copy the bytes come before the
 * texts, so that the bytes are aligned.
 */
#include "copy.h"
#include "memory.h"

enum { MOST_KEPT = 16 << 20 };

const char herald_message_tag;
__thread HeraldStatus herald_copy_problem;

static uint64_t bytes_kept; /* atomic: bytes in all copies together */

static size_t text_size(const char *text) { return text ? strlen(text) + 1 : 0; }
static size_t size_of(const HeraldMessage *message) {
    return sizeof *message + message->length + text_size(message->object) + text_size(message->type);
}

/* Takes `size` bytes from the limit that all copies share. Returns false if fewer are left. */
static bool reserve(size_t size) {
    if (size <= MOST_KEPT && add_relaxed(&bytes_kept, size) + size <= MOST_KEPT) return true;
    if (size <= MOST_KEPT) add_relaxed(&bytes_kept, 0 - (uint64_t)size);
    return false;
}

static const char *put_text(char **to, const char *text) {
    if (!text) return NULL;
    char *put = *to;
    *to += text_size(text);
    return memcpy(put, text, text_size(text));
}

static const void *keep(const void *userInfo) {
    const HeraldMessage *message = userInfo;
    /* The length may be any number, so the sum in size_of() could overflow. */
    size_t size = message->length > MOST_KEPT ? SIZE_MAX : size_of(message);
    if (!reserve(size)) {
        herald_copy_problem = HeraldQueueFull;
        return NULL;
    }
    HeraldMessage *kept = malloc(size);
    if (!kept) {
        add_relaxed(&bytes_kept, 0 - (uint64_t)size);
        herald_copy_problem = HeraldOutOfMemory;
        return NULL;
    }
    char *at = (char *)(kept + 1);
    *kept = *message;
    if (message->length) memcpy(at, message->bytes, message->length);
    kept->bytes = at;
    at += message->length;
    kept->object = put_text(&at, message->object);
    kept->type = put_text(&at, message->type);
    return kept;
}

static void give_up(const void *userInfo) {
    add_relaxed(&bytes_kept, 0 - (uint64_t)size_of(userInfo));
    free((void *)userInfo);
}

/* The objects of messages live for ever: see HeraldObjectForString. */
static const void *keep_object(const void *object) { return object; }

const HeraldTagOptions herald_message_options = {.size = sizeof herald_message_options,
                                                 .retainUserInfo = keep,
                                                 .releaseUserInfo = give_up,
                                                 .retainObject = keep_object};
