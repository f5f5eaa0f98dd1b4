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

int32_t metadata_add(struct xpti_map *map, const char *key, int32_t value)
{
    uint32_t number = texts_add(key, NULL);
    struct xpti_map_node **at = &map->first, *node;

    for (; *at; at = &(*at)->next)
        if ((*at)->key == number)
            return XPTI_DUPLICATE;
    node = number ? malloc(sizeof(*node)) : NULL;
    if (!node)
        return XPTI_FAIL;
    *node = (struct xpti_map_node){.key = number, .value = value};
    *at = node; /* keeps the order of the calls */
    map->count++;
    map->single = (struct xpti_map_node *)&map->first;
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
