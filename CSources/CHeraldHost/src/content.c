/* Writing, checking and copying contents. Ordering: all accesses to the file are relaxed; log.h and value.h say which
 * fences belong to them. Progress: bounded by the content's size. Ownership: A content belongs to the caller. A block
 * with references belongs to everybody who has one, and nobody writes to it. */
#include "content.h"
#include "ground_sanitizer.h"
#include "words.h"
#include <stdlib.h>
#include <string.h>

size_t herald_host_content_size(const struct herald_host_fields *fields) {
    return herald_host_whole_words(fields->length) + fields->name + fields->object + fields->type;
}

void herald_host_content_write(unsigned char *to, const struct herald_host_outgoing *outgoing) {
    char texts[HERALD_HOST_NAME_LIMIT + HERALD_HOST_TEXTS_LIMIT + 3 + 8];
    const struct herald_host_fields *fields = &outgoing->fields;
    if (fields->length) herald_host_copy_in(to, outgoing->message->bytes, fields->length);
    char *object = texts + fields->name, *type = object + fields->object, *end = type + fields->type;
    memcpy(texts, outgoing->name, fields->name);
    if (fields->object) memcpy(object, outgoing->object, fields->object - 1);
    if (fields->type) memcpy(type, outgoing->message->type, fields->type - 1);
    /* Each NUL is written here and not copied, because the caller may change its texts during the call. */
    object[-1] = 0;
    if (fields->object) type[-1] = 0;
    if (fields->type) end[-1] = 0;
    herald_host_copy_in(to + herald_host_whole_words(fields->length), texts, (size_t)(end - texts));
}

static bool ends_with_0(const char *text, uint32_t size) { return !size || !text[size - 1]; }

bool herald_host_content_is_possible(const struct herald_host_fields *copy) {
    return copy->length <= HERALD_HOST_MESSAGE_LIMIT && copy->name - 2 < HERALD_HOST_NAME_LIMIT &&
           copy->object <= HERALD_HOST_TEXTS_LIMIT + 1 && copy->type <= HERALD_HOST_TEXTS_LIMIT + 1 &&
           copy->object + copy->type <= HERALD_HOST_TEXTS_LIMIT + 2; /* as herald_host_content_write needs it */
}

/* Returns a block with room for `size` bytes: `*block`, or a new one in its place. NULL: memory is out. */
static struct herald_host_received *make_room(struct herald_host_received **block, size_t size) {
    if (*block && (*block)->room >= size) return *block;
    free(*block);
    *block = malloc(sizeof **block + size);
    if (*block) (*block)->room = size;
    return *block;
}

struct herald_host_received *herald_host_content_copy(struct herald_host_received **block,
                                                      const struct herald_host_fields *fields,
                                                      const unsigned char *from) {
    size_t size = herald_host_whole_words(herald_host_content_size(fields));
    struct herald_host_received *received = make_room(block, size);
    if (!received) return NULL;
    received->fields = *fields;
    herald_host_copy_out((unsigned char *)(received + 1), from, size);
    return received;
}

bool herald_host_content_point(struct herald_host_received *received, uint64_t sequence) {
    const struct herald_host_fields *copy = &received->fields;
    const char *bytes = (const char *)(received + 1), *name = bytes + herald_host_whole_words(copy->length);
    const char *object = name + copy->name, *type = object + copy->object;
    unsigned kept = copy->options & HERALD_HOST_IS_KEPT ? HeraldPostKeep : 0;
    received->sequence = sequence;
    received->name = name;
    received->message = (HeraldMessage){.size = sizeof(HeraldMessage),
                                        .object = copy->object ? object : NULL,
                                        .type = copy->type ? type : NULL,
                                        .bytes = bytes,
                                        .length = copy->length,
                                        .sequence = herald_host_log_number(sequence),
                                        .sender = copy->sender,
                                        .options = (copy->options & HeraldPostDeliverImmediately) | kept};
    return ends_with_0(name, copy->name) && strlen(name) + 1 == copy->name && ends_with_0(object, copy->object) &&
           ends_with_0(type, copy->type);
}

static char *put_text(char *to, const char *text, const char **put) {
    size_t size = text ? strlen(text) + 1 : 0;
    *put = size ? memcpy(to, text, size) : NULL;
    return to + size;
}

struct herald_host_received *herald_host_content_copy_message(const HeraldMessage *message) {
    size_t texts =
        (message->object ? strlen(message->object) + 1 : 0) + (message->type ? strlen(message->type) + 1 : 0);
    struct herald_host_received *block = NULL, *copy = make_room(&block, message->length + texts);
    if (!copy) return NULL;
    char *bytes = (char *)(copy + 1);
    copy->references = 1;
    copy->message = *message;
    copy->message.bytes = bytes;
    if (message->length) memcpy(bytes, message->bytes, message->length);
    put_text(put_text(bytes + message->length, message->object, &copy->message.object), message->type,
             &copy->message.type);
    return copy;
}

/* If this is the only reference, no other thread can add one, so nothing is subtracted. */
void herald_host_content_release(struct herald_host_received *received) {
    ground_watched_release(received);
    if (received->references != 1 && atomic_fetch_sub(&received->references, 1) != 1) return;
    ground_watched_acquire(received);
    free(received);
}
