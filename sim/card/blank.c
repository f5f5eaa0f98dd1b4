#include "sim/card/blank.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE (2u << 20) /* size of the memory file that all large blocks share */
#define LARGE (4 * (size_t)PIECE)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int pattern_fd = -1; /* -1: no memory file; large blocks are filled by writing */

/* Writes the file instead of mapping it, because each page fault takes longer than the
 * copy of a page. */
static void make_pattern(void)
{
    static char bytes[PIECE / 32];
    int fd = memfd_create("npu-sim-pattern", MFD_CLOEXEC);
    size_t done = 0;
    ssize_t count = 1;

    if (fd < 0)
        return;
    memset(bytes, BLANK_PATTERN, sizeof(bytes));
    while (count > 0 && done < PIECE) {
        count = write(fd, bytes, sizeof(bytes));
        done += count > 0 ? (size_t)count : 0;
    }
    if (done == PIECE)
        pattern_fd = fd;
    else
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

/* Lets the kernel provide all pages in one call, where it can. */
static void populate(void *address, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    uintptr_t from = ((uintptr_t)address + BLANK_PAGE - 1) / BLANK_PAGE * BLANK_PAGE;
    uintptr_t to = ((uintptr_t)address + bytes) / BLANK_PAGE * BLANK_PAGE;

    if (to > from)
        (void)madvise((void *)from, to - from, MADV_POPULATE_WRITE);
#else
    (void)address, (void)bytes;
#endif
}

void *blank_alloc(size_t bytes)
{
    void *address;

    pthread_once(&once, make_pattern);
    if (blank_is_shared(bytes))
        return map_pattern(bytes);
    if (posix_memalign(&address, bytes > BLANK_PAGE ? BLANK_PAGE : BLANK_ALIGNMENT,
                       bytes))
        return NULL;
    populate(address, bytes);
    return memset(address, BLANK_PATTERN, bytes);
}

bool blank_is_shared(size_t bytes)
{
    return bytes >= LARGE && pattern_fd >= 0;
}

void blank_free(void *address, size_t bytes)
{
    if (blank_is_shared(bytes))
        munmap(address, bytes);
    else
        free(address);
}

/* Bits of a page's word in /proc/self/pagemap: in memory, swapped out, backed by a
 * file. A page that was written is private and no longer backed by the file. */
enum { PAGES = PIECE / BLANK_PAGE + 1 };
static const uint64_t present = 1ull << 63, swapped = 1ull << 62, of_file = 1ull << 61;

static bool is_untouched(int pagemap, uintptr_t address, size_t bytes)
{
    uint64_t words[PAGES];
    uintptr_t first = address / BLANK_PAGE;
    size_t count = (address + bytes - 1) / BLANK_PAGE - first + 1;
    size_t size = count * sizeof(words[0]);

    if (count > PAGES ||
        pread(pagemap, words, size, (off_t)(first * sizeof(words[0]))) != (ssize_t)size)
        return false;
    for (size_t i = 0; i < count; i++)
        if (words[i] & swapped || (words[i] & present && !(words[i] & of_file)))
            return false;
    return true;
}

void blank_move(void *to, const void *from, size_t bytes)
{
    uintptr_t target = (uintptr_t)to, source = (uintptr_t)from;
    bool apart = target + bytes <= source || source + bytes <= target;
    int pagemap = bytes >= LARGE && apart && sysconf(_SC_PAGESIZE) == BLANK_PAGE
                      ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)
                      : -1;

    if (pagemap < 0) {
        memmove(to, from, bytes);
        return;
    }
    for (size_t at = 0; at < bytes; at += PIECE) {
        size_t size = bytes - at < PIECE ? bytes - at : PIECE;

        if (!is_untouched(pagemap, target + at, size) ||
            !is_untouched(pagemap, source + at, size))
            memcpy((char *)to + at, (const char *)from + at, size);
    }
    close(pagemap);
}
