/* environments_read.h - reads the environments of the cards of a job or of two jobs */
#ifndef CLI_COMPARE_ENVIRONMENTS_READ_H
#define CLI_COMPARE_ENVIRONMENTS_READ_H

#include <stdbool.h>

#include "cli/query/row_source.h"
#include "lib/compare/comparison.h"
#include "lib/compare/environments.h"

int environments_read(struct environments *environments,
                      struct row_source *source,
                      uint64_t job_id,
                      struct err *err);

struct compared_environments {
    struct environments *base, *fresh;
    char *change; /* environments_change(); NULL: there is none */
};

/* base_id 0: there is no base, and thus no change. Clear also after a failure. */
int compared_environments_read(struct compared_environments *environments,
                               struct row_source *source,
                               uint64_t base_id,
                               uint64_t fresh_id,
                               struct err *err);
void compared_environments_clear(struct compared_environments *environments);
/* Returns true when the card of the cell has another environment than in the base; for
 * a cell of several cards, when any card has. */
bool compared_environments_is_changed(const struct compared_environments *environments,
                                      const struct comparison_row *row);

#endif
