/* captures.h - the capture of one job: captures/<job_id>.db
 *
 * The database has the groups as the workers sent them, numbered in each shard, and an
 * index with a row for each block. captures_reindex() builds the index again from the
 * groups. One process writes; parsers read at the same time. As in the store, changes
 * are lost unless captures_commit() succeeds; a commit costs one sync. */
#ifndef LIB_STORE_CAPTURES_H
#define LIB_STORE_CAPTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/capture/capture_reader.h"
#include "lib/sqlite/store_mode.h"

struct captures;

/* Writes <folder>/captures/<job_id>.db to `out`. */
void captures_path(char *out, size_t size, const char *folder, uint64_t job_id);

/* STORE_WRITE creates file and folder. Returns ERR_CONFLICT when another process
 * writes. */
int captures_open(struct captures **out,
                  const char *path,
                  enum store_mode mode,
                  struct err *err);
void captures_close(struct captures *captures); /* discards uncommitted changes */
int captures_commit(struct captures *captures, struct err *err);
void captures_rollback(struct captures *captures);
bool captures_has_changes(const struct captures *captures);
int captures_delete(const char *path, struct err *err);

/* A group, as a worker sends it. */
struct captures_group {
    uint64_t run_id;
    uint32_t shard;  /* rank << 16 | process */
    uint32_t number; /* of the group in its shard, from 0 */
    uint32_t raw_bytes;
    bool zstd;
    const void *bytes;
    size_t size; /* of `bytes` */
    uint64_t received_wall_ms;
};

/* Verifies every block, then stores the group. Returns ERR_INPUT, which names shard and
 * block, for a damaged group. Sets *already when the same group is stored already;
 * returns ERR_CONFLICT when other bytes are stored under its number. */
int captures_put(struct captures *captures,
                 const struct captures_group *group,
                 bool *already,
                 struct err *err);
/* Verifies every block, and stores nothing. */
int captures_check_group(const struct captures_group *group, struct err *err);

/* Gets the numbers of the stored groups, ascending in each shard. */
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

/* Gets a decompressed and verified group; its bytes are valid while the callback runs.
 */
typedef int
captures_group_fn(const struct captures_group *group, void *arg, struct err *err);
/* Calls fn for the groups of a rank, or with CAPTURES_ANY_RANK of all ranks, sorted by
 * shard and number. run_id 0: all attempts. Returns ERR_INPUT for a damaged group. */
int captures_each_group(struct captures *captures,
                        uint64_t run_id,
                        int32_t rank,
                        captures_group_fn *fn,
                        void *arg,
                        struct err *err);
/* Calls fn for the groups of one shard with numbers from `first` to `last`. */
int captures_each_group_between(struct captures *captures,
                                uint64_t run_id,
                                uint32_t shard,
                                uint32_t first,
                                uint32_t last,
                                captures_group_fn *fn,
                                void *arg,
                                struct err *err);
/* Like captures_each_group(), with a call for each block. */
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
/* Counts one attempt, or with run_id 0 all attempts. */
int captures_count(struct captures *captures,
                   uint64_t run_id,
                   struct captures_totals *totals,
                   struct err *err);

/* Totals of one rank of an attempt. */
struct captures_rank_totals {
    uint64_t groups;
    uint64_t blocks;
    uint64_t launches; /* launches that ended */
};
int captures_count_rank(struct captures *captures,
                        uint64_t run_id,
                        uint32_t rank,
                        struct captures_rank_totals *totals,
                        struct err *err);

/* Writes all groups to a capture file. */
int captures_export(struct captures *captures, const char *file, struct err *err);
/* Stores the complete groups of a capture file; *already counts those that were stored
 * before. Rejects a damaged file; `muster capture salvage` repairs it. */
int captures_import(struct captures *captures,
                    const char *file,
                    uint64_t *stored,
                    uint64_t *already,
                    struct err *err);
/* Builds the index again from the groups. */
int captures_reindex(struct captures *captures, struct err *err);
/* Checks the database, every CRC, and that the index matches the groups. */
int captures_check(struct captures *captures, struct err *err);

#endif
