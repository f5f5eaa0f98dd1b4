/* result_rows.h - the rows of the results of a job: figures, and tasks without figures
 *
 * Each row has the fields of MSG_RESULT_ROW, the values of the axes of its point, and
 * the state of its task. A task that failed or was cancelled without figures has a row
 * with its state. */
#ifndef CLI_QUERY_RESULT_ROWS_H
#define CLI_QUERY_RESULT_ROWS_H

#include "cli/query/result_filter.h"
#include "lib/base/err.h"
#include "lib/wire/messages.h"

struct result_rows;
struct row_source;

/* `more` are the values of the additional columns. `without` names fields that do not
 * apply to this row, and ends with NULL; NULL: all apply. */
typedef void result_row_fn(const struct msg_result_row *row,
                           const char *const *more,
                           const char *const *without,
                           void *arg);

/* Reads the axes and the failed tasks. `metric` is a pattern; "*": all. The filter is
 * compiled and borrowed. */
int result_rows_open(struct result_rows **out,
                     struct row_source *source,
                     uint64_t job_id,
                     const char *metric,
                     struct result_filter *filter,
                     struct err *err);
void result_rows_close(struct result_rows *rows); /* NULL is allowed */

/* Returns the names of the additional columns: the axes, and then `state`. */
size_t result_rows_columns(const struct result_rows *rows, const char *const **names);
/* Returns whether the job has tasks that failed or were cancelled; that failed. */
bool result_rows_has_ended_badly(const struct result_rows *rows);
bool result_rows_has_failed(const struct result_rows *rows);

int result_rows_each(struct result_rows *rows,
                     result_row_fn *fn,
                     void *arg,
                     struct err *err);
/* Calls the function of result_rows_each() for one more figure, of a task that is done,
 * if the filters select it. `without` begins with "rank" when it is of all ranks. */
void result_rows_add(struct result_rows *rows,
                     const struct msg_result_row *row,
                     const char *const *without);

#endif
