/* map.h - from a text to a pointer
 *
 * The map copies its keys and borrows its values. */
#ifndef LIB_BASE_MAP_H
#define LIB_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>

struct map;

struct map *map_create(void);
void map_destroy(struct map *map); /* NULL is welcome */

/* Puts, or replaces; returns what was there before, or NULL. */
void *map_put(struct map *map, const char *key, void *value);
void *map_get(const struct map *map, const char *key);
void *map_remove(struct map *map, const char *key);
size_t map_count(const struct map *map);

/* All entries, in no order: start with *cursor = 0. */
bool map_next(const struct map *map, size_t *cursor, const char **key, void **value);

#endif
