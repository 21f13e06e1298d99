/* A center's label, and its limit on the observers of one name. Both are for people who read reports.
 *
 * Ordering, ownership: the center's lock. Progress: bounded. */
#include "label.h"
#include <string.h>
#include "describer.h"
#include "entry_points.h"
#include <stdio.h>

void herald_own_HeraldCenterSetLabel(HeraldCenterRef center, const char *utf8) {
    if (!center) return;
    herald_center_lock(center);
    memset(center->label, 0, sizeof center->label);
    if (utf8) strncpy(center->label, utf8, sizeof center->label - 1);
    herald_center_unlock(center);
}

size_t herald_own_HeraldCenterGetLabel(HeraldCenterRef center, char *buffer, size_t size) {
    char label[sizeof center->label] = "";
    if (center) {
        herald_center_lock(center);
        memcpy(label, center->label, sizeof label);
        herald_center_unlock(center);
    }
    if (buffer && size) snprintf(buffer, size, "%s", label);
    return strlen(label);
}

void herald_own_HeraldCenterSetObserverLimit(HeraldCenterRef center, size_t limit) {
    if (!center) return;
    herald_center_lock(center);
    center->observer_limit = limit;
    herald_center_unlock(center);
}

void herald_label_complain(HeraldCenterRef center, HeraldNameRef name, HeraldCallback callback, uint64_t registration) {
    char label[64], text[512], place[160];
    HeraldDescription description = {.tag = NULL};
    if (herald_describe(center, registration, callback, &description) == HERALD_DESCRIBED && description.site[0]) {
        snprintf(place, sizeof place, "at %s", description.site);
    } else {
        snprintf(place, sizeof place, "with the callback %p", (void *)(uintptr_t)callback);
    }
    HeraldCenterGetLabel(center, label, sizeof label);
    HeraldNameDescribe(name, description.tag, text, sizeof text);
    herald_center_lock(center);
    size_t limit = center->observer_limit;
    herald_center_unlock(center);
    fprintf(stderr, "herald: %s%smore than %zu observers of %s: the last was added %s\n", label, label[0] ? ": " : "",
            limit, name ? text : "NULL (any name)", place);
}
