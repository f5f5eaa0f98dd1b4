/* cursor.h - goes through the msgpack values of a packet, one after another
 *
 * Only over bytes that passed frame_check(): it trusts their lengths. Nothing is
 * allocated or copied; a value borrows from the packet. */
#ifndef LIB_WIRE_CURSOR_H
#define LIB_WIRE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
    const uint8_t *at;
};

enum value_type {
    VALUE_OTHER, /* nil, ext */
    VALUE_BOOL,
    VALUE_U64, /* any that is not negative */
    VALUE_NEGATIVE,
    VALUE_F64,
    VALUE_TEXT,
    VALUE_BYTES,
    VALUE_ARRAY, /* its items come next */
    VALUE_MAP,   /* its keys and values come next */
};

struct value {
    enum value_type type;
    union {
        bool boolean;
        uint64_t u64;
        int64_t i64;
        double f64;
        size_t size; /* of a text or bytes; items of an array; pairs of a map */
    };
    const char *bytes; /* of a text or bytes */
};

struct value cursor_take(struct cursor *cursor);
/* With all that is within it. */
void cursor_skip(struct cursor *cursor);

#endif
