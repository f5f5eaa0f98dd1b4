/* spool.h - groups of a rank on disk until the coordinator has acknowledged them
 *
 * A group is written to a file before it is sent, and is sent until it is acknowledged;
 * result_store.h keeps the results. A rank has a folder from its first group on, so
 * that a worker that starts after a kill continues to send its groups.
 *
 *   SPOOL/runs/RUN-RANK/SHARD-NUMBER-RAWBYTES.zst  a group, or .raw if not compressed
 *   SPOOL/work/                                    working directory of operators whose
 *                                                  job file names none */
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
    uint64_t sent_ms; /* monotonic; 0: not sent in this session */
};

/* Locks the folder. ERR_CONFLICT: another worker uses it. */
int spool_open(struct spool **out, const char *folder, struct err *err);
void spool_close(struct spool *spool); /* NULL is allowed; files stay */

/* Begins a rank; there is one at a time. Nothing is written before its first group. */
void spool_begin(struct spool *spool, uint64_t run_id, uint64_t rank);
/* Continues the rank whose groups an earlier worker left. Returns false if there is
 * none. */
bool spool_resume(struct spool *spool, uint64_t *run_id, uint64_t *rank);
/* Removes the folder of the rank and all files that its operator left in SPOOL/work. */
void spool_end(struct spool *spool);

/* Returns SPOOL/work, whose content is removed when the rank ends. */
const char *spool_work_folder(struct spool *spool);

int spool_put(struct spool *spool,
              uint32_t shard,
              uint32_t number,
              const void *bytes,
              size_t size,
              struct err *err);
/* Sets the size at which spool_is_full() returns true; 0: never. The caller then stops
 * the operator. Groups that still arrive are stored all the same. */
void spool_set_limit(struct spool *spool, uint64_t bytes);
bool spool_is_full(const struct spool *spool);
size_t spool_count(const struct spool *spool);
/* Returns the group at this position, borrowed until the next put or drop. */
struct spool_group *spool_at(const struct spool *spool, size_t at);
/* Reads the bytes that are sent to the coordinator; the caller frees them. */
int spool_read(const struct spool *spool,
               const struct spool_group *group,
               char **bytes,
               size_t *size,
               struct err *err);
/* Removes an acknowledged group. Returns false when there is none, as after a second
 * acknowledgement. */
bool spool_drop(struct spool *spool, uint32_t shard, uint32_t number);
/* Marks all groups as not sent, for a new session. */
void spool_mark_unsent(struct spool *spool);

#endif
