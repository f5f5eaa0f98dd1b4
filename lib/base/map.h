/* map.h - hash map from texts to pointers
 *
 * The map copies its keys and borrows its values. */
#ifndef LIB_BASE_MAP_H
#define LIB_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>

struct map;

struct map *map_create(void);
void map_destroy(struct map *map); /* NULL is allowed */

/* Adds or replaces an entry; returns the previous value, or NULL. */
void *map_put(struct map *map, const char *key, void *value);
void *map_get(const struct map *map, const char *key);
void *map_remove(struct map *map, const char *key);
size_t map_count(const struct map *map);

/* Iterates over all entries in no particular order; start with *cursor = 0. */
bool map_next(const struct map *map, size_t *cursor, const char **key, void **value);

#endif
