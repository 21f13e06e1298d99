/* Ordering, ownership: each thread has its own, which ends with it, and lies in the heap: what is in thread-local
 * storage takes from the little that the dynamic linker has left for libraries which are loaded later. Progress:
 * bounded. */
#include "complaint.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 768 };
static pthread_key_t key;
static bool have_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void) { have_key = pthread_key_create(&key, free) == 0; }

static char *own_complaint(void) {
    pthread_once(&once, make_key);
    char *own = have_key ? pthread_getspecific(key) : NULL;
    if (own || !have_key || !(own = calloc(1, LENGTH))) return own;
    if (pthread_setspecific(key, own) == 0) return own;
    free(own);
    return NULL;
}

HeraldStatus herald_network_complain(HeraldStatus status, const char *format, ...) {
    char *complaint = own_complaint();
    if (!complaint) return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint, LENGTH, format, arguments);
    va_end(arguments);
    return status;
}

const char *HeraldNetworkGetErrorDescription(void) {
    const char *complaint = own_complaint();
    return complaint ? complaint : "memory is out";
}
