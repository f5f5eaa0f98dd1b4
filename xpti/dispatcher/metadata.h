/* metadata.h - the map of an event's metadata
 *
 * It has one bucket with all nodes, so that code of libstdc++ finds and lists them. */
#ifndef XPTI_DISPATCHER_METADATA_H
#define XPTI_DISPATCHER_METADATA_H

#include <stdint.h>

struct xpti_map;

void metadata_init(struct xpti_map *map);
/* Returns enum xpti_result: a key that is present is a duplicate. The caller holds the
 * state lock. */
int32_t metadata_add(struct xpti_map *map, const char *key, int32_t value);
/* The same, but a present key gets the new value. */
int32_t metadata_set(struct xpti_map *map, const char *key, int32_t value);
void metadata_clear(struct xpti_map *map);

#endif
