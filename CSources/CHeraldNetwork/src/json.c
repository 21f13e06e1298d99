/* Ordering, ownership: the caller's. Progress: linear in the length of the text. */
#include "json.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 16 };

/* ---- Checking ---------------------------------------------------------------------------------------------------- */

static const char *json_skip_space(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
    return at;
}

static int json_hex(char byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
    return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

/* Each of the following functions returns the place after what it has read, or NULL. */

static const char *json_skip_text(const char *at, const char *end) {
    if (at == end || *at++ != '"') return NULL;
    for (; at < end && *at != '"'; at++) {
        if ((unsigned char)*at < ' ') return NULL;
        if (*at != '\\') continue;
        if (++at == end) return NULL;
        if (*at != 'u') {
            if (!strchr("\"\\/bfnrt", *at) || !*at) return NULL;
            continue;
        }
        if (end - at <= 4) return NULL;
        for (int i = 0; i < 4; i++)
            if (json_hex(*++at) < 0) return NULL;
    }
    return at < end ? at + 1 : NULL;
}

static const char *json_skip_digits(const char *at, const char *end) {
    const char *begin = at;
    while (at < end && *at >= '0' && *at <= '9') at++;
    return at == begin ? NULL : at;
}

static const char *json_skip_number(const char *at, const char *end) {
    if (at < end && *at == '-') at++;
    bool is_zero = at < end && *at == '0';
    const char *digits = at;
    at = json_skip_digits(at, end);
    if (!at || (is_zero && at - digits > 1)) return NULL;
    if (at < end && *at == '.' && !(at = json_skip_digits(at + 1, end))) return NULL;
    if (at == end || (*at != 'e' && *at != 'E')) return at;
    if (++at < end && (*at == '+' || *at == '-')) at++;
    return json_skip_digits(at, end);
}

static const char *json_skip_word(const char *at, const char *end) {
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(end - at) >= length && memcmp(at, words[i], length) == 0) return at + length;
    }
    return NULL;
}

static const char *json_skip_value(const char *at, const char *end, int depth);

static const char *json_skip_key(const char *at, const char *end) {
    at = json_skip_text(at, end);
    if (!at) return NULL;
    at = json_skip_space(at, end);
    return at < end && *at == ':' ? json_skip_space(at + 1, end) : NULL;
}

/* An object or an array. */
static const char *json_skip_container(const char *at, const char *end, int depth) {
    bool is_object = *at == '{';
    char close = is_object ? '}' : ']';
    if (depth == DEPTH_MOST) return NULL;
    at = json_skip_space(at + 1, end);
    if (at < end && *at == close) return at + 1;
    for (;;) {
        if (is_object && !(at = json_skip_key(at, end))) return NULL;
        at = json_skip_value(at, end, depth + 1);
        if (!at) return NULL;
        at = json_skip_space(at, end);
        if (at == end) return NULL;
        if (*at == close) return at + 1;
        if (*at != ',') return NULL;
        at = json_skip_space(at + 1, end);
    }
}

static const char *json_skip_value(const char *at, const char *end, int depth) {
    if (at == end) return NULL;
    if (*at == '{' || *at == '[') return json_skip_container(at, end, depth);
    if (*at == '"') return json_skip_text(at, end);
    return *at == '-' || (*at >= '0' && *at <= '9') ? json_skip_number(at, end) : json_skip_word(at, end);
}

bool herald_net_json_read(struct herald_net_json *value, const char *text, size_t length) {
    if (!length) return false;
    const char *end = text + length;
    value->at = json_skip_space(text, end);
    value->end = json_skip_value(value->at, end, 0);
    return value->end && json_skip_space(value->end, end) == end;
}

/* ---- Parts of a text that has been checked ----------------------------------------------------------------------- */

bool herald_net_json_next(struct herald_net_json object, struct herald_net_json *key, struct herald_net_json *member) {
    const char *at = member->at ? member->end : object.at;
    if (!member->at && *at != '{') return false;
    at = json_skip_space(member->at ? at : at + 1, object.end);
    if (*at == ',') at = json_skip_space(at + 1, object.end);
    if (*at == '}') return false;
    key->at = at;
    key->end = json_skip_text(at, object.end);
    member->at = json_skip_key(at, object.end);
    member->end = json_skip_value(member->at, object.end, 0);
    return true;
}

bool herald_net_json_member(struct herald_net_json object, const char *key, struct herald_net_json *member) {
    size_t length = strlen(key);
    struct herald_net_json found, walk = {NULL, NULL};
    while (herald_net_json_next(object, &found, &walk)) {
        if ((size_t)(found.end - found.at) != length + 2 || memcmp(found.at + 1, key, length) != 0) continue;
        *member = walk;
        return true;
    }
    return false;
}

bool herald_net_json_element(struct herald_net_json array, struct herald_net_json *element) {
    if (*array.at != '[') return false;
    const char *at = json_skip_space(element->at ? element->end : array.at + 1, array.end);
    if (element->at && *at == ',') at = json_skip_space(at + 1, array.end);
    if (*at == ']') return false;
    *element = (struct herald_net_json){at, json_skip_value(at, array.end, 0)};
    return true;
}

bool herald_net_json_first(struct herald_net_json array, struct herald_net_json *element, size_t *count) {
    struct herald_net_json next = {NULL, NULL};
    for (*count = 0; herald_net_json_element(array, &next);)
        if (!(*count)++) *element = next;
    return *count;
}

