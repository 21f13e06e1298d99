/* The inspector's service: a socket in a folder that only the user may open, and a thread for each client.
 *
 * Ordering. The lock, for all that is static. Progress. Starting and stopping wait for threads that end at once; a
 * client's thread may be in a describer or visitor of the program's. Ownership. The socket file is the process's, and
 * goes with a stop or a proper exit; what a killed process left is taken over by the next with its number, and ignored
 * by tools, which find nobody there.
 */
#include "complaint.h"
#include "place.h"
#include "viewer.h"
#include <errno.h>
#include <fcntl.h>
#include <herald/inspect.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { CLIENTS = 8, NAMES = 8, WAITING = 16 };

static pthread_mutex_t life = PTHREAD_MUTEX_INITIALIZER; /* of who starts or stops, before the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for all of these */
static bool runs;
static int listener = -1, folder = -1;
static int bell = -1;
static pthread_t thread;
static struct client {
    int socket; /* -1: free */
    pthread_t thread;
    bool ended; /* its thread is to be joined */
} clients[CLIENTS];

/* ---- The folder -------------------------------------------------------------------------------------------------- */

static int open_folder(const char *path, bool makes) {
    struct stat about;
    if (makes && mkdir(path, 0700) != 0 && errno != EEXIST) return -1;
    int descriptor = open(path, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_RDONLY);
    if (descriptor < 0) return -1;
    if (fstat(descriptor, &about) == 0 && about.st_uid == geteuid() && !(about.st_mode & 077)) return descriptor;
    close(descriptor);
    return -1;
}

enum { PATH = HERALD_PATH_LIMIT + 64 };

/* In a sticky folder others may have taken a name. */
static int find_folder(char path[PATH], bool makes) {
    struct herald_place place;
    if (herald_place_find(&place) != HeraldOK) return -1;
    if (place.names == 1) {
        snprintf(path, PATH, "%s/herald-inspect", place.folder);
        return open_folder(path, makes);
    }
    for (unsigned number = 0; number < NAMES; number++) {
        char last[16] = "";
        if (number) snprintf(last, sizeof last, ".%u", number);
        snprintf(path, PATH, "%s/herald-%u-inspect%s", place.folder, place.user, last);
        int descriptor = open_folder(path, makes);
        if (descriptor >= 0) return descriptor;
    }
    return -1;
}

size_t HeraldHostGetInspectorFolder(char *buffer, size_t size) {
    char path[PATH];
    int descriptor = find_folder(path, false);
    if (descriptor < 0) return 0;
    close(descriptor);
    if (buffer && size) snprintf(buffer, size, "%s", path);
    return strlen(path);
}

/* By the folder's descriptor, so that the path is short, and is the folder's that was looked at. */
static int listen_in(int in) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char name[16];
    snprintf(name, sizeof name, "%d", getpid());
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", in, name);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -1;
    unlinkat(in, name, 0); /* of a process that had this number */
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0 && fchmodat(in, name, 0600, 0) == 0 &&
        listen(descriptor, WAITING) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}

/* ---- Clients ----------------------------------------------------------------------------------------------------- */

static bool is_users(int socket) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

