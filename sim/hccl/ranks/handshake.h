/* handshake.h - the first bytes on a connection between two hosts
 *
 * The connecting side sends the communicator, both ranks and half of the token. The
 * accepting side answers with the other half. */
#ifndef SIM_HCCL_RANKS_HANDSHAKE_H
#define SIM_HCCL_RANKS_HANDSHAKE_H

#include <stdbool.h>
#include <stdint.h>

#define HANDSHAKE_KEY   16
#define HANDSHAKE_TOKEN 32
#define HANDSHAKE_BYTES 48 /* on the wire */
#define ANSWER_BYTES    24

struct handshake_key {
    unsigned char bytes[HANDSHAKE_KEY]; /* hash of the communicator's name */
};

struct token {
    unsigned char bytes[HANDSHAKE_TOKEN];
};

struct handshake {
    struct handshake_key key;
    uint32_t from, to;
    unsigned char half[HANDSHAKE_TOKEN / 2];
};

struct handshake_key handshake_key_of(const char *name);
/* Derives a token from a text that is secret to the members. */
struct token token_of(const char *text, uint64_t seed);

void handshake_pack(unsigned char *bytes, const struct handshake *handshake);
bool handshake_unpack(struct handshake *handshake, const unsigned char *bytes);
struct handshake
handshake_make(const char *name, const struct token *token, uint32_t from, uint32_t to);
bool handshake_fits(const struct handshake *handshake, const struct token *token);

void answer_pack(unsigned char *bytes, const struct token *token);
bool answer_fits(const unsigned char *bytes, const struct token *token);

#endif
