/* result_store.h - results of ranks until the coordinator has acknowledged them
 *
 * A result is on disk from the end of its rank, so that a worker that starts after a
 * kill finds it. When its groups are acknowledged, the result is sent and repeated
 * until it is acknowledged too. Meanwhile the card can run the next rank.
 *
 *   SPOOL/results/RUN-RANK   one result
 *   SPOOL/results.slots      short results (result_slots.h) */
#ifndef WORKER_SPOOL_RESULT_STORE_H
#define WORKER_SPOOL_RESULT_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

enum { RESULT_REASON_MAX = 512 };

struct msg_rank_result;
struct result_store;

/* Sends one result. Returns false when it cannot be sent now. */
typedef bool result_store_fn(void *arg, const struct msg_rank_result *result);

/* Reads all results that an earlier worker left. The caller holds the lock of the spool
 * folder (spool.h). */
int result_store_open(struct result_store **out,
                      const char *spool_folder,
                      struct err *err);
void result_store_close(struct result_store *results); /* NULL is allowed; files stay */

/* Writes the result to disk. Without `sync` it survives a kill of the worker, with
 * `sync` also a crash of the host, which is worth the wait when the rank was measured.
 */
int result_store_save(struct result_store *results,
                      const struct msg_rank_result *result,
                      bool sync,
                      struct err *err);
/* Adds a copy to the results that are to be sent. */
void result_store_add(struct result_store *results,
                      const struct msg_rank_result *result);
/* Removes a result of an earlier worker from the list, because its groups are sent
 * first. Returns false when there is none. */
bool result_store_take(struct result_store *results,
                       uint64_t run_id,
                       uint64_t rank,
                       struct msg_rank_result *result,
                       char reason[RESULT_REASON_MAX]);
/* Sends the results that are due; with `resend` all of them. */
void result_store_send(struct result_store *results,
                       bool resend,
                       result_store_fn *fn,
                       void *arg);
/* Removes an acknowledged result and its file. Returns false when there is none, as
 * after a second acknowledgement. */
bool result_store_ack(struct result_store *results, uint64_t run_id, uint64_t rank);

bool result_store_has(const struct result_store *results,
                      uint64_t run_id,
                      uint64_t rank);
/* Number of results that were not sent yet. */
size_t result_store_unsent(const struct result_store *results);
size_t result_store_count(const struct result_store *results);
uint64_t result_store_run_id(const struct result_store *results, size_t at);

#endif
