/* Names: the functions that messages and fork need. */
#ifndef HERALD_NAME_H
#define HERALD_NAME_H

#include "platform.h"

HERALD_BEGIN
/* The object that HeraldObjectForString has made for this text, or NULL. */
const void *herald_name_find_object(const char *utf8);
/* The text for which HeraldObjectForString has made this object. NULL if `object` is any other address. Takes no lock.
 */
const char *herald_name_text_of(const void *object);
/* A hash of the text, with the process's secret. Two texts may have the same hash. */
uint64_t herald_name_hash(const char *utf8);

HERALD_END
#endif
