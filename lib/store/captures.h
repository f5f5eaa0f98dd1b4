/* captures.h - the raw capture of one job: captures/<job_id>.db
 *
 * Groups as they were sent, in numbered order per shard, and an index row per block.
 * The groups are the truth; the index can be made again. One process writes; a parser
 * reads while it does. As with the store, nothing is true before captures_commit(),
 * and a commit costs one sync. Deleting a job's capture is captures_delete(). */
#ifndef LIB_STORE_CAPTURES_H
#define LIB_STORE_CAPTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/capture/capture_reader.h"
#include "lib/store/store_mode.h"

struct captures;

/* Where the captures of a job are: <folder>/captures/<job_id>.db */
void captures_path(char *out, size_t size, const char *folder, uint64_t job_id);

/* STORE_WRITE makes file and folder; ERR_CONFLICT when another process writes to it. */
int captures_open(struct captures **out,
                  const char *path,
                  enum store_mode mode,
                  struct err *err);
void captures_close(struct captures *captures); /* drops what was not committed */
int captures_commit(struct captures *captures, struct err *err);
void captures_rollback(struct captures *captures);
bool captures_has_changes(const struct captures *captures);
int captures_delete(const char *path, struct err *err);

/* A group as it comes from a worker. */
struct captures_group {
    uint64_t run_id;
    uint32_t shard;  /* rank << 16 | process */
    uint32_t number; /* in the shard, from 0: that of its string table */
    uint32_t raw_bytes;
    bool zstd;
    const void *bytes;
    size_t size; /* as they are here */
    uint64_t received_wall_ms;
};

/* Verifies every block first (ERR_INPUT names shard and block), then stores. What is
 * there already with the same bytes is fine (*already), with others ERR_CONFLICT. */
int captures_put(struct captures *captures,
                 const struct captures_group *group,
                 bool *already,
                 struct err *err);
/* Only looks, stores nothing. */
int captures_check_group(const struct captures_group *group, struct err *err);

/* Which groups are there: the numbers of a shard that are, from the lowest. */
typedef int captures_number_fn(uint64_t run_id,
                               uint32_t shard,
                               uint32_t number,
                               void *arg,
                               struct err *err);
int captures_each_number(struct captures *captures,
                         uint64_t run_id,
                         captures_number_fn *fn,
                         void *arg,
                         struct err *err);

enum { CAPTURES_ANY_RANK = -1 };

/* Groups of a run and rank by (shard, number), decompressed, verified again. The bytes
 * are good while the callback runs. `run_id` 0: all runs. A bad one ends it with
 * ERR_INPUT, which names it. */
typedef int
captures_group_fn(const struct captures_group *group, void *arg, struct err *err);
int captures_each_group(struct captures *captures,
                        uint64_t run_id,
                        int32_t rank,
                        captures_group_fn *fn,
                        void *arg,
                        struct err *err);
/* Those of one shard, by their numbers. */
int captures_each_group_between(struct captures *captures,
                                uint64_t run_id,
                                uint32_t shard,
                                uint32_t first,
                                uint32_t last,
                                captures_group_fn *fn,
                                void *arg,
                                struct err *err);
/* The same, a block at a time: what parsers read. */
typedef int
captures_block_fn(const struct capture_block *block, void *arg, struct err *err);
int captures_each_block(struct captures *captures,
                        uint64_t run_id,
                        int32_t rank,
                        captures_block_fn *fn,
                        void *arg,
                        struct err *err);

struct captures_totals {
    uint64_t groups;
    uint64_t blocks;
    uint64_t records;
    uint64_t raw_bytes;
    uint64_t stored_bytes;
};
/* Of one run, or with run_id 0 of all. */
int captures_count(struct captures *captures,
                   uint64_t run_id,
                   struct captures_totals *totals,
                   struct err *err);

/* What one rank of a run has. */
struct captures_rank_totals {
    uint64_t groups;
    uint64_t blocks;
    uint64_t launches; /* that ended */
};
int captures_count_rank(struct captures *captures,
                        uint64_t run_id,
                        uint32_t rank,
                        struct captures_rank_totals *totals,
                        struct err *err);

/* All groups joined in a file that `muster capture` reads. */
int captures_export(struct captures *captures, const char *file, struct err *err);
/* The whole groups of such a file; `already` counts those that were there. A damaged
 * file is refused: salvage it first. */
int captures_import(struct captures *captures,
                    const char *file,
                    uint64_t *stored,
                    uint64_t *already,
                    struct err *err);
/* Makes the index again from the groups: the same rows. */
int captures_reindex(struct captures *captures, struct err *err);
/* The database is sound, every CRC is good, and the index says what the groups say. */
int captures_check(struct captures *captures, struct err *err);

#endif
