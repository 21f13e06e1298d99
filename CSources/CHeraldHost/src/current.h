/* What is kept now: reading a cell and its value (cell.h, value.h).
 *
 * A reader reads the log's tail first. If a record was published there, and is this cell's, the reader takes its value.
 * Otherwise it takes the one in the cell. So it needs no lock and writes nothing, and what it finds never goes back.
 */
#ifndef HERALD_HOST_CURRENT_H
#define HERALD_HOST_CURRENT_H

#include "cell.h"
#include "host_name.h"
#include "log.h"

HERALD_BEGIN
/* Copies what the cell keeps to `*block`, which the caller frees. NOT_COPIED: the cell keeps nothing, or is spoilt. */
enum herald_host_copied herald_host_current_read(struct herald_host_header *header, uint32_t cell,
                                                 struct herald_host_received **block);

/* The cell of exactly this name and object (NULL: none). HERALD_HOST_CELLS: there is none. */
uint32_t herald_host_current_cell(struct herald_host_header *header, const char *name, const char *object);

/* Copies what the cell keeps, if that is of exactly this name and object. (Another program may have found two of one
 * key.) False: it keeps nothing, there is no such cell, or memory is out. */
bool herald_host_current_read_one(struct herald_host_header *header, uint32_t cell, const char *name,
                                  const char *object, struct herald_host_received **block);

/* Copies what is kept of a name, if its sequence number is at least `from` and below `until`. `object`: only with this
 * object; NULL: with any. `*list`: the oldest first; it belongs to the caller. HeraldOutOfMemory: `*list` is NULL. */
HeraldStatus herald_host_current_find(struct herald_host_header *header, const struct herald_host_name *name,
                                      const char *object, uint64_t from, uint64_t until,
                                      struct herald_host_received **list);
/* The same for all names. */
HeraldStatus herald_host_current_find_all(struct herald_host_header *header, struct herald_host_received **list);
/* Frees a list. */
void herald_host_current_free(struct herald_host_received *list);
HERALD_END
#endif
