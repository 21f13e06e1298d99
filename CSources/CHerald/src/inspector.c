/* Ordering: A constructor sets the service, before centers are made. Progress: that of the service. Ownership: none. */
#include "error.h"
#include "inspector.h"
#include "entry_points.h"
#include "order.h"
#include <herald/inspect.h>
#include <herald/transport.h>
#include <stdlib.h>

static const HeraldInspectorService *service; /* atomic */
static uint32_t began;                        /* atomic */

void herald_own_HeraldInspectorSetService(const HeraldInspectorService *brought) {
    const HeraldInspectorService *none = NULL; /* only the first service is taken: it may be running */
    __atomic_compare_exchange_n(&service, &none, brought, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

HeraldStatus herald_own_HeraldInspectorStart(void) {
    const HeraldInspectorService *is = load_acquire(&service);
    if (is) return is->start();
    return herald_fail(HeraldTransportFailed,
                       "the program is not linked with the host center, which has the inspector");
}

void herald_own_HeraldInspectorStop(void) {
    const HeraldInspectorService *is = load_acquire(&service);
    if (is) is->stop();
}

void herald_inspector_begin(void) {
    if (load_relaxed(&began) || __atomic_exchange_n(&began, 1u, __ATOMIC_ACQ_REL)) return;
    const char *asked = secure_getenv("HERALD_INSPECT");
    if (asked && asked[0] == '1' && !asked[1]) HeraldInspectorStart();
}
