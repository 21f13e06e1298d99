/* A name in a poll loop, beside another descriptor. For programs that have a loop already and only need to know that
 * something has changed.
 *
 *      cc poll.c $(pkg-config --cflags --libs herald) -o poll
 *      ./poll
 *
 * A second process posts "com.acme.settings-changed" three times and writes two lines to a pipe. This process reads
 * both in one loop, and ends when the second process has ended and everything has been read.
 */
#define _POSIX_C_SOURCE 200809L
#include <herald/host.h>
#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const name = "com.acme.settings-changed";
enum { POSTS = 3 };

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, HeraldGetErrorDescription());
    return 1;
}

/* The other process: any program of this user can do this, for example `herald post com.acme.settings-changed`. */
static int change_settings(int lines) {
    for (int i = 0; i < POSTS; i++)
        if (HeraldHostPost(name) != HeraldOK) return fail("post");
    return write(lines, "one\ntwo\n", 8) != 8;
}

/* A read gives the number of posts since the last one. Posts that come quickly wake the loop once. */
static uint64_t read_posts(int posts) {
    uint64_t count = 0;
    if (read(posts, &count, sizeof count) != sizeof count) return 0;
    return count;
}

/* Prints what there is. False: the other end of the pipe was closed. */
static bool read_lines(int lines) {
    char text[64];
    ssize_t length = read(lines, text, sizeof text);
    if (length <= 0) return false;
    printf("lines: %.*s", (int)length, text);
    return true;
}

int main(void) {
    int posts, ends[2];
    HeraldHostToken token;
    if (HeraldHostRegisterFileDescriptor(name, false, &posts, &token) != HeraldOK) return fail("register");
    if (pipe(ends) != 0) return 1;
    pid_t other = fork();
    if (other < 0) return 1;
    if (other == 0) {
        close(ends[0]);
        _exit(change_settings(ends[1]));
    }
    close(ends[1]);

    uint64_t heard = 0;
    struct pollfd files[2] = {{.fd = posts, .events = POLLIN}, {.fd = ends[0], .events = POLLIN}};
    while (heard < POSTS || files[1].fd >= 0) {
        if (poll(files, 2, -1) < 0) return 1;
        if (files[0].revents) heard += read_posts(posts);
        if (files[1].revents && !read_lines(ends[0])) files[1].fd = -1; /* poll passes over it now */
    }
    printf("the settings have changed %d times\n", (int)heard);

    HeraldHostCancel(token); /* closes the descriptor, too */
    close(ends[0]);
    int status = 1;
    waitpid(other, &status, 0);
    return status != 0;
}
