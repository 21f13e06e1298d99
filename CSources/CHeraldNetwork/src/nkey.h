/* An nkey: the public key of a seed, which libnats needs. */
#ifndef HERALD_NET_NKEY_H
#define HERALD_NET_NKEY_H

#include "net_platform.h"

enum { HERALD_NET_NKEY_ROOM = 57 };

HERALD_BEGIN
/* Reads a seed from a file, with or without the lines around it that a .creds file has. False, with a complaint. */
bool herald_net_nkey_public(const char *seed_file, char public_key[HERALD_NET_NKEY_ROOM]);
HERALD_END
#endif
