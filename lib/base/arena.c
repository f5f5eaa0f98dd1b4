#include "lib/base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

enum { ALIGNMENT = 16 };

struct block {
    struct block *next;
    size_t size;
    alignas(ALIGNMENT) unsigned char bytes[];
};

struct arena {
    struct block *first;
    struct block *current;
    size_t used; /* of the current block */
    size_t block_bytes;
    size_t held_bytes;
};

struct arena *arena_create(size_t block_bytes)
{
    struct arena *arena = xcalloc(1, sizeof(*arena));

    arena->block_bytes = block_bytes < 256 ? 256 : block_bytes;
    return arena;
}

void arena_destroy(struct arena *arena)
{
    if (!arena)
        return;
    for (struct block *block = arena->first, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(arena);
}

void arena_reset(struct arena *arena)
{
    arena->current = arena->first;
    arena->used = 0;
}

/* The next kept block that is large enough, or a new one behind the current. */
static void turn_over(struct arena *arena, size_t size)
{
    struct block **link = arena->current ? &arena->current->next : &arena->first;

    while (*link && (*link)->size < size)
        link = &(*link)->next;
    if (!*link) {
        size_t room = size > arena->block_bytes ? size : arena->block_bytes;
        struct block *block = xmalloc(sizeof(*block) + room);

        block->next = NULL;
        block->size = room;
        *link = block;
        arena->held_bytes += room;
    }
    arena->current = *link;
    arena->used = 0;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2) /* room for the block around it */
        abort();
    size_t rounded = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);

    if (!arena->current || arena->current->size - arena->used < rounded)
        turn_over(arena, rounded);
    void *pointer = arena->current->bytes + arena->used;
    arena->used += rounded;
    return pointer;
}

void *arena_calloc(struct arena *arena, size_t count, size_t size)
{
    size_t total;

    if (__builtin_mul_overflow(count, size, &total))
        abort();
    return memset(arena_alloc(arena, total), 0, total);
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
    size_t size = strnlen(text, length);
    char *copy = arena_alloc(arena, size + 1);

    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    return arena_memdup(arena, text, strlen(text) + 1);
}

void *arena_memdup(struct arena *arena, const void *bytes, size_t size)
{
    void *copy = arena_alloc(arena, size);

    if (size)
        memcpy(copy, bytes, size);
    return copy;
}

char *arena_printf(struct arena *arena, const char *fmt, ...)
{
    va_list args, again;

    va_start(args, fmt);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = arena_alloc(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, fmt, again);
    va_end(again);
    return text;
}

size_t arena_held_bytes(const struct arena *arena)
{
    return arena->held_bytes;
}
