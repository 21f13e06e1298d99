/* The network center of an installed copy, without a server: it waits, counts, and reports why. */
#define _POSIX_C_SOURCE 200809L
#include <herald/network.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static atomic_int failures, ended;

static void note(void *context, const HeraldNetworkEvent *event) {
    (void)context;
    if (event->kind == HeraldNetworkDisconnected && *event->reason) failures++;
    if (event->kind == HeraldNetworkClosed) ended++;
}

static void hear(HeraldCenterRef from, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    (void)from, (void)observer, (void)name, (void)object, (void)userInfo;
}

#define CHECK(condition)                                                                                               \
    if (!(condition)) return printf("%s is false: %s\n", #condition, HeraldNetworkGetErrorDescription()), 1

int main(void) {
    const struct timespec moment = {0, 10000000};
    HeraldNetworkOptions options = {0};
    HeraldNetworkStatistics statistics = {0};
    HeraldMessage message = {0};
    HeraldCenterRef network;
    HeraldToken token;
    HeraldNameRef name = HeraldNameCreate("org.herald.native");
    statistics.size = sizeof statistics;
    message.size = sizeof message;
    options.size = sizeof options;
    CHECK(HeraldNetworkCenterCreate(&options, &network) == HeraldInvalidArgument && !network);
    options.servers = "nats://127.0.0.1:1";
    options.event = note;
    CHECK(HeraldNetworkCenterCreate(&options, &network) == HeraldOK);
    CHECK(HeraldCenterAddObserver(network, NULL, hear, name, NULL, HeraldSuspensionDeliverImmediately) == HeraldOK);
    CHECK(HeraldNetworkAddObserverUnder(network, NULL, hear, "org", NULL, &token) == HeraldOK);
    CHECK(HeraldCenterPostMessage(network, name, &message) == HeraldOK);
    for (int i = 0; i < 300 && !failures; i++) CHECK(HeraldNetworkSynchronize(network, 0.2) == HeraldTransportFailed);
    HeraldNetworkGetStatistics(network, &statistics);
    CHECK(statistics.posted == 1 && statistics.waiting == 1 && failures > 0);
    CHECK(HeraldNetworkClose(network, 0.2) == HeraldTransportFailed);
    CHECK(strstr(HeraldNetworkGetErrorDescription(), "not sent"));
    CHECK(HeraldCenterPostMessage(network, name, &message) == HeraldTransportFailed);
    for (int i = 0; i < 6000 && !ended; i++) nanosleep(&moment, NULL);
    CHECK(ended == 1);
    CHECK(HeraldNetworkSynchronize(HeraldCenterGetLocalCenter(), 1) == HeraldInvalidArgument);
    HeraldCenterRelease(network);
    return 0;
}
