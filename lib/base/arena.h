/* arena.h - memory that is given back all at once, and used again
 *
 * First touch of fresh memory costs an order of magnitude more than copying, so an
 * arena keeps its blocks when it is reset. A pointer from it is good until the next
 * reset. One thread. */
#ifndef LIB_BASE_ARENA_H
#define LIB_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena;

struct arena *arena_create(size_t block_bytes);
void arena_destroy(struct arena *arena); /* NULL is welcome */
void arena_reset(struct arena *arena);

/* 16-byte aligned, not cleared. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_calloc(struct arena *arena, size_t count, size_t size);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
void *arena_memdup(struct arena *arena, const void *bytes, size_t size);
char *arena_printf(struct arena *arena, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* What its blocks take, used or not. */
size_t arena_held_bytes(const struct arena *arena);

#endif
