/* A C program as a user would write it: see README.md. */
#include <herald/herald.h>
#include <stdio.h>

static void saved(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                  const void *userInfo) {
    (void)center, (void)object;
    printf("%s: %s saved %s\n", (const char *)observer, HeraldNameGetUTF8String(name), (const char *)userInfo);
}

int main(void) {
    HeraldCenterRef center = HeraldCenterGetLocalCenter();
    HeraldNameRef name = HeraldNameCreate("document.saved");
    HeraldToken token;
    if (HeraldCenterAddObserverWithOptions(center, "window", saved, name, NULL, NULL, &token) != HeraldOK) return 1;
    HeraldCenterPostNotification(center, name, NULL, "notes.txt", false);
    HeraldTopicRef topic = HeraldTopicCreate(center, name, NULL); /* the fastest way to post */
    size_t called = HeraldTopicPost(topic, "todo.txt");
    HeraldTopicRelease(topic);
    HeraldCenterRemoveTokenAndWait(center, token); /* never called again, and no call is running */
    return called == 1 && HeraldCenterPostNotification(center, name, NULL, "lost.txt", false) == 0 ? 0 : 1;
}
