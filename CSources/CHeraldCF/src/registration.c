/* The end of a registration. Ordering: the reference count's (sequentially consistent). Progress: bounded. Ownership:
 * counted. */
#include "registration.h"
#include <stdlib.h>

void herald_cf_registration_release(struct herald_cf_registration *registration) {
    if (--registration->references) return;
    if (registration->string) CFRelease(registration->string);
    if (!registration->name) registration->center->any_name--;
    free(registration);
}
