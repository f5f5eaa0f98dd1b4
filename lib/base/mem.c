#include "lib/base/mem.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LARGE_PAGE = 2 << 20,
    COPIED_MAX = 64 << 20, /* larger blocks grow in place, without a second copy */
};

static void *check(void *pointer)
{
    if (!pointer) {
        fputs("muster: out of memory\n", stderr);
        abort();
    }
    return pointer;
}

/* Each setting ends the automatic adjustment of all others. Blocks above the limit for
 * mappings get fresh pages in each allocation; the limit is above the largest group. */
void mem_disable_trim(void)
{
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    mallopt(M_TOP_PAD, 1 << 20);
}

/* Advises large pages for the whole ones in [start, start + size). Without them all
 * works as before, so a failure is ignored. */
static void advise_large(void *start, size_t size)
{
    uintptr_t from = ((uintptr_t)start + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    uintptr_t to = ((uintptr_t)start + size) / LARGE_PAGE * LARGE_PAGE;

    if (to > from)
        (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

void mem_use_large_pages(size_t bytes)
{
    char *before = sbrk(0), *after;

    mallopt(M_TRIM_THRESHOLD, (int)(bytes + ((size_t)64 << 20)));
    mallopt(M_TOP_PAD, (int)bytes);
    /* below the limit for mappings, and more than the end of the heap has free */
    free(xmalloc(3 << 20));
    mallopt(M_TOP_PAD, 1 << 20);
    after = sbrk(0);
    if (after > before)
        advise_large(before, (size_t)(after - before));
}

void *xmalloc(size_t size)
{
    return check(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
    return check(calloc(count ? count : 1, size ? size : 1));
}

void *xrealloc(void *old, size_t size)
{
    return check(realloc(old, size ? size : 1));
}

void *xreallocarray(void *old, size_t count, size_t size)
{
    return check(reallocarray(old, count ? count : 1, size ? size : 1));
}

void *xregrow(void *old, size_t used, size_t size)
{
    void *new;

    if (size < LARGE_PAGE)
        return xrealloc(old, size);
    if (size > COPIED_MAX) {
        new = xrealloc(old, size);
        advise_large(new, size);
        return new;
    }
    new = check(
        aligned_alloc(LARGE_PAGE, (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE));
    advise_large(new, size);
    if (used)
        memcpy(new, old, used);
    free(old);
    return new;
}

char *xstrdup(const char *text)
{
    return check(strdup(text));
}

char *xstrndup(const char *text, size_t length)
{
    return check(strndup(text, length));
}

void *xmemdup(const void *bytes, size_t size)
{
    void *copy = xmalloc(size);

    if (size)
        memcpy(copy, bytes, size);
    return copy;
}

char *xvasprintf(const char *fmt, va_list args)
{
    char *text = NULL;

    if (vasprintf(&text, fmt, args) < 0)
        text = NULL;
    return check(text);
}

char *xasprintf(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    char *text = xvasprintf(fmt, args);
    va_end(args);
    return text;
}
