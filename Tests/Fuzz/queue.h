/* The model's queue of a center (R16). */
#ifndef FUZZ_QUEUE_H
#define FUZZ_QUEUE_H

#include "reference.h"

/* Holds a post for a registration. */
void queue_add(struct center *center, struct registration *registration, const struct post *post);

/* The next delivery, or NULL. */
const struct delivery *queue_next(const struct center *center);

void queue_remove_first(struct queue *queue);
void queue_remove_registration(struct queue *queue, const struct registration *registration);
void queue_destroy(struct queue *queue);

#endif
