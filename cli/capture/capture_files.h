/* capture_files.h - reads the blocks of a capture file or of a capture database */
#ifndef CLI_CAPTURE_CAPTURE_FILES_H
#define CLI_CAPTURE_CAPTURE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/capture/capture_reader.h"

typedef int
capture_block_fn(const struct capture_block *block, void *arg, struct err *err);

bool capture_is_database(const char *path);
/* Calls fn for each block, in the order of attempt, shard and number. Damage in a file
 * is counted in *problems and passed to `problem`, which may be NULL. A damaged
 * database is an error. */
typedef void capture_problem_fn(const struct capture_problem *problem, void *arg);
int capture_each_block(const char *path,
                       capture_block_fn *fn,
                       capture_problem_fn *problem,
                       uint64_t *problems,
                       void *arg,
                       struct err *err);

#endif
