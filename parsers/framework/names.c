#include "parsers/framework/names.h"

#include <stdlib.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"

enum { BLOCK_BYTES = 64 << 10 };

struct names {
    struct arena *arena;
    struct map *numbers; /* text -> address of its entry in texts, as a number */
    const char **texts;
    size_t count, room;
};

struct names *names_create(void)
{
    struct names *names = xcalloc(1, sizeof(*names));

    names->arena = arena_create(BLOCK_BYTES);
    names->numbers = map_create();
    names_add(names, "");
    return names;
}

void names_destroy(struct names *names)
{
    if (!names)
        return;
    map_destroy(names->numbers);
    arena_destroy(names->arena);
    free(names->texts);
    free(names);
}

uint32_t names_add(struct names *names, const char *text)
{
    uintptr_t place = (uintptr_t)map_get(names->numbers, text);

    if (place)
        return (uint32_t)(place - 1);
    if (names->count == names->room) {
        names->room = names->room ? names->room * 2 : 64;
        names->texts = xreallocarray(names->texts, names->room, sizeof(*names->texts));
    }
    names->texts[names->count++] = arena_strdup(names->arena, text);
    map_put(names->numbers, text, (void *)(uintptr_t)names->count);
    return (uint32_t)names->count - 1;
}

const char *names_get(const struct names *names, uint32_t number)
{
    return names->texts[number];
}

size_t names_count(const struct names *names)
{
    return names->count;
}
