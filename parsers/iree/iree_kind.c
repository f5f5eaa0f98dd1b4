#include "parsers/iree/iree_kind.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"

static const struct {
    char magic[IREE_KIND_BYTES + 1];
    enum iree_kind kind;
} magics[] = {
    {"0IDB", IREE_DUMP},   {"IRPF", IREE_PROFILE},    {"IIDB", IREE_CAPTURE},
    {"IRRP", IREE_REPLAY}, {"IRPA", IREE_PARAMETERS},
};

enum iree_kind iree_kind_of(const uint8_t *bytes, uint64_t size)
{
    for (size_t i = 0; i < COUNT(magics); i++)
        if (size >= IREE_KIND_BYTES &&
            memcmp(bytes, magics[i].magic, IREE_KIND_BYTES) == 0)
            return magics[i].kind;
    return IREE_NONE;
}

enum iree_kind iree_kind_of_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    uint8_t head[IREE_KIND_BYTES];
    ssize_t got = fd < 0 ? -1 : read(fd, head, sizeof(head));

    if (fd >= 0)
        close(fd);
    return got < 0 ? IREE_NONE : iree_kind_of(head, (uint64_t)got);
}