bool herald_net_json_number(struct herald_net_json value, uint64_t *number) {
    uint64_t sum = 0;
    for (const char *at = value.at; at < value.end; at++) {
        if (*at < '0' || *at > '9') return false;
        uint64_t digit = (uint64_t)(*at - '0');
        if (sum > (INT64_MAX - digit) / 10) return false;
        sum = sum * 10 + digit;
    }
    *number = sum;
    return value.at < value.end;
}

/* ---- Texts ------------------------------------------------------------------------------------------------------- */

static uint32_t json_code_unit(const char *at) {
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++) unit = unit * 16 + (uint32_t)json_hex(at[i]);
    return unit;
}

/* Reads the digits of \uXXXX, or of a pair of them, and moves on. 0: it is a NUL or half of a pair. */
static uint32_t json_code_point(const char **at, const char *end) {
    uint32_t first = json_code_unit(*at);
    *at += 4;
    if (first < 0xd800 || first > 0xdfff) return first;
    if (first > 0xdbff || end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u') return 0;
    uint32_t second = json_code_unit(*at + 2);
    *at += 6;
    return second >= 0xdc00 && second <= 0xdfff ? 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00) : 0;
}

static size_t json_encode(uint32_t point, char bytes[4]) {
    if (point < 0x80) {
        bytes[0] = (char)point;
        return 1;
    }
    size_t more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const unsigned char firsts[] = {0, 0xc0, 0xe0, 0xf0};
    bytes[0] = (char)(firsts[more] | point >> (6 * more));
    for (size_t i = 1; i <= more; i++) bytes[i] = (char)(0x80 | ((point >> (6 * (more - i))) & 0x3f));
    return more + 1;
}

bool herald_net_json_text(struct herald_net_json value, char *text, size_t room) {
    static const char escapes[] = "b\bf\fn\nr\rt\t";
    if (*value.at != '"') return false;
    for (const char *at = value.at + 1, *end = value.end - 1; at < end;) {
        char bytes[4] = {*at};
        size_t length = 1;
        if (*at++ != '\\') {
        } else if (*at == 'u') {
            at++;
            uint32_t point = json_code_point(&at, end);
            if (!point) return false;
            length = json_encode(point, bytes);
        } else {
            const char *escape = strchr(escapes, *at);
            bytes[0] = escape ? escape[1] : *at;
            at++;
        }
        if (length >= room || !bytes[0]) return false;
        memcpy(text, bytes, length);
        text += length;
        room -= length;
    }
    if (!room) return false;
    *text = 0;
    return true;
}

bool herald_net_json_is(struct herald_net_json value, const char *text) {
    char room[1100];
    return herald_net_json_text(value, room, sizeof room) && strcmp(room, text) == 0;
}

void herald_net_json_reason(struct herald_net_json error, char *reason, size_t room) {
    struct herald_net_json value;
    if (herald_net_json_member(error, "description", &value) && herald_net_json_text(value, reason, room) && *reason)
        return;
    snprintf(reason, room, "the server's answer is an error without a sentence");
}

bool herald_net_api_error_read(struct herald_net_json answer, struct herald_net_api_error *error) {
    struct herald_net_json all, value;
    *error = (struct herald_net_api_error){.code = 0};
    if (!herald_net_json_member(answer, "error", &all)) return false;
    if (herald_net_json_member(all, "code", &value)) herald_net_json_number(value, &error->code);
    if (herald_net_json_member(all, "err_code", &value)) herald_net_json_number(value, &error->number);
    herald_net_json_reason(all, error->reason, sizeof error->reason);
    return true;
}

bool herald_net_api_error_passes(const struct herald_net_api_error *error) {
    enum { UNAVAILABLE = 503, TOO_MANY = 429 };
    return error->code == UNAVAILABLE || error->code == TOO_MANY;
}

size_t herald_net_json_room(struct herald_net_json value) { return (size_t)(value.end - value.at) / 4 * 3 + 3; }

static int json_digit(char byte) {
    if (byte >= 'A' && byte <= 'Z') return byte - 'A';
    if (byte >= 'a' && byte <= 'z') return byte - 'a' + 26;
    if (byte >= '0' && byte <= '9') return byte - '0' + 52;
    return byte == '+' ? 62 : byte == '/' ? 63 : -1;
}

bool herald_net_json_bytes(struct herald_net_json value, unsigned char *bytes, size_t *length) {
    if (*value.at != '"') return false;
    const char *at = value.at + 1, *end = value.end - 1;
    *length = 0;
    if ((end - at) % 4) return false;
    for (; at < end; at += 4) {
        int digits[4], padding = end - at > 4 || at[3] != '=' ? 0 : at[2] == '=' ? 2 : 1;
        for (int i = 0; i < 4; i++) {
            digits[i] = i >= 4 - padding ? 0 : json_digit(at[i]);
            if (digits[i] < 0) return false;
        }
        uint32_t all =
            (uint32_t)digits[0] << 18 | (uint32_t)digits[1] << 12 | (uint32_t)digits[2] << 6 | (uint32_t)digits[3];
        for (int i = 0; i < 3 - padding; i++) bytes[(*length)++] = (unsigned char)(all >> (16 - 8 * i));
    }
    return true;
}

char *herald_net_json_quote(const char *text) {
    static const char digits[] = "0123456789abcdef";
    char *quoted = malloc(strlen(text) * 6 + 3), *at = quoted;
    if (!quoted) return NULL;
    *at++ = '"';
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\') *at++ = '\\';
        if (byte < ' ') {
            memcpy(at, "\\u00", 4);
            at[4] = digits[byte >> 4];
            at[5] = digits[byte & 15];
            at += 6;
        } else {
            *at++ = (char)byte;
        }
    }
    *at++ = '"';
    *at = 0;
    return quoted;
}
