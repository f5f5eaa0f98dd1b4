/* job_filter.h - selects the newest jobs of a user or of a state
 *
 * Jobs arrive oldest first, so the last ones are known only at the end: the filter
 * keeps copies of the jobs that it selects. */
#ifndef CLI_QUERY_JOB_FILTER_H
#define CLI_QUERY_JOB_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include "lib/wire/messages.h"

struct job_filter {
    const char *user;  /* NULL: all */
    const char *state; /* NULL: all */
    uint64_t last;     /* 0: all */

    struct msg_job_row *rows;
    size_t count, room;
};

/* Keeps a copy of the row when the filter selects it. `arg` is the struct job_filter,
 * so this is a client_row_fn. */
void job_filter_add(const void *row, void *arg);
/* Returns the number of the first of the last rows. */
size_t job_filter_first(const struct job_filter *filter);
void job_filter_clear(struct job_filter *filter);

#endif
