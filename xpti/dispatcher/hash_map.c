#include "xpti/dispatcher/hash_map.h"

#include <stdlib.h>

enum { FIRST_ROOM = 64 };

uint64_t hash_number(uint64_t number)
{
    number ^= number >> 33;
    number *= 0xff51afd7ed558ccdULL;
    number ^= number >> 33;
    number *= 0xc4ceb9fe1a85ec53ULL;
    return number ^ number >> 33;
}

uint64_t hash_bytes(const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint64_t hash = 0xcbf29ce484222325ULL; /* FNV-1a */

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 0x100000001b3ULL;
    return hash_number(hash);
}

static struct hash_entry **bucket(const struct hash_map *map, uint64_t hash)
{
    return &map->buckets[hash & (map->room - 1)];
}

struct hash_entry *hash_map_find(const struct hash_map *map,
                                 uint64_t hash,
                                 hash_equal_fn *is_equal,
                                 const void *key)
{
    if (map->room == 0)
        return NULL;
    for (struct hash_entry *entry = *bucket(map, hash); entry; entry = entry->next)
        if (entry->hash == hash && is_equal(entry, key))
            return entry;
    return NULL;
}

static bool grow(struct hash_map *map)
{
    struct hash_map larger = {.room = map->room ? 2 * map->room : FIRST_ROOM};

    larger.buckets = calloc(larger.room, sizeof(struct hash_entry *));
    if (!larger.buckets)
        return false;
    for (size_t i = 0; i < map->room; i++)
        for (struct hash_entry *entry = map->buckets[i]; entry;) {
            struct hash_entry *next = entry->next;
            struct hash_entry **head = bucket(&larger, entry->hash);

            entry->next = *head;
            *head = entry;
            entry = next;
        }
    larger.count = map->count;
    free(map->buckets);
    *map = larger;
    return true;
}

bool hash_map_add(struct hash_map *map, struct hash_entry *entry)
{
    struct hash_entry **head;

    if (map->count >= map->room && !grow(map) && map->room == 0)
        return false;
    head = bucket(map, entry->hash);
    entry->next = *head;
    *head = entry;
    map->count++;
    return true;
}

void hash_map_remove(struct hash_map *map, struct hash_entry *entry)
{
    struct hash_entry **at = bucket(map, entry->hash);

    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    map->count--;
}

void hash_map_clear(struct hash_map *map, void (*drop)(struct hash_entry *entry))
{
    for (size_t i = 0; i < map->room; i++)
        for (struct hash_entry *entry = map->buckets[i]; entry;) {
            struct hash_entry *next = entry->next;

            drop(entry);
            entry = next;
        }
    free(map->buckets);
    *map = (struct hash_map){0};
}
