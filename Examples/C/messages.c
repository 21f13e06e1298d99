/* Messages from one process to another. A message has bytes, a text that says what they are, and a text that names what
 * they are about (its object). Each message is heard once, and messages that a slow process has lost are counted.
 *
 *      cc messages.c $(pkg-config --cflags --libs herald) -o messages
 *      ./messages
 *
 * The first process observes "com.acme.saved". The second one posts three messages, one of them about "notes.txt".
 */
#define _POSIX_C_SOURCE 200809L
#include <herald/host.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static sem_t all_heard;
static int heard; /* the callbacks of a center that reaches other processes run one at a time, on Herald's thread */
enum { MESSAGES = 3 };

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, HeraldGetErrorDescription());
    return 1;
}

/* The message is borrowed: copy what is needed after the call. What comes from another process is not trusted, so the
 * type and the length are checked before the bytes are used. */
static void saved(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                  const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    const HeraldMessage *message = HeraldGetCurrentMessage();
    if (!message) return; /* a plain post of the name: no message */
    if (message->missed) printf("%d messages were lost\n", (int)message->missed);
    if (!message->type || strcmp(message->type, "text/plain") != 0) return;
    printf("%s: %.*s\n", message->object ? message->object : "-", (int)message->length, (const char *)message->bytes);
    if (++heard == MESSAGES) sem_post(&all_heard);
}

/* An observer of one object hears only the messages that are about it. */
static void saved_notes(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                        const void *userInfo) {
    (void)center, (void)name, (void)object, (void)userInfo;
    ++*(int *)observer;
}

static int post(HeraldNameRef name, const char *object, const char *text) {
    HeraldMessage message = {
        .size = sizeof message, .object = object, .type = "text/plain", .bytes = text, .length = strlen(text)};
    HeraldStatus status = HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name, &message);
    return status == HeraldOK ? 0 : fail("post");
}

int main(void) {
    int about_notes = 0;
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    HeraldNameRef name = HeraldNameCreate("com.acme.saved");
    HeraldToken of_notes, of_all;
    sem_init(&all_heard, 0, 0);
    if (HeraldCenterAddObserverWithOptions(host, &about_notes, saved_notes, name, HeraldObjectForString("notes.txt"),
                                           NULL, &of_notes) != HeraldOK ||
        HeraldCenterAddObserverWithOptions(host, NULL, saved, name, NULL, NULL, &of_all) != HeraldOK)
        return fail("observe");

    pid_t other = fork();
    if (other < 0) return 1;
    if (other == 0)
        _exit(post(name, "a.txt", "first") || post(name, "notes.txt", "second") || post(name, NULL, "third"));

    while (sem_wait(&all_heard) != 0) continue;     /* a signal may interrupt it */
    HeraldCenterRemoveTokenAndWait(host, of_notes); /* no call is running, and none will begin */
    HeraldCenterRemoveTokenAndWait(host, of_all);
    printf("%d about notes.txt\n", about_notes);
    int status = 1;
    waitpid(other, &status, 0);
    return status != 0;
}
