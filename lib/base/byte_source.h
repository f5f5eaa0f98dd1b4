/* byte_source.h - bytes to read, from a descriptor or from memory */
#ifndef LIB_BASE_BYTE_SOURCE_H
#define LIB_BASE_BYTE_SOURCE_H

#include <stddef.h>
#include <sys/types.h>

struct byte_source {
    int fd; /* or -1, and then memory */
    const char *memory;
    size_t left;
};

/* Up to `size` bytes, over interruptions; 0 at the end, -1 with errno. */
ssize_t byte_source_read(struct byte_source *source, void *bytes, size_t size);

#endif
