/* Prints complaints. Ordering and progress: those of stderr. Ownership: none. */
#include "cf_complaint.h"
#include <stdio.h>

void herald_cf_complain(const char *function, const char *why) { fprintf(stderr, "herald: %s: %s\n", function, why); }
