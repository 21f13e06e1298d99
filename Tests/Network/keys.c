#include "keys.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void write_letters(const uint8_t *bytes, size_t length, char *text) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    uint32_t value = 0;
    int bits = 0;
    for (size_t i = 0; i < length; i++) {
        value = value << 8 | bytes[i];
        for (bits += 8; bits >= 5;) *text++ = letters[value >> (bits -= 5) & 31];
    }
    if (bits) *text++ = letters[value << (5 - bits) & 31];
    *text = 0;
}

static void add_checksum(uint8_t *bytes, size_t length) {
    uint16_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        sum ^= (uint16_t)(bytes[i] << 8);
        for (int bit = 0; bit < 8; bit++) sum = (uint16_t)(sum & 0x8000 ? sum << 1 ^ 0x1021 : sum << 1);
    }
    bytes[length] = (uint8_t)sum;
    bytes[length + 1] = (uint8_t)(sum >> 8);
}

bool key_make(struct key *key, int kind) {
    uint8_t seed[36] = {(uint8_t)(18 << 3 | kind >> 5), (uint8_t)((kind & 31) << 3)}, public[35] = {(uint8_t)kind};
    size_t length = 32;
    memset(key, 0, sizeof *key);
    key->key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    if (!key->key || EVP_PKEY_get_raw_private_key(key->key, seed + 2, &length) != 1) return false;
    if (EVP_PKEY_get_raw_public_key(key->key, public + 1, &length) != 1) return false;
    add_checksum(seed, 34);
    add_checksum(public, 33);
    write_letters(seed, sizeof seed, key->seed);
    write_letters(public, sizeof public, key->public);
    return true;
}

void key_end(struct key *key) { EVP_PKEY_free(key->key); }

static void write_base64(const uint8_t *bytes, size_t length, char *text) {
    int written = EVP_EncodeBlock((unsigned char *)text, bytes, (int)length);
    while (written && text[written - 1] == '=') text[--written] = 0;
    for (; *text; text++) *text = *text == '+' ? '-' : *text == '/' ? '_' : *text;
}

bool token_make(char token[TOKEN_TEXT], const struct key *signer, const char *claims) {
    static const char header[] = "{\"typ\":\"JWT\",\"alg\":\"ed25519-nkey\"}";
    uint8_t digest[32], signature[64];
    char identity[KEY_TEXT], body[TOKEN_TEXT / 2];
    unsigned digest_length = 0;
    size_t signature_length = sizeof signature;
    if (EVP_Digest(claims, strlen(claims), digest, &digest_length, EVP_sha512_256(), NULL) != 1) return false;
    write_letters(digest, sizeof digest, identity);
    snprintf(body, sizeof body, "{\"jti\":\"%s\",\"iat\":1700000000,%s", identity, claims + 1);
    write_base64((const uint8_t *)header, sizeof header - 1, token);
    strcat(token, ".");
    write_base64((const uint8_t *)body, strlen(body), token + strlen(token));
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool done = EVP_DigestSignInit(context, NULL, NULL, NULL, signer->key) == 1 &&
                EVP_DigestSign(context, signature, &signature_length, (const uint8_t *)token, strlen(token)) == 1;
    EVP_MD_CTX_free(context);
    strcat(token, ".");
    if (done) write_base64(signature, signature_length, token + strlen(token));
    return done;
}
