/* message_parts.h - types of message fields: lists and bytes; they own no memory */
#ifndef LIB_WIRE_MESSAGE_PARTS_H
#define LIB_WIRE_MESSAGE_PARTS_H

#include <stddef.h>
#include <stdint.h>

struct text_list {
    const char *const *items;
    size_t count;
};

struct u64_list {
    const uint64_t *items;
    size_t count;
};

struct bytes {
    const void *data;
    size_t size;
};

#endif
