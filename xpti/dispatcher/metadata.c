#include "xpti/dispatcher/metadata.h"

#include <stdlib.h>

#include "xpti/abi/abi.h"
#include "xpti/dispatcher/texts.h"

void metadata_init(struct xpti_map *map)
{
    *map = (struct xpti_map){
        .buckets = &map->single,
        .bucket_count = 1,
        .load = 1,
    };
}

/* Returns the link to the node with the key, or the link at the end. */
static struct xpti_map_node **find(struct xpti_map *map, uint32_t key)
{
    struct xpti_map_node **at = &map->first;

    while (*at && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

static int32_t
append(struct xpti_map *map, struct xpti_map_node **at, uint32_t key, int32_t value)
{
    struct xpti_map_node *node = key ? malloc(sizeof(*node)) : NULL;

    if (!node)
        return XPTI_FAIL;
    *node = (struct xpti_map_node){.key = key, .value = value};
    *at = node; /* keeps the order of the calls */
    map->count++;
    map->single = (struct xpti_map_node *)&map->first;
    return XPTI_SUCCESS;
}

int32_t metadata_add(struct xpti_map *map, const char *key, int32_t value)
{
    uint32_t number = texts_add(key, NULL);
    struct xpti_map_node **at = find(map, number);

    return *at ? XPTI_DUPLICATE : append(map, at, number, value);
}

int32_t metadata_set(struct xpti_map *map, const char *key, int32_t value)
{
    uint32_t number = texts_add(key, NULL);
    struct xpti_map_node **at = find(map, number);

    if (!*at)
        return append(map, at, number, value);
    (*at)->value = value;
    return XPTI_SUCCESS;
}

void metadata_clear(struct xpti_map *map)
{
    while (map->first) {
        struct xpti_map_node *next = map->first->next;

        free(map->first);
        map->first = next;
    }
    metadata_init(map);
}
