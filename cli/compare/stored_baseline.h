/* stored_baseline.h - reads a baseline from a coordinator or from a store */
#ifndef CLI_COMPARE_STORED_BASELINE_H
#define CLI_COMPARE_STORED_BASELINE_H

#include "cli/query/row_source.h"
#include "lib/compare/baseline.h"

struct stored_baseline {
    char *name;
    struct baseline *rule; /* NULL: there is no baseline of this name */
    uint64_t keep;         /* 0: all nights */
};

/* Reads the nights whose jobs are done, the splits, and the quarantines that have not
 * ended. Leaves `rule` NULL when there is no baseline of this name. */
int stored_baseline_find(struct stored_baseline *baseline,
                         struct row_source *source,
                         const char *name,
                         struct err *err);
void stored_baseline_clear(struct stored_baseline *baseline);

#endif
