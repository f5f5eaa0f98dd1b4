/* hash_map.h - hash table of entries that are members of their owners' structs
 *
 * The caller compares keys and frees the owners. */
#ifndef XPTI_DISPATCHER_HASH_MAP_H
#define XPTI_DISPATCHER_HASH_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_entry {
    struct hash_entry *next;
    uint64_t hash;
};

struct hash_map { /* all zeros: empty */
    struct hash_entry **buckets;
    size_t count, room;
};

uint64_t hash_bytes(const void *bytes, size_t size);
uint64_t hash_number(uint64_t number);

typedef bool hash_equal_fn(const struct hash_entry *entry, const void *key);

/* Returns the entry with the key, or NULL. */
struct hash_entry *hash_map_find(const struct hash_map *map,
                                 uint64_t hash,
                                 hash_equal_fn *is_equal,
                                 const void *key);
/* Returns false without memory. The entry's `hash` is set before. */
bool hash_map_add(struct hash_map *map, struct hash_entry *entry);
void hash_map_remove(struct hash_map *map, struct hash_entry *entry);
/* Calls `drop` for each entry and frees the table. */
void hash_map_clear(struct hash_map *map, void (*drop)(struct hash_entry *entry));

#endif
