/* Ordering. The service is set by a constructor, before centers are made. Progress: that of the service. Ownership:
 * none. */
#include "inspector.h"
#include "first.h"
#include "order.h"
#include <herald/inspect.h>
#include <herald/transport.h>
#include <stdlib.h>

static const HeraldInspectorService *service; /* atomic */
static uint32_t began;                        /* atomic */

HERALD_OWN(HeraldInspectorSetService)
void HeraldInspectorSetService(const HeraldInspectorService *brought) {
    HERALD_PASS_ON(HeraldInspectorSetService, brought);
    const HeraldInspectorService *none = NULL; /* that of the first copy which brings one: it may run already */
    __atomic_compare_exchange_n(&service, &none, brought, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

HERALD_OWN(HeraldInspectorStart)
HeraldStatus HeraldInspectorStart(void) {
    HERALD_PASS_ON(HeraldInspectorStart);
    const HeraldInspectorService *is = load_acquire(&service);
    return is ? is->start() : HeraldTransportFailed;
}

HERALD_OWN(HeraldInspectorStop)
void HeraldInspectorStop(void) {
    HERALD_PASS_ON(HeraldInspectorStop);
    const HeraldInspectorService *is = load_acquire(&service);
    if (is) is->stop();
}

void herald_inspector_begin(void) {
    if (load_relaxed(&began) || __atomic_exchange_n(&began, 1u, __ATOMIC_ACQ_REL)) return;
    const char *asked = secure_getenv("HERALD_INSPECT");
    if (asked && asked[0] == '1' && !asked[1]) HeraldInspectorStart();
}
