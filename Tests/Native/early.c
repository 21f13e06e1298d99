/* A program's constructor makes registrations before the library's own constructors have run; the program finds
 * them. */
#include <herald/herald.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static HeraldCenterRef center;
static HeraldNameRef early[50];
static int heard;

static void hear(HeraldCenterRef from, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    (void)from, (void)name, (void)object, (void)userInfo;
    ++*(int *)observer;
}

static void name_of(int i, char text[32]) { snprintf(text, 32, "org.herald.early.%d", i); }

__attribute__((constructor(101))) static void come_early(void) {
    char text[32];
    center = HeraldCenterCreate(NULL);
    for (int i = 0; i < 50; i++) {
        name_of(i, text);
        early[i] = HeraldNameCreate(text);
        if (HeraldCenterAddObserver(center, &heard, hear, early[i], NULL, HeraldSuspensionDeliverImmediately) !=
            HeraldOK)
            abort();
    }
}

int main(void) {
    char text[32];
    for (int i = 0; i < 50; i++) {
        name_of(i, text);
        if (!early[i] || HeraldNameFind(text) != early[i] || HeraldNameCreate(text) != early[i]) {
            printf("%s has two names\n", text);
            return 1;
        }
        HeraldCenterPostNotification(center, early[i], NULL, NULL, false);
    }
    printf("%d of 50 heard\n", heard);
    HeraldCenterRelease(center);
    return heard != 50;
}
