/* Keys and tokens in NATS's formats, made for a test. */
#ifndef HERALD_TEST_KEYS_H
#define HERALD_TEST_KEYS_H

#include <openssl/evp.h>
#include <stdbool.h>

enum { KEY_OPERATOR = 14 << 3, KEY_ACCOUNT = 0, KEY_USER = 20 << 3, KEY_TEXT = 64, TOKEN_TEXT = 2048 };

struct key {
    EVP_PKEY *key;
    char seed[KEY_TEXT], public[KEY_TEXT];
};
bool key_make(struct key *key, int kind);
void key_end(struct key *key);
/* A token with these claims. `claims` is JSON without jti, and begins with a brace. */
bool token_make(char token[TOKEN_TEXT], const struct key *signer, const char *claims);

#endif
