/* Ordering, ownership: each thread has its own, which ends with it, and lies in the heap: what is in thread-local
 * storage takes from the little that the dynamic linker has left for libraries which are loaded later. Progress:
 * bounded. */
#include "complaint.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 768 };
static char exhausted[] = "memory is out"; /* of all threads that have none */
static pthread_key_t key;
static bool have_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void end_complaint(void *complaint) {
    if (complaint != exhausted) free(complaint);
}

static void make_key(void) { have_key = pthread_key_create(&key, end_complaint) == 0; }

static char *found_complaint(void) {
    pthread_once(&once, make_key);
    return have_key ? pthread_getspecific(key) : NULL;
}

static char *own_complaint(void) {
    char *own = found_complaint();
    if (own && own != exhausted) return own;
    own = have_key ? calloc(1, LENGTH) : NULL;
    if (own && pthread_setspecific(key, own) == 0) return own;
    free(own);
    if (have_key) pthread_setspecific(key, exhausted);
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
    const char *complaint = found_complaint();
    return complaint ? complaint : "";
}
