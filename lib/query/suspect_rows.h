/* suspect_rows.h - the suspects of a confirmation as rows of client messages */
#ifndef LIB_QUERY_SUSPECT_ROWS_H
#define LIB_QUERY_SUSPECT_ROWS_H

#include "lib/query/store_rows.h"

/* Calls `fn` with a MSG_SUSPECT_ROW for each suspect of the confirmation with this job;
 * a job that is none has no rows. */
int suspect_rows(struct store *store,
                 uint64_t job_id,
                 row_fn *fn,
                 void *arg,
                 struct err *err);

#endif
