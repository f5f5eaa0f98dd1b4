#include "lib/base/names.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/mem.h"

struct names {
    struct arena *arena;
    const char **texts;
    uint32_t count, room;
    uint32_t *slots; /* number + 1, or 0; a power of two of them */
    size_t slot_count;
};

/* Mixes eight bytes at a time; names of kernels have about 50. */
static uint64_t hash_text(const char *text, size_t length)
{
    const uint64_t odd = 0x9e3779b97f4a7c15u;
    uint64_t hash = length * odd, word;

    for (; length >= sizeof(word); length -= sizeof(word), text += sizeof(word)) {
        memcpy(&word, text, sizeof(word));
        hash = (hash ^ word) * odd;
        hash ^= hash >> 32;
    }
    word = 0;
    memcpy(&word, text, length);
    hash = (hash ^ word) * odd;
    return hash ^ hash >> 32;
}

/* Returns the slot of the text, or the empty slot where it belongs. */
static size_t slot_of(const struct names *names, const char *text, size_t length)
{
    size_t mask = names->slot_count - 1, slot = hash_text(text, length) & mask;

    for (; names->slots[slot]; slot = (slot + 1) & mask) {
        const char *other = names->texts[names->slots[slot] - 1];

        if (strncmp(other, text, length) == 0 && other[length] == '\0')
            break;
    }
    return slot;
}

static void resize_slots(struct names *names, size_t count)
{
    free(names->slots);
    names->slots = xcalloc(count, sizeof(*names->slots));
    names->slot_count = count;
    for (uint32_t i = 0; i < names->count; i++)
        names->slots[slot_of(names, names->texts[i], strlen(names->texts[i]))] = i + 1;
}

struct names *names_create(void)
{
    struct names *names = xcalloc(1, sizeof(*names));

    names->arena = arena_create(64 * 1024);
    resize_slots(names, 256);
    names_add(names, "");
    return names;
}

void names_destroy(struct names *names)
{
    if (!names)
        return;
    arena_destroy(names->arena);
    free(names->texts);
    free(names->slots);
    free(names);
}

uint32_t names_add(struct names *names, const char *text)
{
    return names_add_part(names, text, strlen(text));
}

uint32_t names_add_part(struct names *names, const char *text, size_t length)
{
    if (!length && names->count)
        return 0; /* the first text of all */
    size_t slot = slot_of(names, text, length);

    if (names->slots[slot])
        return names->slots[slot] - 1;
    if (names->count == names->room) {
        names->room = names->room ? 2 * names->room : 64;
        names->texts = xreallocarray(names->texts, names->room, sizeof(*names->texts));
    }
    names->texts[names->count] = arena_strndup(names->arena, text, length);
    names->slots[slot] = ++names->count;
    if ((size_t)names->count * 2 > names->slot_count)
        resize_slots(names, 2 * names->slot_count);
    return names->count - 1;
}

uint32_t names_find(const struct names *names, const char *text)
{
    uint32_t found = names->slots[slot_of(names, text, strlen(text))];

    return found ? found - 1 : UINT32_MAX;
}

const char *names_text(const struct names *names, uint32_t number)
{
    return names->texts[number];
}

uint32_t names_count(const struct names *names)
{
    return names->count;
}

size_t names_bytes(const struct names *names)
{
    return arena_held_bytes(names->arena) + names->room * sizeof(*names->texts) +
           names->slot_count * sizeof(*names->slots);
}
