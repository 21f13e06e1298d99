/* A plugin with the static library is closed while threads that have posted live on. run.sh builds this file twice:
 * with PLUGIN as the plugin, without it as the program, which gets the plugin's path. */
#ifdef PLUGIN
#include <herald/herald.h>
#include <stdlib.h>

static void called(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                   const void *userInfo) {
    (void)center, (void)name, (void)object, (void)userInfo;
    ++*(int *)observer;
}

int use_herald(void);
int use_herald(void) {
    int calls = 0;
    HeraldNameRef name = HeraldNameCreate("plugin");
    HeraldCenterRef center = HeraldCenterGetLocalCenter();
    if (HeraldCenterAddObserver(center, &calls, called, name, NULL, HeraldSuspensionDeliverImmediately) != HeraldOK)
        abort();
    HeraldCenterPostNotification(center, name, NULL, NULL, false);
    HeraldCenterRemoveEveryObserver(center, &calls);
    return calls;
}
#else
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int (*use_herald)(void);
static pthread_barrier_t used, closed;
static int calls;

static void *work(void *unused) {
    (void)unused;
    calls = use_herald();
    pthread_barrier_wait(&used);
    pthread_barrier_wait(&closed);
    return NULL; /* the thread's end runs a destructor of the plugin's */
}

int main(int argc, char **argv) {
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (plugin) *(void **)&use_herald = dlsym(plugin, "use_herald");
    if (!use_herald) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    pthread_t thread;
    pthread_barrier_init(&used, NULL, 2);
    pthread_barrier_init(&closed, NULL, 2);
    pthread_create(&thread, NULL, work, NULL);
    pthread_barrier_wait(&used);
    dlclose(plugin);
    pthread_barrier_wait(&closed);
    pthread_join(thread, NULL);
    pid_t child = fork(); /* the plugin has registered fork handlers */
    if (child == 0) _exit(0);
    int status = -1;
    waitpid(child, &status, 0);
    return calls == 1 && status == 0 ? 0 : 1;
}
#endif
