/* baseline_rows.h - queries of baselines whose results are the rows of client messages
 */
#ifndef LIB_QUERY_BASELINE_ROWS_H
#define LIB_QUERY_BASELINE_ROWS_H

#include "lib/query/store_rows.h"

/* Lists the kind of row that the request names. `now_wall_ns` decides which baselines
 * are stale. ERR_NOT_FOUND: there is no baseline of this name; ERR_INPUT: there is no
 * such kind. */
int baseline_rows(struct store *store,
                  const struct msg_list_baselines *request,
                  uint64_t now_wall_ns,
                  row_fn *fn,
                  void *arg,
                  struct err *err);

#endif
