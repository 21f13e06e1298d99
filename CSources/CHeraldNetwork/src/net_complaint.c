/* Ordering, ownership: Each thread has its own complaint, which is freed when the thread ends. Complaints are in the
 * heap. As thread-local storage they would use up the little space that the dynamic linker keeps for libraries that are
 * loaded later. Progress: Bounded. */
#include "net_complaint.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct complaint {
    size_t bytes; /* the size of what is too large; 0: something else is wrong */
    char text[768];
};
static struct complaint exhausted = {0, "out of memory"}; /* for all threads that got no memory for their own */
static pthread_key_t key;
static bool have_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void end_complaint(void *complaint) {
    if (complaint != &exhausted) free(complaint);
}

static void make_key(void) { have_key = pthread_key_create(&key, end_complaint) == 0; }

static struct complaint *found_complaint(void) {
    pthread_once(&once, make_key);
    return have_key ? pthread_getspecific(key) : NULL;
}

static struct complaint *own_complaint(void) {
    struct complaint *own = found_complaint();
    if (own && own != &exhausted) return own;
    own = have_key ? calloc(1, sizeof *own) : NULL;
    if (own && pthread_setspecific(key, own) == 0) return own;
    free(own);
    if (have_key) pthread_setspecific(key, &exhausted);
    return NULL;
}

static void write_complaint(size_t bytes, const char *format, va_list arguments) {
    struct complaint *complaint = own_complaint();
    if (!complaint) return;
    complaint->bytes = bytes;
    vsnprintf(complaint->text, sizeof complaint->text, format, arguments);
}

HeraldStatus herald_net_complain(HeraldStatus status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_complaint(0, format, arguments);
    va_end(arguments);
    return status;
}

HeraldStatus herald_net_complain_of_size(size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_complaint(size, format, arguments);
    va_end(arguments);
    return HeraldTooLarge;
}

const char *HeraldNetworkGetErrorDescription(void) {
    const struct complaint *complaint = found_complaint();
    return complaint ? complaint->text : "";
}

size_t HeraldNetworkGetErrorSize(void) {
    const struct complaint *complaint = found_complaint();
    return complaint ? complaint->bytes : 0;
}
