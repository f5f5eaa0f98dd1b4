/* gang_analysis.h - the analyses of jobs on several cards
 *
 * Each is a descriptor with its columns and a function that adds its rows. An analysis
 * that does not apply to a job adds none. */
#ifndef LIB_GANG_GANG_ANALYSIS_H
#define LIB_GANG_GANG_ANALYSIS_H

#include "lib/gang/gang_figures.h"
#include "lib/gang/gang_table.h"
#include "lib/gang/gang_times.h"

struct gang_input {
    const struct gang_figures *figures;
    const struct gang_times *times;  /* of these figures */
    const struct gang_figures *base; /* of an earlier job, for comparison; or NULL */
};

struct gang_analysis {
    const char *name;    /* of the rows: scaling */
    const char *schema;  /* of the rows in JSON */
    const char *title;   /* of a section */
    const char *summary; /* one sentence */
    const char *needs;   /* for a job without a row */
    const struct gang_column *columns;
    size_t column_count;
    void (*add_rows)(const struct gang_input *input, struct gang_table *table);
};

extern const struct gang_analysis gang_scaling, gang_collectives, gang_overlap,
    gang_arrival, gang_rotation, gang_links;

/* Returns the analysis, or NULL behind the last. */
const struct gang_analysis *gang_analysis_at(size_t index);
const struct gang_analysis *gang_analysis_find(const char *name);
/* Returns the rows. The caller clears the table. */
struct gang_table gang_analysis_run(const struct gang_analysis *analysis,
                                    const struct gang_input *input);

#endif
