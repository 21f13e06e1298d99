/* The arguments of calls: a few names, objects, observers, userInfos and tags, so that they meet often. */
#ifndef FUZZ_WORLD_H
#define FUZZ_WORLD_H

#include "handles.h"

#include <herald/herald.h>

enum {
    WORLD_TEXT_NAMES = 4,
    WORLD_ADDRESS_NAMES = 2,
    WORLD_NAMES = WORLD_TEXT_NAMES + WORLD_ADDRESS_NAMES,
    WORLD_THINGS = 4, /* of each other kind */
    WORLD_TAGS = 5    /* the last three have hooks */
};

/* Index 0 is NULL in each of them. */
void world_begin(void);
HeraldNameRef world_name(unsigned index);
const void *world_object(unsigned index);
const void *world_observer(unsigned index);
const void *world_user_info(unsigned index);
const void *world_tag(unsigned index);

/* The other object that a retainObject hook may return. */
const void *world_alias(const void *object);

/* A userInfo or object that a center's retain hooks refuse. */
bool world_is_unkeepable(const void *thing);

/* The hooks of a tag. Returns false for one without options: the center's hooks are used. */
struct world_policies {
    enum handles_policy info, object;
};
bool world_describes(const void *tag, struct world_policies *policies);

/* "name 3", "NULL"; valid until four more calls of the same function. */
const char *world_label_name(HeraldNameRef name);
const char *world_label(const void *thing);

#endif