static void *serve_client(void *context) {
    struct client *client = context;
    prctl(PR_SET_NAME, "herald-viewer");
    herald_viewer_serve(client->socket);
    pthread_mutex_lock(&lock);
    shutdown(client->socket, SHUT_RDWR);
    client->ended = true;
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Under the lock. */
static void join_client(struct client *client) {
    pthread_t ended = client->thread;
    pthread_mutex_unlock(&lock);
    pthread_join(ended, NULL);
    pthread_mutex_lock(&lock);
    close(client->socket);
    client->socket = -1;
    client->ended = false;
}

static void accept_client(void) {
    int socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (socket < 0) return;
    struct client *free_one = NULL;
    pthread_mutex_lock(&lock);
    for (struct client *each = clients; each != clients + CLIENTS; each++) {
        if (each->ended) join_client(each);
        if (each->socket < 0) free_one = each;
    }
    bool taken = free_one && is_users(socket);
    if (taken) {
        free_one->socket = socket;
        free_one->ended = false;
        taken = pthread_create(&free_one->thread, NULL, serve_client, free_one) == 0;
        if (!taken) free_one->socket = -1;
    }
    pthread_mutex_unlock(&lock);
    static const char full[] = "{\"type\":\"error\",\"request\":\"\",\"message\":\"there are 8 clients already\"}\n";
    if (!taken && !free_one) send(socket, full, sizeof full - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (!taken) close(socket);
}

static void *serve(void *context) {
    (void)context;
    prctl(PR_SET_NAME, "herald-inspect");
    struct pollfd waits[] = {{listener, POLLIN, 0}, {bell, POLLIN, 0}};
    for (;;) {
        if (poll(waits, 2, -1) < 0 && errno != EINTR) break;
        if (waits[1].revents) break;
        if (waits[0].revents) accept_client();
    }
    return NULL;
}

/* ---- Its life ---------------------------------------------------------------------------------------------------- */

static void remove_socket(void) {
    char name[16];
    snprintf(name, sizeof name, "%d", getpid());
    if (folder >= 0) unlinkat(folder, name, 0);
}

static void close_all(void) {
    int *all[] = {&listener, &bell, &folder};
    for (int i = 0; i < 3; i++) {
        if (*all[i] >= 0) close(*all[i]);
        *all[i] = -1;
    }
}

/* Under the lock, with all signals blocked: threads inherit that. */
static HeraldStatus begin(void) {
    char path[PATH];
    for (int i = 0; i < CLIENTS; i++) clients[i].socket = -1;
    folder = find_folder(path, true);
    listener = folder >= 0 ? listen_in(folder) : -1;
    bell = listener >= 0 ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1;
    runs = bell >= 0 && pthread_create(&thread, NULL, serve, NULL) == 0;
    if (runs) return HeraldOK;
    remove_socket();
    close_all();
    return herald_complain(HeraldTransportFailed, "the inspector's socket cannot be made");
}

static void at_exit(void) {
    pthread_mutex_lock(&lock);
    remove_socket();
    pthread_mutex_unlock(&lock);
}
static void register_at_exit(void) { atexit(at_exit); }

static HeraldStatus start(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    sigset_t all, before;
    pthread_once(&once, register_at_exit);
    sigfillset(&all);
    pthread_mutex_lock(&life);
    pthread_mutex_lock(&lock);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    HeraldStatus status = runs ? HeraldOK : begin();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&life);
    return status;
}

/* Under `life` and the lock. */
static void end(void) {
    uint64_t one = 1;
    runs = false;
    ssize_t rung = write(bell, &one, sizeof one);
    (void)rung;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock);
    for (struct client *each = clients; each != clients + CLIENTS; each++) {
        if (each->socket < 0) continue;
        shutdown(each->socket, SHUT_RDWR);
        join_client(each);
    }
    remove_socket();
    close_all();
}

static void stop(void) {
    pthread_mutex_lock(&life);
    pthread_mutex_lock(&lock);
    if (runs) end();
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&life);
}

/* ---- Fork -------------------------------------------------------------------------------------------------------- */

static void before_fork(void) {
    pthread_mutex_lock(&life);
    pthread_mutex_lock(&lock);
}
static void in_parent(void) {
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&life);
}

/* The threads are not here. */
static void in_child(void) {
    runs = false;
    close_all();
    for (struct client *each = clients; each != clients + CLIENTS; each++) {
        if (each->socket >= 0) close(each->socket);
        each->socket = -1;
        each->ended = false;
    }
    herald_viewers_in_child();
    in_parent();
}

static const HeraldInspectorService service = {start, stop};

__attribute__((constructor(200))) static void offer(void) {
    for (int i = 0; i < CLIENTS; i++) clients[i].socket = -1;
    pthread_atfork(before_fork, in_parent, in_child);
    HeraldInspectorSetService(&service);
}
