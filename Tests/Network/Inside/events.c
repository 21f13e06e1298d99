/* The events that wait for the owner's function. */
#include "../server.h"
#include "../../../CSources/CHeraldNetwork/src/event.h"

/* The last event releases what the owner keeps for it: it comes however many events wait. */
TEST(Network_last_event_has_room_when_the_others_are_too_many) {
    struct herald_net_events events;
    CHECK(herald_net_events_create(&events));
    for (int i = 0; i < 2000; i++) herald_net_events_add(&events, HeraldNetworkDisconnected, NULL, NULL, 0, "again");
    CHECK(events.count == 512);
    herald_net_events_add(&events, HeraldNetworkClosed, NULL, NULL, 0, "the end");
    struct herald_net_event *event = NULL;
    for (int i = 0; i < 513; i++) {
        free(event);
        event = herald_net_events_take(&events);
        CHECK(event && event->told.kind == (i < 512 ? HeraldNetworkDisconnected : HeraldNetworkClosed));
    }
    free(event);
    CHECK(!herald_net_events_take(&events) && !events.closed);
}
