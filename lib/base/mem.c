#include "lib/base/mem.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
