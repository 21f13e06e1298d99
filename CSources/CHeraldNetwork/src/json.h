/* JSON: what a JetStream server answers, and what it is asked.
 *
 * herald_net_json_read checks the whole text once. The other functions then read parts of it in place. Nothing is
 * allocated, no text is changed, and nesting is limited.
 */
#ifndef HERALD_NET_JSON_H
#define HERALD_NET_JSON_H

#include "net_platform.h"

/* One value: the bytes of its text, from `at` to `end`. */
struct herald_net_json {
    const char *at, *end;
};

HERALD_BEGIN
/* Whether `text` is one value of JSON, nested at most 16 deep. Then `*value` is that value. The text must outlive it.
 */
bool herald_net_json_read(struct herald_net_json *value, const char *text, size_t length);

/* Finds a member of an object: the first one with this key, which has no escapes. False: there is none, or `object` is
 * no object. */
bool herald_net_json_member(struct herald_net_json object, const char *key, struct herald_net_json *member);
/* Walks over the members of an object. Begin with `member->at` NULL. False: there are no more. */
bool herald_net_json_next(struct herald_net_json object, struct herald_net_json *key, struct herald_net_json *member);
/* Walks over the elements of an array. Begin with `element->at` NULL. False: there are no more, or it is no array. */
bool herald_net_json_element(struct herald_net_json array, struct herald_net_json *element);
/* The first element of an array; `*count` becomes how many it has. False: it is no array, or it is empty. */
bool herald_net_json_first(struct herald_net_json array, struct herald_net_json *element, size_t *count);

/* Reads a whole number of at most 2^63 - 1. False: it is something else. */
bool herald_net_json_number(struct herald_net_json value, uint64_t *number);
/* Writes a text, without its escapes and with a NUL at its end. False: it is no text, it is longer than `room` - 1
 * bytes, or it contains a NUL or half of a surrogate pair. */
bool herald_net_json_text(struct herald_net_json value, char *text, size_t room);
/* Whether the value is this text. */
bool herald_net_json_is(struct herald_net_json value, const char *text);

/* An error of JetStream's. */
struct herald_net_api_error {
    uint64_t code, number; /* `code`: as in HTTP; 0: none */
    char reason[256];
};
/* Whether an answer of JetStream's is an error. Then reads it. */
bool herald_net_api_error_read(struct herald_net_json answer, struct herald_net_api_error *error);
/* Whether it may be otherwise soon: there is no leader, or too much comes. */
bool herald_net_api_error_passes(const struct herald_net_api_error *error);
/* Writes the sentence of an error of JetStream's. It is never "". */
void herald_net_json_reason(struct herald_net_json error, char *reason, size_t room);

/* How many bytes a text in base64 stands for, at most. */
size_t herald_net_json_room(struct herald_net_json value);
/* Decodes a text in base64, with padding. `bytes` has herald_net_json_room() bytes. False: it is no such text. */
bool herald_net_json_bytes(struct herald_net_json value, unsigned char *bytes, size_t *length);

/* A text of JSON for `text`, with quotes and escapes. The caller frees it. NULL when memory is out. */
char *herald_net_json_quote(const char *text);
HERALD_END
#endif
