#include "lib/wire/pack.h"

#include <string.h>

/* A first byte, and a number of `width` bytes, the highest first. */
static void put(struct text *out, uint8_t first, uint64_t number, size_t width)
{
    char *at = text_reserve(out, 1 + width);

    *at++ = (char)first;
    for (size_t left = width; left > 0; left--)
        *at++ = (char)(number >> (8 * (left - 1)));
    *at = '\0';
    out->length += 1 + width;
}

void pack_u64(struct text *out, uint64_t value)
{
    if (value < 0x80)
        put(out, (uint8_t)value, 0, 0);
    else if (value <= UINT8_MAX)
        put(out, 0xcc, value, 1);
    else if (value <= UINT16_MAX)
        put(out, 0xcd, value, 2);
    else if (value <= UINT32_MAX)
        put(out, 0xce, value, 4);
    else
        put(out, 0xcf, value, 8);
}

void pack_i64(struct text *out, int64_t value)
{
    if (value >= 0)
        pack_u64(out, (uint64_t)value);
    else if (value >= -32)
        put(out, (uint8_t)value, 0, 0);
    else if (value >= INT8_MIN)
        put(out, 0xd0, (uint64_t)value, 1);
    else if (value >= INT16_MIN)
        put(out, 0xd1, (uint64_t)value, 2);
    else if (value >= INT32_MIN)
        put(out, 0xd2, (uint64_t)value, 4);
    else
        put(out, 0xd3, (uint64_t)value, 8);
}

void pack_bool(struct text *out, bool value)
{
    put(out, value ? 0xc3 : 0xc2, 0, 0);
}

void pack_f64(struct text *out, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    put(out, 0xcb, bits, sizeof(bits));
}

/* How many come: in the first byte itself, or in 1 (where there is such), 2 or 4. */
struct sizes {
    uint8_t fixed, fixed_up_to, of_1, of_2, of_4;
};

static void put_size(struct text *out, const struct sizes *sizes, size_t size)
{
    if (size <= sizes->fixed_up_to)
        put(out, (uint8_t)(sizes->fixed | size), 0, 0);
    else if (size <= UINT8_MAX && sizes->of_1)
        put(out, sizes->of_1, size, 1);
    else if (size <= UINT16_MAX)
        put(out, sizes->of_2, size, 2);
    else
        put(out, sizes->of_4, size, 4);
}

void pack_text(struct text *out, const char *text)
{
    static const struct sizes sizes = {0xa0, 31, 0xd9, 0xda, 0xdb};
    size_t length = text ? strlen(text) : 0;

    put_size(out, &sizes, length);
    text_add_bytes(out, text, length);
}

void pack_bytes(struct text *out, const void *bytes, size_t size)
{
    if (size <= UINT8_MAX) /* none is in the first byte itself */
        put(out, 0xc4, size, 1);
    else
        put(out, size <= UINT16_MAX ? 0xc5 : 0xc6, size, size <= UINT16_MAX ? 2 : 4);
    text_add_bytes(out, bytes, size);
}

void pack_array(struct text *out, size_t items)
{
    static const struct sizes sizes = {0x90, 15, 0, 0xdc, 0xdd};

    put_size(out, &sizes, items);
}

void pack_map(struct text *out, size_t pairs)
{
    static const struct sizes sizes = {0x80, 15, 0, 0xde, 0xdf};

    put_size(out, &sizes, pairs);
}
