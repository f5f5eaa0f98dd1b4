/* spool.h - the groups of a run on disk until the coordinator has them
 *
 * A group is a file before it is sent, and is sent until it was acked; how the run
 * ended is kept by results.h. A run has a folder, named after it, from its first group
 * on: a worker that starts anew goes on where the last one was killed.
 *
 *   SPOOL/runs/RUN-RANK/SHARD-NUMBER-RAWBYTES.zst  a group, or .raw
 *   SPOOL/work/                                    where programs run, unless told else
 */
#ifndef WORKER_SPOOL_SPOOL_H
#define WORKER_SPOOL_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct spool;

struct spool_group {
    uint32_t shard;
    uint32_t number;
    uint64_t raw_bytes;
    uint64_t bytes; /* on disk */
    bool zstd;
    uint64_t sent_ms; /* monotonic; 0: not since the last connection */
};

/* Takes the folder for this worker alone; ERR_CONFLICT when another one has it. */
int spool_open(struct spool **out, const char *folder, struct err *err);
void spool_close(struct spool *spool); /* NULL is welcome; files stay */

/* One run at a time. Nothing is written before its first group. */
void spool_begin(struct spool *spool, uint64_t run_id, uint64_t rank);
/* Finds groups that an earlier worker left; false when there are none. */
bool spool_resume(struct spool *spool, uint64_t *run_id, uint64_t *rank);
/* The run's folder with all in it is gone, and what its program left behind. */
void spool_end(struct spool *spool);

/* For the run to work in; what it leaves there goes with it. */
const char *spool_work_folder(struct spool *spool);

int spool_put(struct spool *spool,
              uint32_t shard,
              uint32_t number,
              const void *bytes,
              size_t size,
              struct err *err);
/* More than this on disk is too much; 0: never. Whoever is told so stops what fills it;
 * what still comes is kept all the same. */
void spool_set_limit(struct spool *spool, uint64_t bytes);
bool spool_is_full(const struct spool *spool);
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
