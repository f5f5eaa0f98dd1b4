/* mem.h - memory that is there or the program is not
 *
 * Out of memory ends the program: the store has all that matters. So a size that
 * comes from outside is limited before it gets here. */
#ifndef LIB_BASE_MEM_H
#define LIB_BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>

/* First of all in main() of what runs for long: what is freed stays with the process.
 * Else the top of the heap comes and goes with each message. */
void mem_disable_trim(void);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
/* Room for `count` elements: the product is checked. */
void *xreallocarray(void *old, size_t count, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
void *xmemdup(const void *bytes, size_t size);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list args);

#endif
