/* Ordering, ownership: the caller's. Progress: bounded.
 *
 * A stream's name must not have dots, spaces or wildcards, and is the name of a folder at the server. So a prefix
 * becomes a part of the name in a form that stands for this prefix alone: letters, digits and `-` stand for themselves,
 * a dot becomes `_`, and another byte becomes `=XX`.
 */
#include "stream.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_LARGEST = 1 << 20 /* bytes; what is kept is read whole by each observer that begins */ };

static bool stream_byte_stands(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '-';
}

static bool write_stream_name(char name[HERALD_NET_STREAM_ROOM], const char *prefix) {
    char *at = stpcpy(name, "HERALD_KEPT"), *end = name + HERALD_NET_STREAM_ROOM - 8;
    if (strcmp(prefix, "herald") == 0) return true;
    at = stpcpy(at, *prefix ? "_" : "_=");
    for (; *prefix; prefix++) {
        if (at >= end) return false;
        at += stream_byte_stands(*prefix) ? sprintf(at, "%c", *prefix)
              : *prefix == '.'            ? sprintf(at, "_")
                                          : sprintf(at, "=%02X", (unsigned char)*prefix);
    }
    return true;
}

void herald_net_stream_create(struct herald_net_stream *stream, const char *prefix) {
    stream->is_possible = write_stream_name(stream->name, prefix);
    snprintf(stream->kept, sizeof stream->kept, "herald-kept%s%s", *prefix ? "." : "", prefix);
    snprintf(stream->heard, sizeof stream->heard, "%s", *prefix ? prefix : "herald-heard");
}

char *herald_net_stream_request(const struct herald_net_stream *stream, unsigned replicas) {
    char *kept = herald_net_json_quote(stream->kept), *heard = herald_net_json_quote(stream->heard), *text = NULL;
    if (kept && heard) {
        kept[strlen(kept) - 1] = heard[strlen(heard) - 1] = 0; /* the closing quotes: `.>` comes before them */
        if (asprintf(&text,
                     "{\"name\":\"%s\",\"description\":\"messages that Herald keeps\",\"subjects\":[%s.>\"],"
                     "\"retention\":\"limits\",\"max_consumers\":-1,\"max_msgs\":-1,\"max_bytes\":-1,\"max_age\":0,"
                     "\"max_msgs_per_subject\":1,\"max_msg_size\":%d,\"discard\":\"new\",\"storage\":\"file\","
                     "\"num_replicas\":%u,\"republish\":{\"src\":%s.>\",\"dest\":%s.>\"}}",
                     stream->name, kept, MESSAGE_LARGEST, replicas, kept, heard) < 0)
            text = NULL;
    }
    free(kept);
    free(heard);
    return text;
}

/* Whether the member is the text of `root` and `.>`. */
static bool is_below_root(struct herald_net_json value, const char *root) {
    char all[HERALD_NET_ROOT_ROOM + 2];
    snprintf(all, sizeof all, "%s.>", root);
    return herald_net_json_is(value, all);
}

static bool has_number(struct herald_net_json config, const char *key, uint64_t least, uint64_t most) {
    struct herald_net_json value;
    uint64_t number;
    return herald_net_json_member(config, key, &value) && herald_net_json_number(value, &number) && number >= least &&
           number <= most;
}

static bool has_text(struct herald_net_json config, const char *key, const char *text) {
    struct herald_net_json value;
    return herald_net_json_member(config, key, &value) && herald_net_json_is(value, text);
}

/* Whether the member is there, and is neither false, nor null, nor empty. */
static bool has_member(struct herald_net_json config, const char *key) {
    static const char *const nothing[] = {"false", "null", "[]", "{}"};
    struct herald_net_json value;
    if (!herald_net_json_member(config, key, &value)) return false;
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        if ((size_t)(value.end - value.at) == strlen(nothing[i]) &&
            memcmp(value.at, nothing[i], strlen(nothing[i])) == 0)
            return false;
    return true;
}

/* What the stream does that Herald's does not, or NULL. */
static const char *find_addition(struct herald_net_json config, struct herald_net_json republish) {
    static const char *const additions[][2] = {
        {"discard_new_per_subject", "it keeps the oldest message of each subject"},
        {"no_ack", "it does not answer to what it stores"},
        {"sealed", "it is sealed"},
        {"subject_transform", "it stores under other subjects"},
        {"mirror", "it mirrors another stream"},
        {"sources", "it has messages of other streams"}};
    if (has_member(republish, "headers_only")) return "it republishes headers alone";
    for (size_t i = 0; i < sizeof additions / sizeof *additions; i++)
        if (has_member(config, additions[i][0])) return additions[i][1];
    return NULL;
}

bool herald_net_stream_is(const struct herald_net_stream *stream, struct herald_net_json config, unsigned replicas,
                          const char **what) {
    struct herald_net_json subjects, subject, republish, value;
    size_t count;
    *what = NULL;
    if (!herald_net_json_member(config, "subjects", &subjects) || !herald_net_json_first(subjects, &subject, &count) ||
        count != 1 || !is_below_root(subject, stream->kept))
        *what = "its subjects are others";
    else if (!herald_net_json_member(config, "republish", &republish) ||
             !herald_net_json_member(republish, "src", &value) || !is_below_root(value, stream->kept) ||
             !herald_net_json_member(republish, "dest", &value) || !is_below_root(value, stream->heard))
        *what = "it does not republish where observers listen";
    else if (!has_number(config, "max_msgs_per_subject", 1, 1))
        *what = "it does not keep one message of each subject";
    else if (!has_text(config, "retention", "limits") || !has_text(config, "discard", "new"))
        *what = "it gives up messages that are not superseded";
    else if (!has_number(config, "max_age", 0, 0))
        *what = "its messages have an age at which they end";
    else if (!has_text(config, "storage", "file"))
        *what = "it does not store in files";
    else if (!has_number(config, "num_replicas", replicas, 5))
        *what = "it has fewer replicas";
    else
        *what = find_addition(config, republish);
    return !*what;
}
