/* result_store.h - how runs ended, until the coordinator has it on disk
 *
 * A result is a file from the end of its run on: a worker that was killed finds it when
 * it starts again. Once its groups are acked it is told, and told again until its own
 * ack; meanwhile the card may run the next.
 *
 *   SPOOL/results/RUN-RANK */
#ifndef WORKER_SPOOL_RESULT_STORE_H
#define WORKER_SPOOL_RESULT_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

enum { RESULT_REASON_MAX = 512 };

struct msg_rank_result;
struct results;

/* False: not now. */
typedef bool results_fn(void *arg, const struct msg_rank_result *result);

/* With all that an earlier worker left; whoever runs has locked the spool. */
int results_open(struct results **out, const char *spool_folder, struct err *err);
void results_close(struct results *results); /* NULL is welcome; files stay */

/* A file of the page cache outlives a killed worker; `sync` it, and it outlives the
 * host too, which is worth the wait when something was measured. */
int results_save(struct results *results,
                 const struct msg_rank_result *result,
                 bool sync,
                 struct err *err);
/* It waits to be told from now on; texts are copied. */
void results_add(struct results *results, const struct msg_rank_result *result);
/* What an earlier worker left is not to be told yet: its groups go first. */
bool results_take(struct results *results,
                  uint64_t run_id,
                  uint64_t rank,
                  struct msg_rank_result *result,
                  char reason[RESULT_REASON_MAX]);
/* Those that are due; with `anew` all. */
void results_tell(struct results *results, bool anew, results_fn *fn, void *arg);
/* False when it is not there, which is what a second ack finds. */
bool results_ack(struct results *results, uint64_t run_id, uint64_t rank);

bool results_has(const struct results *results, uint64_t run_id, uint64_t rank);
/* So many were never told. */
size_t results_untold(const struct results *results);
size_t results_count(const struct results *results);
uint64_t results_run_id(const struct results *results, size_t at);

#endif
