/* Observers of the names under a prefix: an option of every center's observers (herald.h). */
#include <herald/transport.h>
#include <herald/host.h>

HeraldStatus HeraldHostAddObserverUnder(const void *observer, HeraldCallback callback, const char *prefix,
                                        const HeraldObserverOptions *options, HeraldToken *token) {
    return HeraldCenterAddObserverUnder(HeraldCenterGetHostCenter(), observer, callback, prefix, options, NULL, NULL,
                                        token);
}
