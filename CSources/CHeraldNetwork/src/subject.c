/* Writing and reading subjects. Ordering, ownership: the caller's. Progress: bounded by the length of the subject.
 *
 * herald_net_subject_read decodes a subject, encodes the result again, and compares the new subject with the given one.
 * If the two differ, another program has written the subject in a way of its own. Then the whole text after the
 * prefix is taken as the name. So the subject a%41 does not stand for the name aA, whose only subject is aA.
 */
#include "subject.h"
#include <string.h>

static bool is_plain(unsigned char byte) {
    return byte > ' ' && byte != '*' && byte != '>' && byte != '%' && byte != 0x7f;
}

bool herald_net_subject_is_prefix(const char *prefix) {
    size_t length = strlen(prefix), segment = 0;
    if (length > HERALD_NETWORK_NAME_LIMIT) return false;
    for (const char *at = prefix; *at; at++) {
        if (!is_plain((unsigned char)*at) || (*at == '.' && !segment)) return false;
        segment = *at == '.' ? 0 : segment + 1;
    }
    return !length || segment;
}

/* Where a subject is being written. */
struct output {
    char *at, *end; /* at == end: the subject is too long */
};

static void write_byte(struct output *output, char byte) {
    if (output->at < output->end) *output->at++ = byte;
}

static void write_code(struct output *output, unsigned char byte) {
    static const char digits[] = "0123456789ABCDEF";
    write_byte(output, '%');
    write_byte(output, digits[byte >> 4]);
    write_byte(output, digits[byte & 15]);
}

static void write_name(struct output *output, const char *name) {
    bool is_system = *name == '$' || strncmp(name, "_INBOX", 6) == 0;
    bool is_empty = true;
    for (const char *at = name;; at++) {
        bool ends = !*at || *at == '.';
        if (ends && is_empty) write_code(output, 0);
        if (!*at) return;
        if (*at == '.') {
            write_byte(output, '.');
        } else if (!is_plain((unsigned char)*at) || (is_system && at == name)) {
            write_code(output, (unsigned char)*at);
        } else {
            write_byte(output, *at);
        }
        is_empty = ends;
    }
}

static void write_object(struct output *output, const char *object) {
    if (!*object) write_code(output, 0);
    for (const char *at = object; *at; at++) {
        if (is_plain((unsigned char)*at) && *at != '.') {
            write_byte(output, *at);
        } else {
            write_code(output, (unsigned char)*at);
        }
    }
}

size_t herald_net_subject_write(char subject[HERALD_NET_SUBJECT_ROOM], const char *prefix, const char *name,
                                const char *object) {
    struct output output = {subject, subject + HERALD_NET_SUBJECT_MOST};
    for (const char *at = prefix; *at; at++) write_byte(&output, *at);
    if (*prefix) write_byte(&output, '.');
    write_name(&output, name);
    if (object) {
        for (const char *at = ".%."; *at; at++) write_byte(&output, *at);
        write_object(&output, object);
    }
    *output.at = 0;
    return output.at < output.end ? (size_t)(output.at - subject) : 0;
}

static int digit(char byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

/* Decodes a text. Returns false if a % does not begin a code of two hexadecimal digits. */
static bool read_text(const char *from, const char *end, char *text) {
    for (; from < end; from++) {
        if (*from != '%') {
            *text++ = *from;
            continue;
        }
        int high = from + 1 < end ? digit(from[1]) : -1, low = high >= 0 && from + 2 < end ? digit(from[2]) : -1;
        if (low < 0) return false;
        if (high || low) *text++ = (char)(high * 16 + low);
        from += 2;
    }
    *text = 0;
    return true;
}

bool herald_net_subject_read(const char *subject, const char *prefix, char *name, char *object, bool *has_object) {
    size_t skip = strlen(prefix), length = strlen(subject);
    *has_object = false;
    if (length > HERALD_NET_SUBJECT_MOST) return false;
    if (skip && (strncmp(subject, prefix, skip) != 0 || subject[skip++] != '.')) return false;
    const char *begin = subject + skip, *end = subject + length, *mark = strstr(begin, ".%.");
    const char *name_end = mark ? mark : end;
    char again[HERALD_NET_SUBJECT_ROOM];
    bool is_ours = read_text(begin, name_end, name) && (!mark || read_text(mark + 3, end, object)) &&
                   herald_net_subject_write(again, prefix, name, mark ? object : NULL) == length &&
                   strcmp(again, subject) == 0;
    if (is_ours) {
        *has_object = mark != NULL;
    } else {
        memcpy(name, begin, (size_t)(end - begin) + 1);
    }
    return *name && strlen(name) <= HERALD_NETWORK_NAME_LIMIT;
}
