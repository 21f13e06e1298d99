/* The error of a thread: the sentence of its last call that failed, on any center. The sentence stays until the
 * thread's next call that fails. */
#ifndef HERALD_ERROR_H
#define HERALD_ERROR_H

#include "platform.h"

HERALD_BEGIN
/* Keeps the sentence, which is a literal, and returns the status. */
HeraldStatus herald_fail(HeraldStatus status, const char *sentence) __attribute__((cold));
HeraldStatus herald_fail_of_memory(void) __attribute__((cold));

/* How many errors the thread has had. */
extern __thread uint32_t herald_errors __attribute__((tls_model("initial-exec")));
/* For a status that a hook has returned: if the hook has set no error since there were `before` errors, keeps the
 * sentence of the status. Returns the status. */
HeraldStatus herald_fail_of_hook(HeraldStatus status, uint32_t before) __attribute__((cold));
HERALD_END
#endif
