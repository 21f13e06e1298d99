/* Nkeys: the public key is derived from the seed, because libnats needs both. */
#ifndef HERALD_NET_NKEY_H
#define HERALD_NET_NKEY_H

#include "net_platform.h"

enum { HERALD_NET_NKEY_ROOM = 57 };

HERALD_BEGIN
/* Reads a seed from a file and writes its public key. The seed may stand alone, or between other lines, as in a .creds
 * file. On failure returns false and leaves a complaint (net_complaint.h). */
bool herald_net_nkey_public(const char *seed_file, char public_key[HERALD_NET_NKEY_ROOM]);
HERALD_END
#endif
