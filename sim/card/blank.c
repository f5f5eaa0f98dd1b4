#include "sim/card/blank.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE (2u << 20) /* of the pages that all large blocks share */
#define LARGE (4 * (size_t)PIECE)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int pattern_fd = -1; /* -1: there is none, and large blocks are written */

static void make_pattern(void)
{
    int fd = memfd_create("npu-sim-pattern", MFD_CLOEXEC);
    void *pages;

    if (fd < 0)
        return;
    if (ftruncate(fd, PIECE) == 0) {
        pages = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (pages != MAP_FAILED) {
            memset(pages, BLANK_PATTERN, PIECE);
            munmap(pages, PIECE);
            pattern_fd = fd;
            return;
        }
    }
    close(fd);
}

static void *map_pattern(size_t bytes)
{
    char *base = mmap(NULL, bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (base == MAP_FAILED)
        return NULL;
    for (size_t at = 0; at < bytes; at += PIECE) {
        size_t size = bytes - at < PIECE ? bytes - at : PIECE;

        if (mmap(base + at, size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, pattern_fd,
                 0) == MAP_FAILED) {
            munmap(base, bytes);
            return NULL;
        }
    }
    return base;
}

void *blank_alloc(size_t bytes)
{
    void *address;

    pthread_once(&once, make_pattern);
    if (bytes >= LARGE && pattern_fd >= 0)
        return map_pattern(bytes);
    if (posix_memalign(&address, bytes > BLANK_PAGE ? BLANK_PAGE : BLANK_ALIGNMENT,
                       bytes))
        return NULL;
    return memset(address, BLANK_PATTERN, bytes);
}

void blank_free(void *address, size_t bytes)
{
    if (bytes >= LARGE && pattern_fd >= 0)
        munmap(address, bytes);
    else
        free(address);
}
