/* Prints the sizes and the offsets of the structs that herald.py declares, as the C headers have them. */
#include <herald/host.h>
#include <stdio.h>

#define SIZE(type) printf(#type " %zu\n", sizeof(type))
#define FIELD(type, field) printf(#type "." #field " %zu %zu\n", offsetof(type, field), sizeof(((type *)0)->field))

int main(void) {
    SIZE(HeraldToken);
    FIELD(HeraldToken, center);
    FIELD(HeraldToken, registration);
    SIZE(HeraldMessage);
    FIELD(HeraldMessage, size);
    FIELD(HeraldMessage, object);
    FIELD(HeraldMessage, type);
    FIELD(HeraldMessage, bytes);
    FIELD(HeraldMessage, length);
    FIELD(HeraldMessage, sequence);
    FIELD(HeraldMessage, missed);
    FIELD(HeraldMessage, sender);
    FIELD(HeraldMessage, options);
    SIZE(HeraldObserverOptions);
    FIELD(HeraldObserverOptions, size);
    FIELD(HeraldObserverOptions, suspensionBehavior);
    FIELD(HeraldObserverOptions, release);
    FIELD(HeraldObserverOptions, retainObject);
    FIELD(HeraldObserverOptions, releaseObject);
    FIELD(HeraldObserverOptions, taggedCallback);
    FIELD(HeraldObserverOptions, prefix);
    FIELD(HeraldObserverOptions, start);
    FIELD(HeraldObserverOptions, began);
    printf("keep %u\nkept %d\n", (unsigned)HeraldPostKeep, (int)HeraldStartKept);
    printf("last %d\n", (int)HeraldNotStored);
    return 0;
}
