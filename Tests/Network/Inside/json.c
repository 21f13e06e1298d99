/* Reading the JSON of JetStream's answers, which come from outside. */
#include "../server.h"
#include "../../../CSources/CHeraldNetwork/src/json.h"
#include "../../../CSources/CHeraldNetwork/src/question.h"
#include "../../../CSources/CHeraldNetwork/src/stream.h"

static bool json_is_read(const char *text) {
    struct herald_net_json value;
    size_t length = strlen(text);
    char *copy = malloc(length ? length : 1); /* without a NUL: the sanitizer sees reads beyond the end */
    memcpy(copy, text, length);
    bool is_read = herald_net_json_read(&value, copy, length);
    free(copy);
    return is_read;
}

TEST(Network_json_that_is_well_formed_is_read_and_no_other) {
    static const char *const good[] = {"{}",
                                       "[]",
                                       " [ ] ",
                                       "0",
                                       "-1.5e+10",
                                       "true",
                                       "false",
                                       "null",
                                       "\"\"",
                                       "{\"a\":[1,{\"b\":null}],\"c\":\"\\u0041\\n\\\"\"}",
                                       "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]",
                                       "\t{\r\n\"a\" : 1 , \"b\":2}"};
    static const char *const bad[] = {"",           " ",         "{",
                                      "}",          "{]",        "[1,]",
                                      "[,1]",       "{\"a\"}",   "{\"a\":}",
                                      "{\"a\":1,}", "{a:1}",     "01",
                                      "1.",         ".5",        "1e",
                                      "-",          "+1",        "tru",
                                      "nulll",      "\"",        "\"\\\"",
                                      "\"\\x\"",    "\"\\u12\"", "\"\\u12g4\"",
                                      "\"a\nb\"",   "[1 2]",     "{\"a\":1 \"b\":2}",
                                      "[1]x",       "{}{}",      "[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]",
                                      "\"\\",       "\"\\u",     "{\"",
                                      "{\"a",       "[\"a\",",   "\x01"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) CHECK(json_is_read(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) CHECK(!json_is_read(bad[i]));
    char *deep = malloc(1 << 20);
    memset(deep, '[', (1 << 20) - 1);
    deep[(1 << 20) - 1] = 0;
    CHECK(!json_is_read(deep));
    free(deep);
}

/* Every beginning of a text, and every text with one byte changed, is read or refused within its bounds. */
TEST(Network_json_that_is_cut_or_changed_is_read_within_its_bounds) {
    static const char text[] =
        "{\"type\":\"x\",\"error\":{\"code\":404,\"err_code\":10037,\"description\":\"no message found\"},"
        "\"message\":{\"subject\":\"a.\\u003e\\ud83d\\ude00\",\"seq\":12,\"hdrs\":\"TkFUUy8xLjANCg==\",\"data\":"
        "\"AAEC\"},"
        "\"config\":{\"subjects\":[\"a\",\"b\"]}}";
    struct herald_net_json all, value, key, element;
    unsigned state = 1;
    for (size_t round = 0; round < 20 * sizeof text; round++) {
        size_t length = round < sizeof text ? round : sizeof text - 1, count, written;
        char *copy = malloc(length ? length : 1), room[16];
        memcpy(copy, text, length);
        for (int i = 0; i < 2 && round >= sizeof text; i++) {
            state = state * 1103515245u + 12345u;
            copy[(state >> 8) % length] = (char)(state >> 20);
        }
        if (herald_net_json_read(&all, copy, length)) {
            for (value.at = NULL; herald_net_json_next(all, &key, &value);) {
                unsigned char *bytes = malloc(herald_net_json_room(value));
                uint64_t number;
                herald_net_json_text(key, room, sizeof room);
                herald_net_json_text(value, room, sizeof room);
                herald_net_json_number(value, &number);
                herald_net_json_first(value, &element, &count);
                herald_net_json_bytes(value, bytes, &written);
                struct herald_net_json inner = {NULL, NULL};
                for (struct herald_net_json within; herald_net_json_next(value, &within, &inner);) {
                    free(bytes);
                    bytes = malloc(herald_net_json_room(inner));
                    herald_net_json_bytes(inner, bytes, &written);
                    herald_net_json_text(inner, room, sizeof room);
                }
                free(bytes);
            }
        } else {
            CHECK(round != 20 * sizeof text);
        }
        free(copy);
    }
}

TEST(Network_json_values_are_what_they_stand_for) {
    static const char text[] =
        "{\"n\":9223372036854775807,\"m\":9223372036854775808,\"t\":\"a\\u00e9\\ud83d\\ude00\\/\","
        "\"half\":\"\\ud83d\",\"nul\":\"\\u0000\",\"d\":\"aGVyYWxk\",\"e\":\"aGU=\",\"f\":\"aA==\","
        "\"g\":\"aA=\",\"h\":\"a===\",\"i\":\"\",\"list\":[\"x\",2],\"none\":[],\"n\":1}";
    struct herald_net_json all, value;
    uint64_t number;
    char room[16];
    unsigned char bytes[16];
    size_t length;
    CHECK(herald_net_json_read(&all, text, sizeof text - 1));
    CHECK(herald_net_json_member(all, "n", &value) && herald_net_json_number(value, &number) && number == INT64_MAX);
    CHECK(herald_net_json_member(all, "m", &value) && !herald_net_json_number(value, &number));
    CHECK(herald_net_json_member(all, "t", &value) && herald_net_json_text(value, room, sizeof room));
    CHECK(strcmp(room, "a\xc3\xa9\xf0\x9f\x98\x80/") == 0 && herald_net_json_is(value, "a\xc3\xa9\xf0\x9f\x98\x80/"));
    CHECK(!herald_net_json_text(value, room, 8) && herald_net_json_text(value, room, 9));
    CHECK(herald_net_json_member(all, "half", &value) && !herald_net_json_text(value, room, sizeof room));
    CHECK(herald_net_json_member(all, "nul", &value) && !herald_net_json_text(value, room, sizeof room));
    CHECK(herald_net_json_member(all, "d", &value) && herald_net_json_bytes(value, bytes, &length) && length == 6);
    CHECK(memcmp(bytes, "herald", 6) == 0);
    CHECK(herald_net_json_member(all, "e", &value) && herald_net_json_bytes(value, bytes, &length) && length == 2);
    CHECK(herald_net_json_member(all, "f", &value) && herald_net_json_bytes(value, bytes, &length) && length == 1);
    CHECK(herald_net_json_member(all, "g", &value) && !herald_net_json_bytes(value, bytes, &length));
    CHECK(herald_net_json_member(all, "h", &value) && !herald_net_json_bytes(value, bytes, &length));
    CHECK(herald_net_json_member(all, "i", &value) && herald_net_json_bytes(value, bytes, &length) && length == 0);
    CHECK(herald_net_json_member(all, "list", &value) && herald_net_json_first(value, &value, &length) && length == 2);
    CHECK(herald_net_json_is(value, "x"));
    CHECK(herald_net_json_member(all, "none", &value) && !herald_net_json_first(value, &value, &length));
    CHECK(!herald_net_json_member(all, "absent", &value) && !herald_net_json_member(value, "x", &value));
    char *quoted = herald_net_json_quote("a\"\\\n\x01");
    CHECK(quoted && strcmp(quoted, "\"a\\\"\\\\\\u000a\\u0001\"") == 0);
    CHECK(quoted && herald_net_json_read(&value, quoted, strlen(quoted)) && herald_net_json_is(value, "a\"\\\n\x01"));
    free(quoted);
}

/* What servers of other versions can say of a stream. */
RULE(25, Network_a_stream_that_does_more_does_not_keep_for_followers) {
    static const struct {
        const char *more, *republish, *what;
    } rows[] = {{"", "", NULL},
                {",\"sealed\":false,\"no_ack\":false,\"sources\":[],\"mirror\":null", "", NULL},
                {",\"allow_direct\":true,\"deny_purge\":true", "", NULL},
                {"", ",\"headers_only\":false", NULL},
                {"", ",\"headers_only\":true", "headers alone"},
                {",\"discard_new_per_subject\":true", "", "oldest"},
                {",\"no_ack\":true", "", "answer"},
                {",\"sealed\":true", "", "sealed"},
                {",\"mirror\":{\"name\":\"A\"}", "", "mirrors"},
                {",\"sources\":[{\"name\":\"A\"}]", "", "other streams"},
                {",\"subject_transform\":{\"src\":\">\",\"dest\":\"a.>\"}", "", "other subjects"}};
    struct herald_net_stream stream;
    herald_net_stream_create(&stream, "herald");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[800];
        const char *what;
        struct herald_net_json config;
        snprintf(text, sizeof text,
                 "{\"name\":\"HERALD_KEPT\",\"subjects\":[\"herald-kept.herald.>\"],\"max_msgs_per_subject\":1,"
                 "\"discard\":\"new\",\"retention\":\"limits\",\"storage\":\"file\",\"num_replicas\":1,\"max_age\":0%s,"
                 "\"republish\":{\"src\":\"herald-kept.herald.>\",\"dest\":\"herald.>\"%s}}",
                 rows[i].more, rows[i].republish);
        CHECK(herald_net_json_read(&config, text, strlen(text)));
        CHECK(herald_net_stream_is(&stream, config, 1, &what) == !rows[i].what);
        CHECK(rows[i].what ? what && strstr(what, rows[i].what) != NULL : !what);
    }
}

/* What is counted is what is allocated: messages without bytes, but with long texts, take memory, too. */
RULE(25, Network_what_a_beginning_holds_in_memory_is_bounded) {
    enum { SIZE = 1 << 20, MOST = 64 };
    struct herald_net_question *question = herald_net_question_create(NULL, NULL);
    const char *reason = NULL;
    uint32_t count = 0;
    while (!reason && count < 2 * MOST) {
        struct herald_net_kept *kept = malloc(sizeof *kept);
        *kept = (struct herald_net_kept){.size = SIZE};
        reason = herald_net_question_keep(question, kept);
        count += !reason;
    }
    CHECK(count < MOST && count > MOST / 2 && reason && strstr(reason, "too much"));
    herald_net_question_destroy(question);
    question = herald_net_question_create(NULL, NULL);
    char *subject = malloc(SIZE);
    memset(subject, 'a', SIZE - 1);
    subject[SIZE - 1] = 0;
    for (count = 0; count < 2 * MOST && !(reason = herald_net_question_add(question, HERALD_NET_LAST, subject));)
        count++;
    CHECK(count < MOST && count > MOST / 2 && strstr(reason, "too much"));
    free(subject);
    herald_net_question_destroy(question);
}
