/* The library stays once it is loaded: threads that have posted end in its code, forks run its handlers. A plugin that
 * carries a copy of it, and is closed, would be unmapped under them.
 *
 * Ordering, progress: a constructor, which the dynamic linker runs before anybody can close the object. Not with the
 * first call: that may come from a thread for which a constructor waits, and this takes the linker's lock. Ownership:
 * the object that this lies in belongs to the process.
 */
#include "pin.h"

#include <dlfcn.h>

/* In a program without a dynamic linker there is nothing to be closed; in an old C library they are in libdl. dlopen is
 * looked up, for a linker warns of every static program that mentions it. */
#pragma weak dladdr
#pragma weak dlsym
#pragma weak dlinfo

static const char here = 0;

/* One more reference to it; NULL for the program itself. */
static void *open_here(int mode) {
    Dl_info object;
    void *(*open_object)(const char *path, int mode);
    if (!dladdr || !dlsym || !dladdr(&here, &object) || !object.dli_fname) return NULL;
    *(void **)&open_object = dlsym(RTLD_DEFAULT, "dlopen");
    return open_object ? open_object(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD | mode) : NULL;
}

long herald_pin_namespace(void) {
    long number = 0;
#ifdef LM_ID_BASE /* glibc's */
    void *object = open_here(0);
    if (object && dlinfo) dlinfo(object, RTLD_DI_LMID, &number);
#endif
    return number;
}

__attribute__((constructor)) static void pin(void) { open_here(RTLD_NODELETE); }
