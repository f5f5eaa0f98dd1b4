/* group_places.h - the ranks of the program behind the places of a group
 *
 * communication_matrix.json numbers the ranks of a link within its group. The metadata
 * names the ranks of a group. Without it, a copy of a rank to itself shows the place of
 * this rank. */
#ifndef PARSERS_CLUSTER_GROUP_PLACES_H
#define PARSERS_CLUSTER_GROUP_PLACES_H

#include "parsers/cluster/cluster.h"

enum { GROUP_PLACE_UNKNOWN = -1 };

struct group_places {
    uint32_t group; /* name of its hash */
    int64_t *ranks;
    size_t count;
};

/* All zero is an empty list. */
struct group_places_list {
    struct group_places *rows;
    size_t count;
};

/* Returns the places of the group, which are found at the first call. They are valid
 * until the next call. */
const struct group_places *group_places_of(struct group_places_list *list,
                                           const struct cluster *cluster,
                                           uint32_t group);
/* Returns the rank of the program, or GROUP_PLACE_UNKNOWN. */
int64_t group_places_rank(const struct group_places *places, unsigned place);
void group_places_clear(struct group_places_list *list);

#endif
