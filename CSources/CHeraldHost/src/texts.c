/* Ordering, ownership: each thread has its own texts, which are freed when the thread ends. Progress: bounded. */
#include "texts.h"
#include <pthread.h>
#include <stdlib.h>

static struct herald_host_texts exhausted; /* for all threads that get no memory */
static pthread_key_t key;
static bool have_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void end_texts(void *texts) {
    if (texts != &exhausted) free(texts);
}

static void make_key(void) { have_key = pthread_key_create(&key, end_texts) == 0; }

static struct herald_host_texts *texts_found(void) {
    pthread_once(&once, make_key);
    return have_key ? pthread_getspecific(key) : NULL;
}

struct herald_host_texts *herald_host_texts(void) {
    struct herald_host_texts *texts = texts_found();
    if (texts && texts != &exhausted) return texts;
    texts = have_key ? calloc(1, sizeof *texts) : NULL;
    if (texts && pthread_setspecific(key, texts) == 0) return texts;
    free(texts);
    if (have_key) pthread_setspecific(key, &exhausted);
    return NULL;
}
