/* mem.h - allocation that ends the program when memory runs out
 *
 * Ending is safe, because the store has everything that matters. A size from outside
 * must be checked against a limit before it is passed to these functions. */
#ifndef LIB_BASE_MEM_H
#define LIB_BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>

/* Keeps freed memory in the process, which otherwise costs page faults in each message
 * or item of work. Call it first in main() of a daemon or of a child process. */
void mem_disable_trim(void);
/* Asks the kernel for large pages for the next `bytes` of the heap, because each page
 * costs a page fault. Unused bytes cost no memory. Call it after mem_disable_trim(). */
void mem_use_large_pages(size_t bytes);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
/* Resizes to `count` elements; checks the product for overflow. */
void *xreallocarray(void *old, size_t count, size_t size);
/* Resizes a block of which the first `used` bytes have content. A block of several MiB
 * gets large pages; free() releases it. */
void *xregrow(void *old, size_t used, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
void *xmemdup(const void *bytes, size_t size);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list args);

#endif
