/* The end of a registration. Ordering: that of the reference count, which is sequentially consistent. Progress:
 * bounded. Ownership: by the reference count. */
#include "registration.h"
#include <stdlib.h>

void herald_cf_registration_release(struct herald_cf_registration *registration) {
    if (--registration->references) return;
    if (registration->string) CFRelease(registration->string);
    if (!registration->name) registration->center->any_name--;
    free(registration);
}
