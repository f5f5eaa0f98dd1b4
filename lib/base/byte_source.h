/* byte_source.h - reads bytes from a descriptor or from memory */
#ifndef LIB_BASE_BYTE_SOURCE_H
#define LIB_BASE_BYTE_SOURCE_H

#include <stddef.h>
#include <sys/types.h>

struct byte_source {
    int fd; /* -1: read from memory */
    const char *memory;
    size_t left;
};

/* Reads up to `size` bytes and repeats interrupted calls. Returns 0 at the end, -1 with
 * errno. */
ssize_t byte_source_read(struct byte_source *source, void *bytes, size_t size);

#endif
