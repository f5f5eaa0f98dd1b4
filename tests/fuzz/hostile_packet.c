#include "tests/fuzz/hostile_packet.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/wire/frame.h"

/* Wrong types: each writes one value. */

static void pack_nil(msgpack_packer *packer)
{
    msgpack_pack_nil(packer);
}

static void pack_true(msgpack_packer *packer)
{
    msgpack_pack_true(packer);
}

static void pack_negative(msgpack_packer *packer)
{
    msgpack_pack_int64(packer, -1);
}

static void pack_number(msgpack_packer *packer)
{
    msgpack_pack_uint64(packer, UINT64_MAX);
}

static void pack_float(msgpack_packer *packer)
{
    msgpack_pack_float(packer, 1.5f);
}

static void pack_nul_text(msgpack_packer *packer)
{
    msgpack_pack_str_with_body(packer, "a\0b", 3);
}

static void pack_bytes(msgpack_packer *packer)
{
    msgpack_pack_bin_with_body(packer, "\x80", 1);
}

static void pack_empty_map(msgpack_packer *packer)
{
    msgpack_pack_map(packer, 0);
}

static void pack_mixed_list(msgpack_packer *packer)
{
    msgpack_pack_array(packer, 4);
    msgpack_pack_uint64(packer, 1);
    pack_nul_text(packer);
    msgpack_pack_nil(packer);
    msgpack_pack_array(packer, 0);
}

static void pack_extension(msgpack_packer *packer)
{
    msgpack_pack_ext_with_body(packer, "1234", 4, -1);
}

static void (*const wrong_types[])(msgpack_packer *packer) = {
    pack_nil,      pack_true,  pack_negative,  pack_number,     pack_float,
    pack_nul_text, pack_bytes, pack_empty_map, pack_mixed_list, pack_extension,
};

/* Frames: each appends bytes or replaces them. */

static void frame_empty(struct text *bytes)
{
    text_reset(bytes);
}

static void frame_never_used_byte(struct text *bytes)
{
    text_reset(bytes);
    text_add_bytes(bytes, "\xc1", 1);
}

static void frame_followed_by_bytes(struct text *bytes)
{
    text_add_bytes(bytes, "\xc0\xc0", 2);
}

static void frame_no_map(struct text *bytes)
{
    text_reset(bytes);
    text_add_bytes(bytes, "\x91\xa4type", 6);
}

static void frame_map_of_four_thousand_millions(struct text *bytes)
{
    text_reset(bytes);
    text_add_bytes(bytes, "\xdf\xff\xff\xff\xff\xa4type\x01", 11);
}

static void frame_text_of_four_thousand_millions(struct text *bytes)
{
    text_reset(bytes);
    text_add_bytes(bytes, "\x81\xdb\xff\xff\xff\xfftype", 10);
}

static void frame_deep(struct text *bytes)
{
    text_reset(bytes);
    text_add_bytes(bytes, "\x82\xa4type\x02\xa1x", 9);
    for (int i = 0; i < 100000; i++)
        text_add_char(bytes, (char)0x91);
    text_add_char(bytes, (char)0xc0);
}

static void frame_many_items(struct text *bytes)
{
    text_reset(bytes);
    text_add_bytes(bytes, "\x82\xa4type\x02\xa1x\xdd\x00\x03\x00\x00", 14);
    for (int i = 0; i < 3 << 16; i++)
        text_add_char(bytes, (char)0xc0);
}

static void frame_oversized(struct text *bytes)
{
    size_t size = frame_limits_default.bytes + 1;

    text_reset(bytes);
    memset(text_reserve(bytes, size), 0xc0, size);
    bytes->length = size;
}

static void frame_largest(struct text *bytes)
{
    frame_oversized(bytes);
    bytes->length--;
}

static void (*const frames[])(struct text *bytes) = {
    frame_empty,
    frame_never_used_byte,
    frame_followed_by_bytes,
    frame_no_map,
    frame_map_of_four_thousand_millions,
    frame_text_of_four_thousand_millions,
    frame_deep,
    frame_many_items,
    frame_oversized,
    frame_largest,
};

