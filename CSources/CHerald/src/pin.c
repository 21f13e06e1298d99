/* The library stays loaded: a thread that has posted runs the library's code when the thread ends, and a fork runs the
 * library's handlers. Otherwise, to close a plugin that carries a copy of the library would unmap that code.
 *
 * Ordering, progress: a constructor pins the object; the dynamic linker runs it before anybody can close the object.
 * To pin the object in the first call instead could deadlock: pinning takes the linker's lock, and a thread that runs
 * another constructor has that lock and may be waiting for the thread that makes the call. Ownership: the object that
 * contains this code belongs to the process.
 */
#include "pin.h"

#include <dlfcn.h>

/* Weak: a program without a dynamic linker lacks these, and closes nothing; an old C library has them in libdl. dlopen
 * is looked up by name, because the linker warns about every static program that mentions it. */
#pragma weak dladdr
#pragma weak dlsym
#pragma weak dlinfo

static const char here = 0;

/* Takes one more reference to the object that contains this code. Returns NULL if that is the program itself. */
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
