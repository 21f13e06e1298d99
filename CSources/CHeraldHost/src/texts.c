/* Ordering, ownership: each thread has its own, which end with it. Progress: bounded. */
#include "texts.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static bool have_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void) { have_key = pthread_key_create(&key, free) == 0; }

struct herald_texts *herald_texts(void) {
    pthread_once(&once, make_key);
    if (!have_key) return NULL;
    struct herald_texts *texts = pthread_getspecific(key);
    if (texts || !(texts = calloc(1, sizeof *texts))) return texts;
    if (pthread_setspecific(key, texts) == 0) return texts;
    free(texts);
    return NULL;
}
