#include "sim/hccl/ranks/handshake.h"

#include <endian.h>
#include <string.h>

#define HANDSHAKE_MAGIC 0x48434c31u
#define ANSWER_MAGIC    0x48434c41u
#define PRIME           0x100000001B3u
#define BASIS           0xCBF29CE484222325u

static uint64_t hash_of(const char *text, uint64_t hash)
{
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * PRIME;
    return hash ^ hash >> 29;
}

static void fill(unsigned char *out, uint32_t words, const char *text, uint64_t seed)
{
    uint64_t hash = BASIS ^ seed;

    for (uint32_t i = 0; i < words; i++) {
        uint64_t word;

        hash = hash_of(text, hash * PRIME + i + 1);
        word = htole64(hash);
        memcpy(out + i * sizeof(word), &word, sizeof(word));
    }
}

struct handshake_key handshake_key_of(const char *name)
{
    struct handshake_key key;

    fill(key.bytes, HANDSHAKE_KEY / 8, name, 0);
    return key;
}

struct token token_of(const char *text, uint64_t seed)
{
    struct token token;

    fill(token.bytes, HANDSHAKE_TOKEN / 8, text, seed | 1);
    return token;
}

struct handshake
handshake_make(const char *name, const struct token *token, uint32_t from, uint32_t to)
{
    struct handshake handshake = {
        .key = handshake_key_of(name), .from = from, .to = to};

    memcpy(handshake.half, token->bytes, sizeof(handshake.half));
    return handshake;
}

void handshake_pack(unsigned char *bytes, const struct handshake *handshake)
{
    uint32_t words[3] = {htole32(HANDSHAKE_MAGIC), htole32(handshake->from),
                         htole32(handshake->to)};

    memset(bytes, 0, HANDSHAKE_BYTES);
    memcpy(bytes, words, sizeof(words));
    memcpy(bytes + 12, handshake->key.bytes, HANDSHAKE_KEY);
    memcpy(bytes + 28, handshake->half, sizeof(handshake->half));
}

bool handshake_unpack(struct handshake *handshake, const unsigned char *bytes)
{
    uint32_t words[3];

    memcpy(words, bytes, sizeof(words));
    handshake->from = le32toh(words[1]);
    handshake->to = le32toh(words[2]);
    memcpy(handshake->key.bytes, bytes + 12, HANDSHAKE_KEY);
    memcpy(handshake->half, bytes + 28, sizeof(handshake->half));
    return le32toh(words[0]) == HANDSHAKE_MAGIC;
}

/* Compares in constant time. */
static bool is_same(const unsigned char *a, const unsigned char *b, uint32_t bytes)
{
    unsigned char difference = 0;

    for (uint32_t i = 0; i < bytes; i++)
        difference |= a[i] ^ b[i];
    return difference == 0;
}

bool handshake_fits(const struct handshake *handshake, const struct token *token)
{
    return is_same(handshake->half, token->bytes, sizeof(handshake->half));
}

void answer_pack(unsigned char *bytes, const struct token *token)
{
    uint32_t magic = htole32(ANSWER_MAGIC);

    memset(bytes, 0, ANSWER_BYTES);
    memcpy(bytes, &magic, sizeof(magic));
    memcpy(bytes + 4, token->bytes + HANDSHAKE_TOKEN / 2, HANDSHAKE_TOKEN / 2);
}

bool answer_fits(const unsigned char *bytes, const struct token *token)
{
    uint32_t magic;

    memcpy(&magic, bytes, sizeof(magic));
    return le32toh(magic) == ANSWER_MAGIC &&
           is_same(bytes + 4, token->bytes + HANDSHAKE_TOKEN / 2, HANDSHAKE_TOKEN / 2);
}
