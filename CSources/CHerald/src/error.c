/* The error of a thread.
 *
 * Ordering: Each thread has its own. Progress: bounded.
 * Ownership: It is in the heap and ends with its thread. Thread-local storage would use up the little space that the
 * dynamic linker keeps for libraries which are loaded later.
 */
#include "error.h"
#include "entry_points.h"
#include "ground_utf8.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

__thread uint32_t herald_errors __attribute__((tls_model("initial-exec")));

struct error {
    char text[768];
};

static struct error exhausted = {"out of memory"}; /* for all threads that have none of their own */
static pthread_key_t key;
static bool have_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void end_error(void *error) {
    if (error != &exhausted) free(error);
}

static void make_key(void) { have_key = pthread_key_create(&key, end_error) == 0; }

static struct error *found_error(void) {
    pthread_once(&once, make_key);
    return have_key ? pthread_getspecific(key) : NULL;
}

static struct error *own_error(void) {
    struct error *own = found_error();
    if (own && own != &exhausted) return own;
    own = have_key ? calloc(1, sizeof *own) : NULL;
    if (own && pthread_setspecific(key, own) == 0) return own;
    free(own);
    if (have_key) pthread_setspecific(key, &exhausted);
    return NULL;
}

HeraldStatus herald_own_HeraldSetErrorDescription(HeraldStatus status, const char *description) {
    struct error *error = own_error();
    herald_errors++;
    if (!error) return status;
    const char *text = description ? description : "";
    size_t length = ground_utf8_cut(text, sizeof error->text - 1);
    memmove(error->text, text, length); /* the text may be this thread's own */
    error->text[length] = 0;
    return status;
}

HeraldStatus herald_fail(HeraldStatus status, const char *sentence) {
    return herald_own_HeraldSetErrorDescription(status, sentence);
}

HeraldStatus herald_fail_of_memory(void) { return herald_fail(HeraldOutOfMemory, "out of memory"); }

HeraldStatus herald_fail_of_hook(HeraldStatus status, uint32_t before) {
    return herald_errors == before ? herald_fail(status, HeraldStatusGetDescription(status)) : status;
}

const char *herald_own_HeraldGetErrorDescription(void) {
    const struct error *error = found_error();
    return error ? error->text : "";
}
