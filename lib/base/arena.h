/* arena.h - memory that is freed all at once and used again
 *
 * The first access to a fresh page costs ten times as much as a copy, so an arena keeps
 * its blocks at a reset. A pointer is valid until the next reset. For one thread. */
#ifndef LIB_BASE_ARENA_H
#define LIB_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena;

struct arena *arena_create(size_t block_bytes);
void arena_destroy(struct arena *arena); /* NULL is allowed */
void arena_reset(struct arena *arena);

/* Returns 16-byte aligned memory that is not cleared. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_calloc(struct arena *arena, size_t count, size_t size);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
void *arena_memdup(struct arena *arena, const void *bytes, size_t size);
char *arena_printf(struct arena *arena, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the size of all blocks, used or not. */
size_t arena_held_bytes(const struct arena *arena);

#endif
