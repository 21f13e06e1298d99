/* An inbox in a poll loop: messages that the program takes when it wants to, on its own thread. It needs no callback,
 * no queue and no lock.
 *
 *      cc inbox.c $(pkg-config --cflags --libs herald) -o inbox
 *      ./inbox
 *
 * A second process posts three jobs and then the end, under the prefix "com.acme.job". This process works on them in a
 * loop that could poll other descriptors, too.
 */
#define _POSIX_C_SOURCE 200809L
#include <herald/host.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, HeraldGetErrorDescription());
    return 1;
}

static int post(const char *name, const char *text) {
    HeraldMessage message = {.size = sizeof message, .bytes = text, .length = strlen(text)};
    HeraldStatus status = HeraldCenterPostMessage(HeraldCenterGetHostCenter(), HeraldNameCreate(name), &message);
    return status == HeraldOK ? 0 : fail("post");
}

/* The other process. The end is a plain post: a name without a message. */
static int post_jobs(void) {
    return post("com.acme.job.print", "a.txt") || post("com.acme.job.print", "b.txt") ||
           post("com.acme.job.scan", "page 1") || HeraldHostPost("com.acme.job.end") != HeraldOK;
}

/* Works on all that waits. False: that was the end. */
static bool work(HeraldHostInbox inbox) {
    HeraldMessage message = {.size = sizeof message};
    while (HeraldHostReceive(inbox, &message)) { /* what it points to is valid until the next call */
        const char *name = HeraldNameGetUTF8String(HeraldHostGetReceivedName(inbox));
        if (message.missed) printf("%d jobs were lost: the inbox was full\n", (int)message.missed);
        if (strcmp(name, "com.acme.job.end") == 0) return false;
        printf("%s: %.*s\n", name, (int)message.length, message.bytes ? (const char *)message.bytes : "");
    }
    return true;
}

int main(void) {
    HeraldHostInbox inbox;
    int descriptor;
    if (HeraldHostOpenInboxUnder("com.acme.job", 1000, &inbox, &descriptor) != HeraldOK) return fail("open");
    pid_t other = fork();
    if (other < 0) return 1;
    if (other == 0) _exit(post_jobs()); /* the inbox stays with the parent */

    bool goes_on = true;
    while (goes_on) {
        struct pollfd files[] = {{.fd = descriptor, .events = POLLIN}}; /* and those that the program has already */
        if (poll(files, 1, -1) < 0) return 1;
        if (files[0].revents) goes_on = work(inbox);
    }
    HeraldHostCloseInbox(inbox); /* closes the descriptor, too */
    int status = 1;
    waitpid(other, &status, 0);
    return status != 0;
}