/* The cases */

enum {
    TYPE_VARIANTS = 5,
    CUT_VARIANTS = 8,
    PARTS_VARIANTS = 3,
    UNKNOWN_VARIANTS = COUNT(wrong_types) + 1, /* the last one has no text as key */
};

static size_t count_fields(const struct message *kind)
{
    size_t count = 0;

    while (kind->fields[count].type != FIELD_END)
        count++;
    return count;
}

static bool is_of_a_field(enum hostile_defect defect)
{
    return defect >= HOSTILE_MISSING && defect <= HOSTILE_LIMIT;
}

/* Returns how often this defect occurs at this field, or in this message. */
static size_t count_variants(const struct hostile_case *at)
{
    switch (at->defect) {
    case HOSTILE_NONE:
    case HOSTILE_MISSING:
    case HOSTILE_DOUBLED:
        return 1;
    case HOSTILE_WRONG_TYPE:
        return COUNT(wrong_types);
    case HOSTILE_LIMIT:
        return hostile_limit_count(at->kind->fields[at->field].type);
    case HOSTILE_UNKNOWN:
        return UNKNOWN_VARIANTS;
    case HOSTILE_TYPE:
        return TYPE_VARIANTS;
    case HOSTILE_CUT:
        return CUT_VARIANTS;
    case HOSTILE_FRAME: /* has nothing of the message, so one message is enough */
        return at->kind == messages ? COUNT(frames) : 0;
    case HOSTILE_PARTS:
        return PARTS_VARIANTS;
    case HOSTILE_FLIPPED:
    case HOSTILE_DEFECTS:
        break;
    }
    return 0;
}

bool hostile_case_next(struct hostile_case *at)
{
    if (!at->kind) {
        *at = (struct hostile_case){.kind = messages};
        return true;
    }
    at->variant++;
    while (at->kind->type != MSG_NONE) {
        for (; at->defect < HOSTILE_DEFECTS; at->defect++, at->field = 0) {
            size_t fields = is_of_a_field(at->defect) ? count_fields(at->kind) : 1;

            for (; at->field < fields; at->field++, at->variant = 0)
                if (at->variant < count_variants(at))
                    return true;
        }
        *at = (struct hostile_case){.kind = at->kind + 1};
    }
    return false;
}

void hostile_case_random(struct hostile_case *at,
                         const struct message *kind,
                         struct hostile_values *values)
{
    size_t fields = count_fields(kind), variants;

    *at = (struct hostile_case){.kind = kind};
    if (hostile_random(values, 2))
        return;
    at->defect = (enum hostile_defect)hostile_random(values, HOSTILE_DEFECTS);
    if (at->defect >= HOSTILE_CUT && hostile_random(values, 4) > 0)
        at->defect = HOSTILE_LIMIT; /* a new connection takes longer than a message */
    if (is_of_a_field(at->defect) && fields == 0)
        at->defect = HOSTILE_NONE;
    if (is_of_a_field(at->defect))
        at->field = hostile_random(values, fields);
    variants = count_variants(at);
    at->variant = hostile_random(values, variants > 0 ? variants : 1);
}

static const char *const defect_words[HOSTILE_DEFECTS] = {
    [HOSTILE_NONE] = "valid",           [HOSTILE_MISSING] = "missing",
    [HOSTILE_DOUBLED] = "doubled",      [HOSTILE_WRONG_TYPE] = "wrong-type",
    [HOSTILE_LIMIT] = "limit",          [HOSTILE_UNKNOWN] = "unknown-key",
    [HOSTILE_TYPE] = "message-type",    [HOSTILE_CUT] = "cut",
    [HOSTILE_FRAME] = "frame",          [HOSTILE_PARTS] = "parts",
    [HOSTILE_FLIPPED] = "flipped-bits",
};

void hostile_case_log(FILE *file, const struct hostile_case *of)
{
    fprintf(file, "%s %s", of->kind->name, defect_words[of->defect]);
    if (is_of_a_field(of->defect))
        fprintf(file, " %s", of->kind->fields[of->field].name);
    fprintf(file, " %zu\n", of->variant);
    fflush(file);
}

