/* frame.h - checks the limits of a packet before it is unpacked
 *
 * The check reads the msgpack bytes once and allocates nothing. An accepted packet is
 * one complete value with nothing behind it. Its depth and its number of items are
 * within the limits, and no count in it exceeds the bytes that follow. */
#ifndef LIB_WIRE_FRAME_H
#define LIB_WIRE_FRAME_H

#include <stddef.h>

#include "lib/base/err.h"

struct frame_limits {
    size_t bytes;
    size_t depth; /* of nested maps and arrays; at most FRAME_MAX_DEPTH */
    size_t items; /* of all maps and arrays together; a key counts as an item, too */
};

enum { FRAME_MAX_DEPTH = 16 };

/* The limits of muster's own messages: a job file or a group, and its other fields. */
extern const struct frame_limits frame_limits_default;

/* Returns ERR_LIMIT when a limit is exceeded, ERR_INPUT when it is not msgpack. */
int frame_check(const void *bytes,
                size_t size,
                const struct frame_limits *limits,
                struct err *err);

#endif
