#include "sim/hccl/greeting.h"

#include <endian.h>
#include <string.h>

#define GREETING_MAGIC 0x48434c31u
#define ANSWER_MAGIC   0x48434c41u
#define PRIME          0x100000001B3u
#define BASIS          0xCBF29CE484222325u

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

struct greeting_key greeting_key_of(const char *name)
{
    struct greeting_key key;

    fill(key.bytes, GREETING_KEY / 8, name, 0);
    return key;
}

struct token token_of(const char *text, uint64_t seed)
{
    struct token token;

    fill(token.bytes, GREETING_TOKEN / 8, text, seed | 1);
    return token;
}

struct greeting
greeting_make(const char *name, const struct token *token, uint32_t from, uint32_t to)
{
    struct greeting greeting = {.key = greeting_key_of(name), .from = from, .to = to};

    memcpy(greeting.half, token->bytes, sizeof(greeting.half));
    return greeting;
}

void greeting_pack(unsigned char *bytes, const struct greeting *greeting)
{
    uint32_t words[3] = {htole32(GREETING_MAGIC), htole32(greeting->from),
                         htole32(greeting->to)};

    memset(bytes, 0, GREETING_BYTES);
    memcpy(bytes, words, sizeof(words));
    memcpy(bytes + 12, greeting->key.bytes, GREETING_KEY);
    memcpy(bytes + 28, greeting->half, sizeof(greeting->half));
}

bool greeting_unpack(struct greeting *greeting, const unsigned char *bytes)
{
    uint32_t words[3];

    memcpy(words, bytes, sizeof(words));
    greeting->from = le32toh(words[1]);
    greeting->to = le32toh(words[2]);
    memcpy(greeting->key.bytes, bytes + 12, GREETING_KEY);
    memcpy(greeting->half, bytes + 28, sizeof(greeting->half));
    return le32toh(words[0]) == GREETING_MAGIC;
}

/* Takes as long for a wrong token as for the right one. */
static bool is_same(const unsigned char *a, const unsigned char *b, uint32_t bytes)
{
    unsigned char difference = 0;

    for (uint32_t i = 0; i < bytes; i++)
        difference |= a[i] ^ b[i];
    return difference == 0;
}

bool greeting_fits(const struct greeting *greeting, const struct token *token)
{
    return is_same(greeting->half, token->bytes, sizeof(greeting->half));
}

void answer_pack(unsigned char *bytes, const struct token *token)
{
    uint32_t magic = htole32(ANSWER_MAGIC);

    memset(bytes, 0, ANSWER_BYTES);
    memcpy(bytes, &magic, sizeof(magic));
    memcpy(bytes + 4, token->bytes + GREETING_TOKEN / 2, GREETING_TOKEN / 2);
}

bool answer_fits(const unsigned char *bytes, const struct token *token)
{
    uint32_t magic;

    memcpy(&magic, bytes, sizeof(magic));
    return le32toh(magic) == ANSWER_MAGIC &&
           is_same(bytes + 4, token->bytes + GREETING_TOKEN / 2, GREETING_TOKEN / 2);
}
