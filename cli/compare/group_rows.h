/* group_rows.h - prints the groups of a comparison: points, cards, hosts or the fleet
 */
#ifndef CLI_COMPARE_GROUP_ROWS_H
#define CLI_COMPARE_GROUP_ROWS_H

#include "cli/view/row_output.h"
#include "lib/compare/comparison_groups.h"

struct group_level {
    const char *name; /* point, card, host or fleet */
    enum comparison_level level;
    unsigned columns; /* bits: columns with the names of this level */
};

/* Returns NULL when there is no such level. */
const struct group_level *group_level_find(const char *name);

/* Prints the groups whose verdict the list `only` contains (verdict_filter.h). */
int group_rows_print(const struct group_level *level,
                     const struct comparison_group *groups,
                     size_t count,
                     enum row_output_format format,
                     const char *only,
                     struct err *err);

#endif
