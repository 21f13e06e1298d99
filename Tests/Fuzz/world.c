#include "world.h"
#include "report.h"

#include <stdio.h>
#include <string.h>

/* Two to a cell, so that the address is even. */
static short objects[WORLD_THINGS], observers[WORLD_THINGS], infos[WORLD_THINGS], tags[WORLD_TAGS];
static short addresses[WORLD_ADDRESS_NAMES];
static HeraldNameRef names[WORLD_NAMES];
static const char *const texts[WORLD_TEXT_NAMES] = {"a", "document.saved", "document.saved.", "n\xc3\xa4me"};

static void check_text(unsigned index, HeraldNameRef name) {
    const char *text = HeraldNameGetUTF8String(name);
    if (!text || strcmp(text, texts[index])) report_difference("R13: the name \"%s\" has another text", texts[index]);
    if (HeraldNameFind(texts[index]) != name) report_difference("R13: \"%s\" is not found", texts[index]);
}

/* Of tags 3 to 5. */
static const HeraldTagOptions described[] = {
    {.size = sizeof described[0], .retainUserInfo = handles_retain_info, .releaseUserInfo = handles_release},
    {.size = sizeof described[0],
     .retainUserInfo = handles_retain_info,
     .releaseUserInfo = handles_release,
     .retainObject = handles_retain_alias,
     .releaseObject = handles_release},
    {.size = sizeof described[0], .retainObject = handles_retain_same, .releaseObject = handles_release}};
static const struct world_policies policies_of[] = {
    {HANDLES_OWN, HANDLES_NONE}, {HANDLES_OWN, HANDLES_ALIAS}, {HANDLES_NONE, HANDLES_SAME}};
enum { DESCRIBED = sizeof described / sizeof described[0] };

static void describe_tags(void) {
    static bool are_described;
    for (unsigned i = 0; i < DESCRIBED; i++) {
        HeraldStatus status = HeraldTagSetOptions(&tags[WORLD_TAGS - DESCRIBED + i], &described[i]);
        if (status != (are_described ? HeraldInvalidArgument : HeraldOK))
            report_difference("R15: SetOptions of a tag answered %d", (int)status);
    }
    are_described = true;
}

bool world_describes(const void *tag, struct world_policies *policies) {
    for (unsigned i = 0; i < DESCRIBED; i++) {
        if (tag != &tags[WORLD_TAGS - DESCRIBED + i]) continue;
        *policies = policies_of[i];
        return true;
    }
    return false;
}

void world_begin(void) {
    describe_tags();
    for (unsigned i = 0; i < WORLD_NAMES; i++) {
        bool is_text = i < WORLD_TEXT_NAMES;
        HeraldNameRef name =
            is_text ? HeraldNameCreate(texts[i]) : HeraldNameForAddress(&addresses[i - WORLD_TEXT_NAMES]);
        if (!name) report_difference("R13: name %u could not be made", i + 1);
        if (names[i] && names[i] != name) report_difference("R13: name %u is another pointer now", i + 1);
        for (unsigned j = 0; j < i; j++)
            if (names[j] == name) report_difference("R13: names %u and %u have met", j + 1, i + 1);
        names[i] = name;
        if (is_text) check_text(i, name);
        if (!is_text && HeraldNameGetUTF8String(name)) report_difference("R13: an address name has a text");
    }
}

static const void *pick(const short *things, unsigned index) {
    return index ? &things[(index - 1) % WORLD_THINGS] : NULL;
}

HeraldNameRef world_name(unsigned index) { return index ? names[(index - 1) % WORLD_NAMES] : NULL; }
const void *world_object(unsigned index) { return pick(objects, index); }
const void *world_observer(unsigned index) { return pick(observers, index); }
const void *world_user_info(unsigned index) { return pick(infos, index); }
const void *world_tag(unsigned index) { return index ? &tags[(index - 1) % WORLD_TAGS] : NULL; }

const void *world_alias(const void *object) { return object == &objects[0] ? &objects[1] : &objects[0]; }

bool world_is_unkeepable(const void *thing) {
    return thing == &infos[WORLD_THINGS - 1] || thing == &objects[WORLD_THINGS - 1];
}

static char *buffer(void) {
    static char buffers[4][32];
    static unsigned next;
    return buffers[next++ % 4];
}

const char *world_label_name(HeraldNameRef name) {
    if (!name) return "NULL";
    char *text = buffer();
    for (unsigned i = 0; i < WORLD_NAMES; i++)
        if (names[i] == name) return snprintf(text, 32, "name %u", i + 1), text;
    return "an unknown name";
}

const char *world_label(const void *thing) {
    static const struct {
        const char *kind;
        const short *things;
        unsigned count;
    } kinds[] = {{"object", objects, WORLD_THINGS},
                 {"observer", observers, WORLD_THINGS},
                 {"info", infos, WORLD_THINGS},
                 {"tag", tags, WORLD_TAGS}};
    if (!thing) return "NULL";
    char *text = buffer();
    for (unsigned kind = 0; kind < 4; kind++)
        for (unsigned i = 0; i < kinds[kind].count; i++)
            if (thing == &kinds[kind].things[i]) return snprintf(text, 32, "%s %u", kinds[kind].kind, i + 1), text;
    snprintf(text, 32, "%p", thing);
    return text;
}