/* Writing */

static int append(void *out, const char *bytes, size_t size)
{
    text_add_bytes(out, bytes, size);
    return 0;
}

static void pack_key(msgpack_packer *packer, const char *name)
{
    msgpack_pack_str_with_body(packer, name, strlen(name));
}

static void pack_unknown(msgpack_packer *packer, size_t variant)
{
    if (variant == COUNT(wrong_types)) {
        msgpack_pack_uint64(packer, 7);
        msgpack_pack_nil(packer);
        return;
    }
    pack_key(packer, "a_key_of_a_newer_version");
    wrong_types[variant](packer);
}

static void pack_field(msgpack_packer *packer,
                       const struct hostile_case *of,
                       size_t number,
                       struct hostile_values *values,
                       bool any_values)
{
    const struct field *field = &of->kind->fields[number];
    bool here = is_of_a_field(of->defect) && of->field == number;

    if (here && of->defect == HOSTILE_MISSING)
        return;
    for (int i = 0; i < (here && of->defect == HOSTILE_DOUBLED ? 2 : 1); i++) {
        pack_key(packer, field->name);
        if (here && of->defect == HOSTILE_WRONG_TYPE)
            wrong_types[of->variant](packer);
        else if (here && of->defect == HOSTILE_LIMIT)
            hostile_pack_limit(packer, field->type, of->variant);
        else if (any_values)
            hostile_pack_random(packer, values, field);
        else
            hostile_pack_sample(packer, values, field);
    }
}

/* The variants of HOSTILE_TYPE: the type is last, unknown, the largest number, a text,
 * or missing. */
static void
pack_type(msgpack_packer *packer, const struct hostile_case *of, bool at_the_end)
{
    bool wrong = of->defect == HOSTILE_TYPE;

    if (at_the_end != (wrong && of->variant == 0) || (wrong && of->variant == 4))
        return;
    pack_key(packer, "type");
    if (wrong && of->variant == 1)
        msgpack_pack_uint64(packer, 0xfff);
    else if (wrong && of->variant == 2)
        msgpack_pack_uint64(packer, UINT64_MAX);
    else if (wrong && of->variant == 3)
        pack_key(packer, of->kind->name);
    else
        msgpack_pack_uint64(packer, of->kind->type);
}

static size_t count_pairs(const struct hostile_case *of)
{
    size_t pairs = count_fields(of->kind) + 1;

    if (of->defect == HOSTILE_DOUBLED || of->defect == HOSTILE_UNKNOWN)
        return pairs + 1;
    if (of->defect == HOSTILE_MISSING ||
        (of->defect == HOSTILE_TYPE && of->variant == 4))
        return pairs - 1;
    return pairs;
}

static void flip_bits(struct text *bytes, struct hostile_values *values)
{
    for (uint64_t i = 0; i <= hostile_random(values, 4) && bytes->length > 0; i++)
        bytes->bytes[hostile_random(values, bytes->length)] ^=
            (char)(1 << hostile_random(values, 8));
}

void hostile_packet_write(struct hostile_packet *out,
                          const struct hostile_case *of,
                          struct hostile_values *values,
                          bool any_values)
{
    msgpack_packer packer;

    text_reset(&out->bytes);
    out->parts = of->defect == HOSTILE_PARTS ? of->variant + 2 : 1;
    msgpack_packer_init(&packer, &out->bytes, append);
    msgpack_pack_map(&packer, count_pairs(of));
    pack_type(&packer, of, false);
    for (size_t i = 0; of->kind->fields[i].type != FIELD_END; i++)
        pack_field(&packer, of, i, values, any_values);
    if (of->defect == HOSTILE_UNKNOWN)
        pack_unknown(&packer, of->variant);
    pack_type(&packer, of, true);
    if (of->defect == HOSTILE_CUT)
        out->bytes.length = out->bytes.length * of->variant / CUT_VARIANTS;
    if (of->defect == HOSTILE_FRAME)
        frames[of->variant](&out->bytes);
    if (of->defect == HOSTILE_FLIPPED)
        flip_bits(&out->bytes, values);
}
