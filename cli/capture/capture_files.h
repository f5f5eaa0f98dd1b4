/* capture_files.h - captures as people hand them around: a file of groups, or the
 * database of a job */
#ifndef CLI_CAPTURE_CAPTURE_FILES_H
#define CLI_CAPTURE_CAPTURE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/json_write.h"
#include "lib/capture/capture_reader.h"

typedef int
capture_block_fn(const struct capture_block *block, void *arg, struct err *err);

bool capture_is_database(const char *path);
/* All blocks, of either sort, by (run, shard, number). What is damaged in a file is
 * counted in *problems and told by `problem`, which may be NULL; a database that is
 * damaged is an error. */
typedef void capture_problem_fn(const struct capture_problem *problem, void *arg);
int capture_each_block(const char *path,
                       capture_block_fn *fn,
                       capture_problem_fn *problem,
                       uint64_t *problems,
                       void *arg,
                       struct err *err);

/* What the records of a kind say, as members of an open JSON object. */
void capture_write_record(struct json_write *json,
                          const char *type,
                          const uint8_t *record,
                          size_t size);

/* The layout of the vendor's tool below `folder`:
 * device<D>/<kernel>/<order>/dump/{DeviceProf<N>,duration,L2Cache}.bin,
 * op_basic_info.txt. One rank of one run: `run_id` 0 and `rank` -1 when there is only
 * one. The number of launches written. */
int capture_extract(const char *path,
                    const char *folder,
                    uint64_t run_id,
                    int64_t rank,
                    uint64_t *launches,
                    struct err *err);

#endif
