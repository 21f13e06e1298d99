#include "select.h"
#include "../include/rules.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(const char *text, int *number) {
    char *end = NULL;
    long value = text ? strtol(text, &end, 10) : 0;
    *number = (int)value;
    return end && end != text && !*end && value > 0 && value <= 10000;
}

bool arguments_read(struct arguments *arguments, int argc, char **argv) {
    *arguments = (struct arguments){.jobs = 1, .repeat = 1};
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        int *number = strcmp(word, "--jobs") == 0 ? &arguments->jobs : &arguments->repeat;
        if (strcmp(word, "--list") == 0) {
            arguments->list = true;
        } else if (strcmp(word, "--quick") == 0) {
            arguments->quick = true;
        } else if (strcmp(word, "--jobs") == 0 || strcmp(word, "--repeat") == 0) {
            if (is_number(argv[++i], number)) continue;
            fprintf(stderr, "%s needs a number from 1 to 10000\n", word);
            return false;
        } else if (strncmp(word, "--", 2) == 0 || arguments->count == PARTS_MOST) {
            fprintf(stderr, "%s: write [--list] [--quick] [--jobs N] [--repeat N] [PART...] [-PART...]\n", word);
            return false;
        } else if (*word) {
            arguments->parts[arguments->count++] = word;
        }
    }
    return true;
}

static bool has_part(const struct arguments *arguments, const char *name, bool left_out) {
    bool asked = false, found = false;
    for (int i = 0; i < arguments->count; i++) {
        const char *part = arguments->parts[i];
        if ((part[0] == '-') != left_out) continue;
        asked = true;
        if (strstr(name, part + left_out)) found = true;
    }
    return found || (!asked && !left_out);
}

static bool is_wanted(const struct arguments *arguments, size_t index) {
    const char *name = HeraldRulesGetName(index);
    if (arguments->quick && HeraldRulesWhySlow(index)) return false;
    return has_part(arguments, name, false) && !has_part(arguments, name, true);
}

/* The edit distance between a text and a beginning of the other, ignoring case. */
static size_t distance(const char *text, const char *name) {
    size_t row[128], length = strlen(text) < 127 ? strlen(text) : 127, least;
    for (size_t i = 0; i <= length; i++) row[i] = i;
    least = row[length];
    for (; *name; name++) {
        size_t before = row[0]++;
        for (size_t i = 1; i <= length; i++) {
            size_t other = before + (tolower((unsigned char)text[i - 1]) != tolower((unsigned char)*name));
            before = row[i];
            if (row[i] + 1 < other) other = row[i] + 1;
            if (row[i - 1] + 1 < other) other = row[i - 1] + 1;
            row[i] = other;
        }
        if (row[length] < least) least = row[length];
    }
    return least;
}

/* The rule's number in the form R06 for R6, else the nearest name. */
static const char *meant(const char *part) {
    static char text[16];
    int number;
    if (tolower((unsigned char)part[0]) == 'r' && is_number(part + 1, &number) && number < 100) {
        snprintf(text, sizeof text, "R%02d", number);
        for (size_t i = 0; i < HeraldRulesCount(); i++)
            if (strncmp(HeraldRulesGetName(i), text, 3) == 0) return text;
        return NULL;
    }
    const char *nearest = NULL;
    size_t least = strlen(part) / 2 + 1;
    for (size_t i = 0; i < HeraldRulesCount(); i++) {
        size_t one = distance(part, HeraldRulesGetName(i));
        if (one >= least) continue;
        least = one;
        nearest = HeraldRulesGetName(i);
    }
    return nearest;
}

/* R2 would be R20 to R29. */
static bool is_half_a_number(const char *part) { return part[0] == 'R' && isdigit((unsigned char)part[1]) && !part[2]; }

/* Every requested part must match something, even if another one does. */
static bool part_is_known(const char *part) {
    for (size_t i = 0; i < HeraldRulesCount(); i++)
        if (strstr(HeraldRulesGetName(i), part)) return true;
    return false;
}

bool select_rules(struct selection *selected, const struct arguments *arguments) {
    selected->count = 0;
    for (int i = 0; i < arguments->count; i++) {
        const char *part = arguments->parts[i], *other;
        bool left_out = part[0] == '-';
        part += left_out;
        if (!is_half_a_number(part) && (left_out || part_is_known(part))) continue;
        other = meant(part);
        if (other)
            fprintf(stderr, "nothing is called %s: did you mean %s?\n", part, other);
        else
            fprintf(stderr, "nothing is called %s: --list prints the names\n", part);
        return false;
    }
    for (int slow = 1; slow >= 0; slow--)
        for (size_t i = 0; i < HeraldRulesCount() && selected->count < RULES_MOST; i++)
            if ((HeraldRulesWhySlow(i) != NULL) == slow && is_wanted(arguments, i)) selected->at[selected->count++] = i;
    if (selected->count == 0) fprintf(stderr, "no rule is left: --list prints the names\n");
    return selected->count != 0;
}

void list_rules(const struct selection *selected) {
    for (size_t i = 0; i < selected->count; i++) {
        size_t index = selected->at[i];
        const char *slow = HeraldRulesWhySlow(index);
        printf("%s%s%s\n", HeraldRulesGetName(index), slow ? "  slow: " : "", slow ? slow : "");
    }
}
