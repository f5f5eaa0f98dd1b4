#include "tests/fuzz/hostile_values.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

enum {
    TYPES_MAX = 256,
    LEARNED_MAX = 256,
    SMALL = 8,
    LONG_TEXT = 1 << 20,
    LONG_LIST = 20000
};

struct learned { /* a value that the other side sent */
    const char *name;
    enum field_type type;
    uint64_t number;
    char *text;
};

struct hostile_values {
    uint64_t state; /* of the random numbers */
    struct learned learned[LEARNED_MAX];
    size_t learned_count;
    uint64_t messages[TYPES_MAX]; /* by the number of their type */
};

struct hostile_values *hostile_values_create(uint64_t seed)
{
    struct hostile_values *values = xcalloc(1, sizeof(*values));

    values->state = seed;
    return values;
}

void hostile_values_destroy(struct hostile_values *values)
{
    if (!values)
        return;
    for (size_t i = 0; i < LEARNED_MAX; i++)
        free(values->learned[i].text);
    free(values);
}

/* splitmix64 */
uint64_t hostile_random(struct hostile_values *values, uint64_t below)
{
    uint64_t z = values->state += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % below;
}

static void
learn(struct hostile_values *values, const struct field *field, const void *at)
{
    size_t slot = values->learned_count++ % LEARNED_MAX;
    struct learned *learned = &values->learned[slot];
    const char *text;

    free(learned->text);
    *learned = (struct learned){.name = field->name, .type = field->type};
    if (field->type == FIELD_U64) {
        learned->number = *(const uint64_t *)at;
        return;
    }
    text = *(const char *const *)at;
    learned->text = xstrndup(text ? text : "", 1024);
}

void hostile_values_learn(struct hostile_values *values,
                          const struct message *kind,
                          const union any_message *message)
{
    values->messages[kind->type % TYPES_MAX]++;
    for (const struct field *field = kind->fields; field->type != FIELD_END; field++)
        if (field->type == FIELD_U64 || field->type == FIELD_TEXT)
            learn(values, field, (const char *)message + field->offset);
}

void hostile_values_print(const struct hostile_values *values)
{
    for (const struct message *kind = messages; kind->type != MSG_NONE; kind++)
        if (values->messages[kind->type % TYPES_MAX] > 0)
            printf(" %s %" PRIu64, kind->name,
                   values->messages[kind->type % TYPES_MAX]);
    putchar('\n');
}

/* Returns NULL when the other side sent no value in a field of this name. */
static const struct learned *find_learned(struct hostile_values *values,
                                          const struct field *field)
{
    size_t count =
        values->learned_count < LEARNED_MAX ? values->learned_count : LEARNED_MAX;
    size_t start = count > 0 ? hostile_random(values, count) : 0;

    for (size_t i = 0; i < count; i++) {
        const struct learned *learned = &values->learned[(start + i) % count];

        if (learned->type == field->type && !strcmp(learned->name, field->name))
            return learned;
    }
    return NULL;
}

/* Limits */

static const uint64_t u64_limits[] = {
    0,          1,          127,        128,        255,        256,
    UINT16_MAX, 1ull << 16, INT32_MAX,  1ull << 31, UINT32_MAX, 1ull << 32,
    1ull << 53, INT64_MAX,  1ull << 63, UINT64_MAX, 1000000007, 86400000000,
};
static const int64_t i64_limits[] = {
    INT64_MIN, INT32_MIN, INT32_MIN - 1ll, -129, -1, 0, INT32_MAX, INT64_MAX,
};
static const double f64_limits[] = {
    0, -0.0, DBL_MAX, -DBL_MAX, DBL_MIN / 2, NAN, INFINITY, -INFINITY,
};
static const char *const text_limits[] = {
    "",
    "x",
    "/",
    "..",
    "../../../../tmp/hostile",
    "%s%n%s%n",
    "line one\nline two: [",
    "\x1b[2J\x07\x7f",
    "\xff\xfe\xc0\x80",
    "'; drop table jobs; --",
    "<script>alert(1)</script>",
    "18446744073709551616",
    "-1",
    "*",
    "\"quoted\", text",
};
static const size_t text_sizes[] = {239, 240, 255, 4096, 65536, LONG_TEXT};
static const size_t byte_sizes[] = {0, 1, 255, 65536, LONG_TEXT, 3 << 20};
static const size_t list_sizes[] = {0, 1, 63, 64, 65, 4096, LONG_LIST};

size_t hostile_limit_count(enum field_type type)
{
    switch (type) {
    case FIELD_U64:
        return COUNT(u64_limits);
    case FIELD_I64:
        return COUNT(i64_limits);
    case FIELD_BOOL:
        return 2;
    case FIELD_F64:
        return COUNT(f64_limits);
    case FIELD_TEXT:
        return COUNT(text_limits) + COUNT(text_sizes);
    case FIELD_BYTES:
        return COUNT(byte_sizes);
    case FIELD_TEXT_LIST:
        return COUNT(text_limits) + COUNT(list_sizes);
    case FIELD_U64_LIST:
        return COUNT(u64_limits) + COUNT(list_sizes);
    case FIELD_END:
        break;
    }
    return 0;
}

static void pack_text(msgpack_packer *packer, const char *text)
{
    msgpack_pack_str_with_body(packer, text, strlen(text));
}

static void pack_long_text(msgpack_packer *packer, size_t size)
{
    char *text = xmalloc(size);

    memset(text, 'a', size);
    msgpack_pack_str_with_body(packer, text, size);
    free(text);
}

static void pack_long_bytes(msgpack_packer *packer, size_t size)
{
    char *bytes = xcalloc(1, size + 1);

    msgpack_pack_bin_with_body(packer, bytes, size);
    free(bytes);
}

