/* The inspector's service: a socket in a folder that only the user may open, and a thread for each client.
 *
 * Ordering: `lock` protects all static variables except `life`. A thread that has `lock` waits for nothing, so a
 * forking thread soon gets `lock`.
 * Progress: A start or a stop may wait until the service's threads have ended. They end at once, unless a client's
 * thread is running a describer, which is a function of the program's (inspect.h). A describer may start or stop the
 * service: then nothing waits for its own thread.
 * Ownership: The program may close our descriptors, so they are checked before use (file.h). The socket's name in the
 * folder is NUMBER.IDENTITY: the process number and the process's identity (identity.h). The number alone is not
 * enough, because two containers that share the folder may each have a process with the same number. A stop or a normal
 * exit removes the socket. After a kill, the socket is removed by the next process with the same number, or by a tool
 * that finds nobody listening.
 */
#include "host_complaint.h"
#include "file.h"
#include "identity.h"
#include "place.h"
#include "viewer.h"
#include "ground_thread.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <herald/inspect.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { CLIENTS = 8, NAMES = 8, WAITING = 16, LOOK_MS = 2000, NAME = 40, STACK = 1 << 18 };

static pthread_mutex_t life = PTHREAD_MUTEX_INITIALIZER; /* held during a start or a stop; taken before `lock` */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects all variables below */
static bool runs;
static struct herald_host_file listener = {.number = -1}, folder = {.number = -1};
static char name[NAME]; /* the socket's name in the folder */
static pid_t maker;     /* the process that has made the socket */
static pthread_t thread;
/* A client's thread closes its socket, and so frees its place. */
static struct herald_host_client clients[CLIENTS] = {[0 ... CLIENTS - 1] = {.socket.number = -1}};
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;     /* a place has become free */
static _Thread_local const struct herald_host_client *own; /* in a client's thread: its place in `clients` */

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

enum { PATH = HERALD_HOST_PATH_LIMIT + 64 };

/* Finds the inspector's folder, which lies in the folder of the user's file (place.h), and opens it. If several users
 * can write to the folder of the file, another user may have taken a name there. So several names are tried. */
static int find_folder(char path[PATH], bool makes) {
    struct herald_host_place place;
    if (herald_host_place_find(&place) != HeraldOK) return -1;
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

/* The socket's address: a path through the folder's descriptor. So the path is short, and leads to the very folder that
 * was checked. */
static struct sockaddr_un address_in(int in, const char *socket_name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%.60s", in, socket_name);
    return address;
}

/* Whether the socket refuses connections. If it does, its process is dead: see listen_in. */
static bool is_left(int in, const char *socket_name) {
    struct sockaddr_un address = address_in(in, socket_name);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return false;
    bool refuses = connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0 && errno == ECONNREFUSED;
    close(descriptor);
    return refuses;
}

/* Removes the sockets of dead processes that had this process's number. A living process in another container may have
 * this number, too. The socket of a living process stays. */
static void clear_number(int in) {
    int copy = openat(in, ".", O_DIRECTORY | O_CLOEXEC | O_RDONLY);
    DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
    if (!entries && copy >= 0) close(copy);
    for (const struct dirent *entry; entries && (entry = readdir(entries));) {
        unsigned long long identity;
        int number, end = 0;
        if (sscanf(entry->d_name, "%d.%16llx%n", &number, &identity, &end) == 2 && number == getpid() &&
            !entry->d_name[end] && is_left(in, entry->d_name))
            unlinkat(in, entry->d_name, 0);
    }
    if (entries) closedir(entries);
}

/* The socket gets its final name only after it listens. So if a socket with a final name refuses a connection, its
 * process is dead. */
static int listen_in(int in) {
    char before[NAME + 8];
    maker = getpid();
    snprintf(name, sizeof name, "%d.%016lx", maker, herald_host_identity());
    snprintf(before, sizeof before, "%s.new", name);
    struct sockaddr_un address = address_in(in, before);
    clear_number(in);
    unlinkat(in, before, 0);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -1;
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0 && fchmodat(in, before, 0600, 0) == 0 &&
        listen(descriptor, WAITING) == 0 && renameat(in, before, in, name) == 0)
        return descriptor;
    unlinkat(in, before, 0);
    close(descriptor);
    return -1;
}

/* ---- Clients ----------------------------------------------------------------------------------------------------- */

static bool is_users(int socket) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

static void hang_up(const struct herald_host_file *socket) {
    if (herald_host_file_is_ours(socket)) shutdown(socket->number, SHUT_RDWR);
}

/* The clean-up of a client's thread. It runs even if a describer has ended the thread. */
static void end_client(void *context) {
    struct herald_host_client *client = context;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL); /* close(2) is a cancellation point */
    pthread_mutex_lock(&lock);
    hang_up(&client->socket);
    herald_host_file_close(&client->socket);
    own = NULL;
    pthread_cond_signal(&left);
    pthread_mutex_unlock(&lock);
}

static void *serve_client(void *client) {
    own = client;
    prctl(PR_SET_NAME, "herald-viewer");
    pthread_cleanup_push(end_client, client);
    herald_host_viewer_serve(client);
    pthread_cleanup_pop(1);
    return NULL;
}

static bool is_free(const struct herald_host_client *client) { return client->socket.number < 0; }

static struct herald_host_client *find_place(void) {
    for (int i = 0; i < CLIENTS; i++)
        if (is_free(&clients[i])) return &clients[i];
    return NULL;
}

