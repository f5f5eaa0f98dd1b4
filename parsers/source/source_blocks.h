/* source_blocks.h - the blocks of one rank in a capture file or a capture database */
#ifndef PARSERS_SOURCE_SOURCE_BLOCKS_H
#define PARSERS_SOURCE_SOURCE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/capture/capture_reader.h"

bool source_is_database(const char *path);

typedef int
source_block_fn(const struct capture_block *block, void *arg, struct err *err);

/* Calls fn for each block of the rank, sorted by shard and number. A damaged group of a
 * database is an error; damage in a file is left out. */
int source_each_block(const char *path,
                      uint64_t run_id,
                      uint32_t rank,
                      source_block_fn *fn,
                      void *arg,
                      struct err *err);

#endif
