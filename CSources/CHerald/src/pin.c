/* Keeps the library loaded. (This pin is no hazard pointer.) The end of a thread that has posted runs the library's
 * code, and so does a fork. Without the pin, closing a plugin that carries the library would unmap that code.
 *
 * Ordering, progress: The dynamic linker runs the constructor pin() before anybody can close the object. To pin in the
 * first call instead could deadlock. Pinning takes the linker's lock. Another thread has that lock while it runs a
 * constructor, and this constructor may be waiting for the thread that makes the first call.
 * Ownership: The object that contains this code belongs to the process.
 */
#include "pin.h"

#include <dlfcn.h>

/* Weak, because some programs lack these functions. A program without a dynamic linker never has them, and closes no
 * object. With an old C library, only a program that links libdl has them. dlopen is looked up by name, because the
 * linker warns about every static program that mentions dlopen. */
#pragma weak dladdr
#pragma weak dlsym
#pragma weak dlinfo

static const char here = 0;

/* Takes one more reference to the object that contains this code. Returns NULL if that object is the program itself, or
 * if there is no dynamic linker. */
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
