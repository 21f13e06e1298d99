/* Values: the memory of the messages that are kept. The scheme: slabs of one size each, and a word of each value that
 * says whose it is.
 *
 *      owner   {generation, FREE or PUBLISHED or HELD + ring}. A process claims a free value by one compare-and-swap,
 *              which also raises the generation. The process has the lock of that ring. It writes the value, and
 *              publishes a record that names the value and the generation (log.h). Who finds that record at the log's
 *              tail puts the value into its cell (cell.h), marks it as published, and frees the one that was there.
 *      reader  reads its cell, and the owner's generation; copies the value; and reads the generation again. The copy
 *              is right if the generation is the same. A value that was freed meanwhile is still whole until it is
 *              claimed again. So a freed value rests until a few others of its size have been freed.
 *      hand    A process notes in its ring's head the value that it is about to claim, and in `old` the one that it is
 *              about to replace. If it dies, the next owner of the ring frees what was left. First `old`, because its
 *              own work writes there; then it publishes nothing before the record at the tail is in its cell; then
 *              `hand`, which that record may have named. Tests/Model/host_kept.c models this.
 *
 * Ordering: Sequentially consistent, except that a value's bytes are relaxed. A writer claims, passes a release fence,
 * and then writes the first byte. A reader copies the last byte, passes an acquire fence, and then reads the generation
 * again.
 */
#ifndef HERALD_HOST_VALUE_H
#define HERALD_HOST_VALUE_H

#include "content.h"
#include "segment.h"

HERALD_BEGIN
static inline uint32_t herald_host_value_generation(uint64_t owner) { return (uint32_t)(owner >> 32); }

/* The value with this number. NULL: there is none. */
struct herald_host_value *herald_host_value_at(struct herald_host_header *header, uint32_t number);

/* The generation of the value with this number; 0: there is no value. */
uint32_t herald_host_value_generation_of(struct herald_host_header *header, uint32_t number);

/* Claims a value with room for `size` bytes of content, for the owner of the ring. 0: none is free. Within a process,
 * one thread at a time makes this call. */
uint32_t herald_host_value_claim(struct herald_host_segment *segment, uint32_t ring, size_t size);
/* The value with this number, which was claimed, so that it lies in the file. (Another program may have changed the
 * class of its slab since, by which herald_host_value_at would find it.) */
struct herald_host_value *herald_host_value_claimed(struct herald_host_header *header, uint32_t number);
/* Writes the message of an outgoing post, whose cell has this number, into a value that this process has claimed. */
void herald_host_value_write(struct herald_host_value *value, const struct herald_host_outgoing *outgoing,
                             uint32_t cell);

/* Changes the state of a value: from `before` to `after`, or from any other to FREE. False: the generation is over, or
 * it is in another state. */
bool herald_host_value_change(struct herald_host_header *header, uint32_t number, uint32_t generation, uint32_t before,
                              uint32_t after);
/* Frees a value, once, whoever else tries. If `rests`, this process claims it last: only under the outbox's mutex,
 * which protects the notes of what rests. */
bool herald_host_value_free(struct herald_host_header *header, uint32_t number, uint32_t generation, bool rests);

enum herald_host_copied {
    HERALD_HOST_COPIED,
    HERALD_HOST_NOT_COPIED, /* there is nothing, or another program has spoilt it */
    HERALD_HOST_NO_MEMORY
};
/* Copies a value of this generation. NOT_COPIED: the generation is over, or the value is spoilt. */
enum herald_host_copied herald_host_value_read(struct herald_host_header *header, uint32_t number, uint32_t generation,
                                               struct herald_host_received **block);

/* Takes memory in a new file for as many values of each size as `count` says, by the number of the size's class. */
HeraldStatus herald_host_values_reserve(struct herald_host_segment *segment,
                                        const uint32_t count[HERALD_HOST_VALUE_CLASSES]);
uint32_t herald_host_value_class(struct herald_host_header *header, uint32_t number);
/* Claims a value of this class in a new file, which no other process sees yet. `*from`: where to look, at first 0.
 * 0: none is free, or the class has no room for `size` bytes of content. */
uint32_t herald_host_value_claim_in(struct herald_host_segment *segment, uint32_t class, size_t size, uint32_t *from);
HERALD_END
#endif