static void begin_client(struct herald_host_client *client, int socket) {
    if (!is_users(socket)) {
        close(socket);
    } else if (herald_host_file_take(&client->socket, socket) &&
               ground_thread_start(NULL, STACK, serve_client, client) != 0) {
        herald_host_file_close(&client->socket);
    }
}

/* Called under the lock. Otherwise a child of a fork could inherit a connection that is not in `clients` yet, and would
 * not close it. Returns false if there are no descriptors or no memory left. */
static bool accept_client(void) {
    static const char full[] = "{\"type\":\"error\",\"request\":\"\",\"message\":\"there are 8 clients already\"}\n";
    struct herald_host_client *place = find_place();
    int socket = accept4(listener.number, NULL, NULL, SOCK_CLOEXEC);
    if (socket < 0) return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
    if (place) {
        begin_client(place, socket);
    } else {
        send(socket, full, sizeof full - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        close(socket);
    }
    return true;
}

/* Accepts clients until the service stops. A stop wakes this thread by a shutdown of the listening socket. But the
 * program may have closed that descriptor, so the thread also wakes every two seconds to see whether it must end. */
static void *serve(void *context) {
    (void)context;
    prctl(PR_SET_NAME, "herald-inspect");
    for (bool goes_on = true; goes_on;) {
        struct pollfd wait = {listener.number, POLLIN, 0};
        int ready = poll(&wait, 1, LOOK_MS);
        pthread_mutex_lock(&lock);
        goes_on = runs && herald_host_file_is_ours(&listener);
        bool accepts = !goes_on || ready <= 0 || accept_client();
        pthread_mutex_unlock(&lock);
        if (!accepts) nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    return NULL;
}

/* ---- The life of the service ------------------------------------------------------------------------------------- */

static void remove_socket(void) {
    if (maker == getpid() && herald_host_file_is_ours(&folder)) unlinkat(folder.number, name, 0);
}

/* Under the lock. */
static HeraldStatus begin(void) {
    char path[PATH];
    runs = herald_host_file_take(&folder, find_folder(path, true)) &&
           herald_host_file_take(&listener, listen_in(folder.number)) &&
           ground_thread_start(&thread, 0, serve, NULL) == 0;
    if (runs) return HeraldOK;
    remove_socket();
    herald_host_file_close(&listener);
    herald_host_file_close(&folder);
    return herald_host_complain(HeraldTransportFailed, "the inspector's socket cannot be made");
}

__attribute__((destructor)) static void at_exit(void) {
    pthread_mutex_lock(&lock);
    remove_socket();
    pthread_mutex_unlock(&lock);
}

/* Whether a client's thread other than the calling thread is there. */
static bool has_others(void) {
    for (int i = 0; i < CLIENTS; i++)
        if (!is_free(&clients[i]) && &clients[i] != own) return true;
    return false;
}

/* Under `life` and `lock`, which is released during the waits. */
static void end(void) {
    runs = false;
    hang_up(&listener); /* this wakes `thread` */
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < CLIENTS; i++) hang_up(&clients[i].socket);
    while (has_others()) pthread_cond_wait(&left, &lock);
    remove_socket();
    herald_host_file_close(&listener);
    herald_host_file_close(&folder);
}

/* Whether other programs can find the socket. */
static bool is_found(void) {
    char path[PATH];
    struct stat about;
    int now = herald_host_file_is_ours(&listener) ? find_folder(path, false) : -1;
    bool found = now >= 0 && fstatat(now, name, &about, AT_SYMLINK_NOFOLLOW) == 0;
    if (now >= 0) close(now);
    return found;
}

/* Only one thread at a time starts or stops the service. If another thread is doing so, a client's thread does nothing:
 * the other thread may be waiting for it. */
static HeraldStatus change(bool starts) {
    HeraldStatus status = HeraldOK;
    int cancelled;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled);
    if ((own ? pthread_mutex_trylock : pthread_mutex_lock)(&life) == 0) {
        pthread_mutex_lock(&lock);
        if (runs && !(starts && is_found())) end();
        if (starts && !runs) status = begin();
        pthread_mutex_unlock(&lock);
        pthread_mutex_unlock(&life);
    }
    pthread_setcancelstate(cancelled, NULL);
    return status;
}

static HeraldStatus start(void) { return change(true); }
static void stop(void) { change(false); }

/* ---- Fork -------------------------------------------------------------------------------------------------------- */

/* `life` is not taken. The thread that holds it may be waiting for a client's thread, which may be waiting for a lock
 * that the forking thread holds. */
static void before_fork(void) { pthread_mutex_lock(&lock); }
static void in_parent(void) { pthread_mutex_unlock(&lock); }

/* In the child, none of the service's threads exists. */
static void in_child(void) {
    const struct herald_host_client *mine = own; /* this thread is a client's, and a describer has forked */
    runs = false;
    life = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    left = (pthread_cond_t)PTHREAD_COND_INITIALIZER; /* a thread of the parent may be waiting for it */
    herald_host_file_close(&listener);
    herald_host_file_close(&folder);
    for (int i = 0; i < CLIENTS; i++) {
        herald_host_file_close(&clients[i].socket);
        if (&clients[i] == mine) clients[i].socket.number = INT_MAX; /* no descriptor; the place is not free yet */
    }
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < CLIENTS; i++) herald_host_viewer_in_child(&clients[i], &clients[i] == mine);
}

static const HeraldInspectorService service = {start, stop};

__attribute__((constructor(200))) static void offer(void) {
    pthread_atfork(before_fork, in_parent, in_child);
    HeraldInspectorSetService(&service);
}
