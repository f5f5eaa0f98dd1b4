/* frame.h - may these bytes be decoded? Asked before anything is allocated for them
 *
 * Walks over the msgpack bytes of one packet once, in constant memory. What passes is
 * one complete value with nothing behind it, no deeper and with no more items than
 * the limits, and no count in it promises more than the bytes that are there. */
#ifndef LIB_WIRE_FRAME_H
#define LIB_WIRE_FRAME_H

#include <stddef.h>

#include "lib/base/err.h"

struct frame_limits {
    size_t bytes;
    size_t depth; /* of maps and arrays in each other; at most FRAME_MAX_DEPTH */
    size_t items; /* of all maps and arrays together; a key is an item too */
};

enum { FRAME_MAX_DEPTH = 16 };

/* What muster's own messages keep to: a job file or a group with room around it. */
extern const struct frame_limits frame_limits_default;

/* ERR_LIMIT when it is too much, ERR_INPUT when it is not msgpack. */
int frame_check(const void *bytes,
                size_t size,
                const struct frame_limits *limits,
                struct err *err);

#endif
