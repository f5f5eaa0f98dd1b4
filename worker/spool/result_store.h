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
struct result_store;

/* False: not now. */
typedef bool result_store_fn(void *arg, const struct msg_rank_result *result);

/* With all that an earlier worker left; whoever runs has locked the spool. */
int result_store_open(struct result_store **out,
                      const char *spool_folder,
                      struct err *err);
void result_store_close(struct result_store *results); /* NULL is welcome; files stay */

/* A file of the page cache outlives a killed worker; `sync` it, and it outlives the
 * host too, which is worth the wait when something was measured. */
int result_store_save(struct result_store *results,
                      const struct msg_rank_result *result,
                      bool sync,
                      struct err *err);
/* It waits to be told from now on; texts are copied. */
void result_store_add(struct result_store *results,
                      const struct msg_rank_result *result);
/* What an earlier worker left is not to be told yet: its groups go first. */
bool result_store_take(struct result_store *results,
                       uint64_t run_id,
                       uint64_t rank,
                       struct msg_rank_result *result,
                       char reason[RESULT_REASON_MAX]);
/* Those that are due; with `anew` all. */
void result_store_tell(struct result_store *results,
                       bool anew,
                       result_store_fn *fn,
                       void *arg);
/* False when it is not there, which is what a second ack finds. */
bool result_store_ack(struct result_store *results, uint64_t run_id, uint64_t rank);

bool result_store_has(const struct result_store *results,
                      uint64_t run_id,
                      uint64_t rank);
/* So many were never told. */
size_t result_store_untold(const struct result_store *results);
size_t result_store_count(const struct result_store *results);
uint64_t result_store_run_id(const struct result_store *results, size_t at);

#endif
