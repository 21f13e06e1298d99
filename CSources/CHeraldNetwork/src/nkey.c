/* The parts of an nkey (a key pair of NATS): Base 32, a checksum, and Ed25519 by libcrypto, which libnats needs, too.
 *
 * Ownership: The seed is wiped from memory after use. Progress: Bounded by the file's first 4 KiB.
 */
#include "net.h"
#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

enum {
    SEED_LETTERS = 58, /* for 36 bytes: two for the kinds of seed and key, 32 for the seed, two for the checksum */
    SEED_BYTES = 36,
    PUBLIC_BYTES = 35, /* one for the kind, 32 for the key, two for the checksum */
    FILE_MOST = 4096,
    KIND_SEED = 18 << 3
};

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

static uint16_t checksum(const uint8_t *bytes, size_t length) {
    uint16_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        sum ^= (uint16_t)(bytes[i] << 8);
        for (int bit = 0; bit < 8; bit++) sum = (uint16_t)(sum & 0x8000 ? sum << 1 ^ 0x1021 : sum << 1);
    }
    return sum;
}

static bool read_letters(const char *text, uint8_t *bytes, size_t length) {
    uint32_t value = 0;
    int bits = 0;
    for (size_t i = 0; i < length; text++) {
        const char *letter = *text ? strchr(letters, *text) : NULL;
        if (!letter) return false;
        value = value << 5 | (uint32_t)(letter - letters);
        bits += 5;
        if (bits < 8) continue;
        bits -= 8;
        bytes[i++] = (uint8_t)(value >> bits);
    }
    return true;
}

static void write_letters(const uint8_t *bytes, size_t length, char *text) {
    uint32_t value = 0;
    int bits = 0;
    for (size_t i = 0; i < length; i++) {
        value = value << 8 | bytes[i];
        for (bits += 8; bits >= 5;) *text++ = letters[value >> (bits -= 5) & 31];
    }
    if (bits) *text++ = letters[value << (5 - bits) & 31];
    *text = 0;
}

/* Finds the seed in a text: the first word that looks like one. */
static const char *find_seed(const char *text) {
    for (const char *at = text; (at = strstr(at, "S")); at++)
        if ((at == text || strchr(" \t\r\n", at[-1])) && strspn(at, letters) == SEED_LETTERS) return at;
    return NULL;
}

static bool derive(const uint8_t *seed, uint8_t kind, char public_key[HERALD_NET_NKEY_ROOM]) {
    uint8_t bytes[PUBLIC_BYTES] = {kind};
    size_t length = 32;
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, 32);
    bool done = key && EVP_PKEY_get_raw_public_key(key, bytes + 1, &length) == 1 && length == 32;
    EVP_PKEY_free(key);
    if (!done) return false;
    uint16_t sum = checksum(bytes, 33);
    bytes[33] = (uint8_t)sum;
    bytes[34] = (uint8_t)(sum >> 8);
    write_letters(bytes, sizeof bytes, public_key);
    return true;
}

static bool is_seed(const uint8_t bytes[SEED_BYTES]) {
    return (bytes[0] & 0xf8) == KIND_SEED && checksum(bytes, 34) == (bytes[34] | bytes[35] << 8);
}

bool herald_net_nkey_public(const char *seed_file, char public_key[HERALD_NET_NKEY_ROOM]) {
    char text[FILE_MOST];
    uint8_t bytes[SEED_BYTES];
    FILE *file = fopen(seed_file, "re");
    if (!file) {
        herald_net_complain(HeraldInvalidArgument, "the nkey's seed %s cannot be read: %s", seed_file, strerror(errno));
        return false;
    }
    setvbuf(file, NULL, _IONBF, 0); /* unbuffered, because a buffer would leave a copy of the seed in memory */
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = 0;
    const char *seed = find_seed(text);
    bool done = seed && read_letters(seed, bytes, sizeof bytes) && is_seed(bytes) &&
                derive(bytes + 2, (uint8_t)(bytes[0] << 5 | bytes[1] >> 3), public_key);
    OPENSSL_cleanse(text, sizeof text);
    OPENSSL_cleanse(bytes, sizeof bytes);
    if (!done) herald_net_complain(HeraldInvalidArgument, "%s has no nkey's seed", seed_file);
    return done;
}
