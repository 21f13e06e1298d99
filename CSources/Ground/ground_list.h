/* Lists, as in <sys/queue.h>, which not every C library has. An element is in a list by two of its fields: `next`, and
 * `link`, the address of the pointer that points to the element. So an element is removed without a search. */
#ifndef HERALD_GROUND_LIST_H
#define HERALD_GROUND_LIST_H

#include "ground.h"

/* Puts an element in front of `head`, a pointer to the first element. Evaluates its arguments more than once. */
#define GROUND_LIST_PUSH(head, element)                                                                                \
    do {                                                                                                               \
        (element)->next = (head);                                                                                      \
        (element)->link = &(head);                                                                                     \
        if ((head)) (head)->link = &(element)->next;                                                                   \
        (head) = (element);                                                                                            \
    } while (0)

/* Removes an element from its list. Leaves its fields as they are. */
#define GROUND_LIST_REMOVE(element)                                                                                    \
    do {                                                                                                               \
        *(element)->link = (element)->next;                                                                            \
        if ((element)->next) (element)->next->link = (element)->link;                                                  \
    } while (0)

#endif
