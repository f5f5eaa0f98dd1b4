/* prune.h - removes old jobs from a store, after a look at what would be removed
 *
 * The store must have no coordinator, because the coordinator keeps jobs in memory. A
 * prune that is killed leaves no damage (lib/store/store.h); the next one
 * removes the rest. */
#ifndef CLI_PRUNE_PRUNE_H
#define CLI_PRUNE_PRUNE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/view/row_output.h"
#include "lib/base/err.h"

struct prune_options {
    const char *out;   /* folder of results */
    char *const *jobs; /* numbers, keys or names; ends with NULL; empty: all */
    uint64_t older_ms; /* since the end of the job; 0: any age */
    bool keep_figures; /* remove only captures and files */
    bool yes;          /* false: only list */
    enum row_output_format format;
};

int prune(const struct prune_options *options, struct err *err);

#endif
