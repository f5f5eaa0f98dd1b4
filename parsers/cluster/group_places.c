#include "parsers/cluster/group_places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

static void set_place(struct group_places *places, size_t place, int64_t rank)
{
    if (place >= places->count) {
        places->ranks = xreallocarray(places->ranks, place + 1, sizeof(*places->ranks));
        while (places->count <= place)
            places->ranks[places->count++] = GROUP_PLACE_UNKNOWN;
    }
    if (places->ranks[place] == GROUP_PLACE_UNKNOWN)
        places->ranks[place] = rank;
}

static struct group_places find_places(const struct cluster *cluster, uint32_t group)
{
    struct group_places places = {.group = group};
    char hash[24];

    for (size_t i = 0; i < cluster->count; i++) {
        const struct cluster_rank *rank = &cluster->ranks[i];

        for (size_t j = 0; j < rank->metadata.group_count; j++) {
            const struct profiler_group *known = &rank->metadata.groups[j];

            snprintf(hash, sizeof(hash), "%llu", (unsigned long long)known->hash);
            for (size_t k = 0; strcmp(hash, names_text(cluster->names, group)) == 0 &&
                               k < known->rank_count;
                 k++)
                set_place(&places, k, known->ranks[k]);
        }
    }
    for (size_t i = 0; i < cluster->count; i++)
        for (size_t j = 0; j < cluster->ranks[i].matrix.count; j++) {
            const struct comm_link *link = &cluster->ranks[i].matrix.rows[j];

            if (link->group == group && link->from == link->to)
                set_place(&places, link->from, cluster->ranks[i].rank);
        }
    return places;
}

const struct group_places *group_places_of(struct group_places_list *list,
                                           const struct cluster *cluster,
                                           uint32_t group)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->rows[i].group == group)
            return &list->rows[i];
    list->rows = xreallocarray(list->rows, list->count + 1, sizeof(*list->rows));
    list->rows[list->count] = find_places(cluster, group);
    return &list->rows[list->count++];
}

int64_t group_places_rank(const struct group_places *places, unsigned place)
{
    return place < places->count ? places->ranks[place] : GROUP_PLACE_UNKNOWN;
}

void group_places_clear(struct group_places_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->rows[i].ranks);
    free(list->rows);
    *list = (struct group_places_list){0};
}
