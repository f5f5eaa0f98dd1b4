#include "lib/base/map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

/* Open addressing with linear probing. A removal moves the following entries up, so no
 * deleted entry has to be marked. */
struct entry {
    char *key;
    void *value;
    uint64_t hash;
};

struct map {
    struct entry *entries;
    size_t room; /* a power of two, or 0 */
    size_t count;
};

static uint64_t hash_of(const char *key)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */

    for (; *key; key++)
        hash = (hash ^ (unsigned char)*key) * 0x100000001b3u;
    return hash;
}

struct map *map_create(void)
{
    return xcalloc(1, sizeof(struct map));
}

void map_destroy(struct map *map)
{
    if (!map)
        return;
    for (size_t i = 0; i < map->room; i++)
        free(map->entries[i].key);
    free(map->entries);
    free(map);
}

static struct entry *find(const struct map *map, const char *key, uint64_t hash)
{
    size_t i = hash & (map->room - 1);

    while (map->entries[i].key &&
           (map->entries[i].hash != hash || strcmp(map->entries[i].key, key) != 0))
        i = (i + 1) & (map->room - 1);
    return &map->entries[i];
}

static void grow(struct map *map)
{
    struct map larger = {.room = map->room ? map->room * 2 : 16, .count = map->count};

    larger.entries = xcalloc(larger.room, sizeof(*larger.entries));
    for (size_t i = 0; i < map->room; i++) {
        struct entry *entry = &map->entries[i];

        if (entry->key)
            *find(&larger, entry->key, entry->hash) = *entry;
    }
    free(map->entries);
    *map = larger;
}

void *map_put(struct map *map, const char *key, void *value)
{
    uint64_t hash = hash_of(key);

    if (map->count * 4 >= map->room * 3)
        grow(map);
    struct entry *entry = find(map, key, hash);
    void *before = entry->value;
    if (!entry->key) {
        entry->key = xstrdup(key);
        entry->hash = hash;
        map->count++;
    }
    entry->value = value;
    return before;
}

void *map_get(const struct map *map, const char *key)
{
    return map->room ? find(map, key, hash_of(key))->value : NULL;
}

void *map_remove(struct map *map, const char *key)
{
    if (!map->room)
        return NULL;
    struct entry *hole = find(map, key, hash_of(key));
    if (!hole->key)
        return NULL;

    void *value = hole->value;
    size_t mask = map->room - 1;
    free(hole->key);
    map->count--;
    for (size_t i = ((size_t)(hole - map->entries) + 1) & mask; map->entries[i].key;
         i = (i + 1) & mask) {
        size_t home = map->entries[i].hash & mask;
        size_t gap = (size_t)(hole - map->entries);

        if (((i - home) & mask) >= ((i - gap) & mask)) {
            *hole = map->entries[i];
            hole = &map->entries[i];
        }
    }
    *hole = (struct entry){0};
    return value;
}

size_t map_count(const struct map *map)
{
    return map->count;
}

bool map_next(const struct map *map, size_t *cursor, const char **key, void **value)
{
    while (*cursor < map->room) {
        const struct entry *entry = &map->entries[(*cursor)++];

        if (entry->key) {
            *key = entry->key;
            *value = entry->value;
            return true;
        }
    }
    return false;
}
