/* Prints complaints. Ordering and progress: those of stderr. Ownership: none. */
#include "cf_complaint.h"
#include <herald/host.h>
#include <stdio.h>

void herald_cf_complain(const char *function, const char *why) { fprintf(stderr, "herald: %s: %s\n", function, why); }

const char *herald_cf_reason(HeraldCenterRef native, HeraldStatus status) {
    bool is_host = native == HeraldCenterGetHostCenter() && status != HeraldOutOfMemory;
    const char *why = is_host ? HeraldHostGetErrorDescription() : "";
    return why[0] ? why : HeraldStatusGetDescription(status);
}
