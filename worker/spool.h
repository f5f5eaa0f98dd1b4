/* spool.h - the groups of a run on disk until the coordinator has them
 *
 * A group is a file before it is sent, and is sent until it was acked. The folder of a
 * run also keeps who it is and, once it ended, its result: a worker that starts anew
 * goes on where the last one was killed.
 *
 *   SPOOL/runs/RUN-RANK/run                        what to answer for, from the start
 *   SPOOL/runs/RUN-RANK/result                     how it ended
 *   SPOOL/runs/RUN-RANK/SHARD-NUMBER-RAWBYTES.zst  a group, or .raw
 */
#ifndef WORKER_SPOOL_H
#define WORKER_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct msg_rank_result;
struct spool;

struct spool_group {
    uint32_t shard;
    uint32_t number;
    uint64_t raw_bytes;
    bool zstd;
    uint64_t sent_ms; /* monotonic; 0: not since the last connection */
};

/* Takes the folder for this worker alone; ERR_CONFLICT when another one has it. */
int spool_open(struct spool **out, const char *folder, struct err *err);
void spool_close(struct spool *spool); /* NULL is welcome; files stay */

/* One run at a time. */
int spool_begin(struct spool *spool, uint64_t run_id, uint64_t rank, struct err *err);
/* Finds the run that an earlier worker left. `result` is filled, with texts that live
 * as long as the spool, when it had ended. False when there is none. */
bool spool_resume(struct spool *spool,
                  uint64_t *run_id,
                  struct msg_rank_result *result,
                  bool *has_result);
/* The run's folder with all in it is gone. */
void spool_end(struct spool *spool);

const char *spool_run_folder(const struct spool *spool);

int spool_put(struct spool *spool,
              uint32_t shard,
              uint32_t number,
              const void *bytes,
              size_t size,
              struct err *err);
int spool_put_result(struct spool *spool,
                     const struct msg_rank_result *result,
                     struct err *err);

size_t spool_count(const struct spool *spool);
/* Borrowed until the next put or drop. */
struct spool_group *spool_at(const struct spool *spool, size_t at);
/* The bytes as they are sent; yours to free(). */
int spool_read(const struct spool *spool,
               const struct spool_group *group,
               char **bytes,
               size_t *size,
               struct err *err);
/* Acked. False when it is not there, which is what a second ack finds. */
bool spool_drop(struct spool *spool, uint32_t shard, uint32_t number);
/* All have to be sent again. */
void spool_forget_sent(struct spool *spool);

#endif
