#include "lib/base/byte_source.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

ssize_t byte_source_read(struct byte_source *source, void *bytes, size_t size)
{
    ssize_t got;

    if (source->fd < 0) {
        if (size > source->left)
            size = source->left;
        if (size)
            memcpy(bytes, source->memory, size);
        source->memory += size;
        source->left -= size;
        return (ssize_t)size;
    }
    do
        got = read(source->fd, bytes, size);
    while (got < 0 && errno == EINTR);
    return got;
}