static void
pack_text_list(msgpack_packer *packer, size_t count, const char *each, size_t which)
{
    msgpack_pack_array(packer, count);
    for (size_t i = 0; i < count; i++)
        pack_text(packer, which < COUNT(text_limits) ? text_limits[which] : each);
}

void hostile_pack_limit(msgpack_packer *packer, enum field_type type, size_t which)
{
    size_t size;

    switch (type) {
    case FIELD_U64:
        msgpack_pack_uint64(packer, u64_limits[which]);
        break;
    case FIELD_I64:
        msgpack_pack_int64(packer, i64_limits[which]);
        break;
    case FIELD_BOOL:
        which ? msgpack_pack_true(packer) : msgpack_pack_false(packer);
        break;
    case FIELD_F64:
        msgpack_pack_double(packer, f64_limits[which]);
        break;
    case FIELD_TEXT:
        if (which < COUNT(text_limits))
            pack_text(packer, text_limits[which]);
        else
            pack_long_text(packer, text_sizes[which - COUNT(text_limits)]);
        break;
    case FIELD_BYTES:
        pack_long_bytes(packer, byte_sizes[which]);
        break;
    case FIELD_TEXT_LIST:
        size = which < COUNT(text_limits) ? 3 : list_sizes[which - COUNT(text_limits)];
        pack_text_list(packer, size, "a=b", which);
        break;
    case FIELD_U64_LIST:
        size = which < COUNT(u64_limits) ? 3 : list_sizes[which - COUNT(u64_limits)];
        msgpack_pack_array(packer, size);
        for (size_t i = 0; i < size; i++)
            msgpack_pack_uint64(packer,
                                which < COUNT(u64_limits) ? u64_limits[which] : i);
        break;
    case FIELD_END:
        break;
    }
}

/* Samples. Without a row a text is "hostile" and a number is small. */

#define SMALL_JOB                                                                      \
    "version: 1\nname: hostile\noperator: {command: [\"true\"]}\n"                     \
    "profile: {metrics: [BasicInfo]}\n"

static const struct sample {
    const char *name, *text;
} samples[] = {
    {"yaml", SMALL_JOB},
    {"yaml", "version: 1\nname: hostile\noperator: {command: [sim/bin/add_custom]}\n"
             "sweep: {matrix: {n: [1, 2]}, repeat: 2}\nafter: [hostile]\n"},
    {"yaml", "version: 1\nname: [&a [*a, *a]]\n"},
    {"folder", "/tmp"},
    {"cwd", ""},
    {"once", ""},
    {"user", "hostile"},
    {"model", "Ascend910B2"},
    {"status", "done"},
    {"status", "failed"},
    {"status", "not-injected"},
    {"what", "add"},
    {"what", "pause"},
    {"what", "resume"},
    {"what", "remove"},
    {"replay", "kernel"},
    {"replay", "application"},
    {"replay", "range"},
    {"code", "not-found"},
    {"code", "denied"},
    {"kernel", ""},
    {"launch_range", ""},
    {"gang", ""},
    {"command", "true"},
    {"command", "sim/bin/add_custom"},
    {"metrics", "Default"},
    {"metrics", "BasicInfo"},
    {"env", "HOSTILE=1"},
    {"classes", "failed"},
    {"reason", "hostile"},
};

static const char *sample_text(struct hostile_values *values, const char *name)
{
    size_t start = hostile_random(values, COUNT(samples));

    for (size_t i = 0; i < COUNT(samples); i++) {
        const struct sample *sample = &samples[(start + i) % COUNT(samples)];

        if (!strcmp(sample->name, name))
            return sample->text;
    }
    return "hostile";
}

static uint64_t sample_number(struct hostile_values *values, const char *name)
{
    return strcmp(name, "protocol") == 0 ? MSG_PROTOCOL : hostile_random(values, SMALL);
}

void hostile_pack_sample(msgpack_packer *packer,
                         struct hostile_values *values,
                         const struct field *field)
{
    const char *text = sample_text(values, field->name);

    switch (field->type) {
    case FIELD_U64:
        msgpack_pack_uint64(packer, sample_number(values, field->name));
        break;
    case FIELD_I64:
        msgpack_pack_int64(packer, (int64_t)hostile_random(values, SMALL) - 1);
        break;
    case FIELD_BOOL:
        hostile_random(values, 2) ? msgpack_pack_true(packer)
                                  : msgpack_pack_false(packer);
        break;
    case FIELD_F64:
        msgpack_pack_double(packer, 0.5);
        break;
    case FIELD_TEXT:
        pack_text(packer, text);
        break;
    case FIELD_BYTES:
        msgpack_pack_bin_with_body(packer, text, strlen(text));
        break;
    case FIELD_TEXT_LIST:
        pack_text_list(packer, hostile_random(values, 3), text, SIZE_MAX);
        break;
    case FIELD_U64_LIST:
        msgpack_pack_array(packer, 2);
        msgpack_pack_uint64(packer, hostile_random(values, SMALL));
        msgpack_pack_uint64(packer, hostile_random(values, SMALL));
        break;
    case FIELD_END:
        break;
    }
}

void hostile_pack_random(msgpack_packer *packer,
                         struct hostile_values *values,
                         const struct field *field)
{
    const struct learned *learned = find_learned(values, field);
    uint64_t choice = hostile_random(values, 8);

    if (choice < 5 && learned && learned->text)
        pack_text(packer, learned->text);
    else if (choice < 5 && learned)
        msgpack_pack_uint64(packer, learned->number);
    else if (choice < 7)
        hostile_pack_sample(packer, values, field);
    else
        hostile_pack_limit(packer, field->type,
                           hostile_random(values, hostile_limit_count(field->type)));
}
