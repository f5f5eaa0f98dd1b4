#include "lib/wire/cursor.h"

#include <string.h>

enum shape { NIL, TRUTH, UNSIGNED, SIGNED, FLOAT, SIZED, COUNTED, EXTENDED };

/* What follows a first byte from 0xc0 on: a number of `width` bytes, which is the value
 * or says how much of it comes. */
static const struct head {
    uint8_t shape, type, width;
} heads[0x20] = {
    {NIL, VALUE_OTHER, 0},
    {NIL, VALUE_OTHER, 0},
    {TRUTH, VALUE_BOOL, 0},
    {TRUTH, VALUE_BOOL, 0},
    /* 0xc4: bin, ext */
    {SIZED, VALUE_BYTES, 1},
    {SIZED, VALUE_BYTES, 2},
    {SIZED, VALUE_BYTES, 4},
    {EXTENDED, VALUE_OTHER, 1},
    {EXTENDED, VALUE_OTHER, 2},
    {EXTENDED, VALUE_OTHER, 4},
    /* 0xca: float, uint, int */
    {FLOAT, VALUE_F64, 4},
    {FLOAT, VALUE_F64, 8},
    {UNSIGNED, VALUE_U64, 1},
    {UNSIGNED, VALUE_U64, 2},
    {UNSIGNED, VALUE_U64, 4},
    {UNSIGNED, VALUE_U64, 8},
    {SIGNED, VALUE_NEGATIVE, 1},
    {SIGNED, VALUE_NEGATIVE, 2},
    {SIGNED, VALUE_NEGATIVE, 4},
    {SIGNED, VALUE_NEGATIVE, 8},
    /* 0xd4: fixext with its byte of type */
    {NIL, VALUE_OTHER, 2},
    {NIL, VALUE_OTHER, 3},
    {NIL, VALUE_OTHER, 5},
    {NIL, VALUE_OTHER, 9},
    {NIL, VALUE_OTHER, 17},
    /* 0xd9: str, array, map */
    {SIZED, VALUE_TEXT, 1},
    {SIZED, VALUE_TEXT, 2},
    {SIZED, VALUE_TEXT, 4},
    {COUNTED, VALUE_ARRAY, 2},
    {COUNTED, VALUE_ARRAY, 4},
    {COUNTED, VALUE_MAP, 2},
    {COUNTED, VALUE_MAP, 4},
};

static uint64_t take_number(struct cursor *cursor, size_t width)
{
    uint64_t number = 0;

    for (; width > 0; width--)
        number = number << 8 | *cursor->at++;
    return number;
}

static struct value take_sized(struct cursor *cursor, enum value_type type, size_t size)
{
    struct value value = {
        .type = type, .size = size, .bytes = (const char *)cursor->at};

    cursor->at += size;
    return value;
}

static struct value signed_value(uint64_t number, size_t width)
{
    unsigned shift = (unsigned)(64 - 8 * width);
    int64_t i64 = (int64_t)(number << shift) >> shift;

    return i64 < 0 ? (struct value){.type = VALUE_NEGATIVE, .i64 = i64}
                   : (struct value){.type = VALUE_U64, .u64 = (uint64_t)i64};
}

static struct value float_value(uint64_t number, size_t width)
{
    struct value value = {.type = VALUE_F64};
    uint32_t bits = (uint32_t)number;
    float single;

    if (width == sizeof(number)) {
        memcpy(&value.f64, &number, sizeof(number));
    } else {
        memcpy(&single, &bits, sizeof(single));
        value.f64 = (double)single;
    }
    return value;
}

static struct value take_headed(struct cursor *cursor, uint8_t first)
{
    const struct head *head = &heads[first - 0xc0];
    uint64_t number;

    switch ((enum shape)head->shape) {
    case NIL:
        return take_sized(cursor, VALUE_OTHER, head->width);
    case TRUTH:
        return (struct value){.type = VALUE_BOOL, .boolean = first & 1};
    default:
        break;
    }
    number = take_number(cursor, head->width);
    switch ((enum shape)head->shape) {
    case SIGNED:
        return signed_value(number, head->width);
    case FLOAT:
        return float_value(number, head->width);
    case SIZED:
        return take_sized(cursor, (enum value_type)head->type, number);
    case EXTENDED:
        return take_sized(cursor, VALUE_OTHER, number + 1);
    case COUNTED:
        return (struct value){.type = (enum value_type)head->type, .size = number};
    default:
        return (struct value){.type = VALUE_U64, .u64 = number};
    }
}

struct value cursor_take(struct cursor *cursor)
{
    uint8_t first = *cursor->at++;

    if (first < 0x80)
        return (struct value){.type = VALUE_U64, .u64 = first};
    if (first >= 0xe0)
        return (struct value){.type = VALUE_NEGATIVE, .i64 = (int8_t)first};
    if (first < 0x90)
        return (struct value){.type = VALUE_MAP, .size = first & 0x0f};
    if (first < 0xa0)
        return (struct value){.type = VALUE_ARRAY, .size = first & 0x0f};
    if (first < 0xc0)
        return take_sized(cursor, VALUE_TEXT, first & 0x1f);
    return take_headed(cursor, first);
}

void cursor_skip(struct cursor *cursor)
{
    for (size_t left = 1; left > 0; left--) {
        struct value value = cursor_take(cursor);

        if (value.type == VALUE_ARRAY)
            left += value.size;
        else if (value.type == VALUE_MAP)
            left += 2 * value.size;
    }
}
