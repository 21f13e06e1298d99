/* The rules that a run is about: its arguments, and the names that they match. */
#ifndef HERALD_SELECT_H
#define HERALD_SELECT_H

#include <stdbool.h>
#include <stddef.h>

enum { RULES_MOST = 1024, PARTS_MOST = 32 };

struct arguments {
    const char *parts[PARTS_MOST];
    int count;
    bool list, quick;
    int jobs, repeat;
};

struct selection {
    size_t at[RULES_MOST], count; /* indexes of rules, the slow ones first */
};

/* Return false if the arguments are invalid or match no rule, with a message on stderr. */
bool arguments_read(struct arguments *arguments, int argc, char **argv);
bool select_rules(struct selection *selected, const struct arguments *arguments);

void list_rules(const struct selection *selected);

#endif
