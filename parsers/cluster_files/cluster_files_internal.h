/* cluster_files_internal.h - the writers of the single files */
#ifndef PARSERS_CLUSTER_FILES_CLUSTER_FILES_INTERNAL_H
#define PARSERS_CLUSTER_FILES_CLUSTER_FILES_INTERNAL_H

#include "lib/base/json_write.h"
#include "parsers/cluster_files/comm_sets.h"

/* A row of the table of step times: a rank in a step, or a pipeline stage in a step
 * with the largest time of its ranks. */
struct step_times_row {
    const char *step;
    const struct cluster_rank *rank;   /* or NULL */
    const struct cluster_stage *stage; /* of a row without a rank */
    double us[STEP_TIME_COUNT];
};

typedef void step_times_fn(void *arg, const struct step_times_row *row);
/* Calls fn with the rows of the ranks, then with those of the stages. */
void step_times_each(const struct cluster *cluster, step_times_fn *fn, void *arg);
void step_times_write_csv(struct text *out, const struct cluster *cluster);

void groups_json_write(struct json_write *json, const struct comm_sets *sets);
void comm_json_write(struct json_write *json, const struct comm_sets *sets);
void matrix_json_write(struct json_write *json, const struct comm_sets *sets);
/* Writes cluster_analysis.db. */
int cluster_db_write(const char *folder, const struct comm_sets *sets, struct err *err);

/* Adds ranks as "(0, 1)" or, with the separator ",", as "(0,1)". A single rank is
 * "(0,)" with ", ", as Python writes a tuple, and "(0)" with ",". */
void ranks_add(struct text *out,
               const unsigned *ranks,
               size_t count,
               const char *separator);

#endif
