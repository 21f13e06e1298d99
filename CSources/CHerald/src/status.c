#include "platform.h"

const char *HeraldStatusGetDescription(HeraldStatus status) {
    switch (status) {
    case HeraldOK: return "no error";
    case HeraldInvalidArgument: return "an argument that no call accepts; nothing has changed";
    case HeraldOutOfMemory: return "out of memory; nothing has changed";
    case HeraldTransportFailed: return "the center's transport could not reach out for the name; nothing has changed";
    case HeraldTooLarge: return "the message is larger than the center carries; nothing was posted";
    case HeraldQueueFull: return "there is no room for the message now; nothing was posted";
    case HeraldNotStored: return "the message is not known to be stored";
    }
    return "unknown status";
}

const char *HeraldGetVersion(void) { return HERALD_VERSION; }
