/* greeting.h - the first words on a connection between two hosts
 *
 * Who calls says whom it wants and shows half of the token; who answers shows the other
 * half. */
#ifndef SIM_HCCL_GREETING_H
#define SIM_HCCL_GREETING_H

#include <stdbool.h>
#include <stdint.h>

#define GREETING_KEY   16
#define GREETING_TOKEN 32
#define GREETING_BYTES 48 /* on the wire */
#define ANSWER_BYTES   24

struct greeting_key {
    unsigned char bytes[GREETING_KEY]; /* of the communicator's name */
};

struct token {
    unsigned char bytes[GREETING_TOKEN];
};

struct greeting {
    struct greeting_key key;
    uint32_t from, to;
    unsigned char half[GREETING_TOKEN / 2];
};

struct greeting_key greeting_key_of(const char *name);
/* Made from a text that only those know who may come in. */
struct token token_of(const char *text, uint64_t seed);

void greeting_pack(unsigned char *bytes, const struct greeting *greeting);
bool greeting_unpack(struct greeting *greeting, const unsigned char *bytes);
struct greeting
greeting_make(const char *name, const struct token *token, uint32_t from, uint32_t to);
bool greeting_fits(const struct greeting *greeting, const struct token *token);

void answer_pack(unsigned char *bytes, const struct token *token);
bool answer_fits(const unsigned char *bytes, const struct token *token);

#endif
