/* The host center's file as other processes see it. */
#ifndef HERALD_FILE_TESTS_H
#define HERALD_FILE_TESTS_H

#include "../../CSources/CHeraldHost/src/layout.h"
#include "../Rules/host.h"

struct herald_host_header *map_file(void); /* maps HERALD_HOST_LOG_AT bytes of it */
ino_t file_number(void);                   /* its inode number; 0: there is no file */
void expect_nobody(void);                  /* makes the file, and ends the time in which a new file expects processes */

#endif
