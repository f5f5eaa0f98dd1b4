/* merge_ranks.h - merges the timelines of all ranks of an attempt on one clock
 *
 * There is one file per launch; the launches of the ranks are matched by kernel and by
 * order. Times start at the first tick of the earliest rank. The file states the
 * uncertainty of the device and host clocks, and how far the releases of the ranks from
 * their common barrier were apart. A second file per launch on real cards has the times
 * of each rank from its own release on. */
#ifndef PARSERS_TIMELINE_MERGE_RANKS_H
#define PARSERS_TIMELINE_MERGE_RANKS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/json_write.h"
#include "parsers/source/source.h"

/* Opens the source of a rank. Called twice per rank, so that only one rank is in memory
 * at a time. */
typedef int
merge_read_fn(struct source **out, uint32_t rank, void *arg, struct err *err);

struct merge_ranks {
    uint32_t ranks; /* expected number */
    merge_read_fn *read;
    void *arg;
    const char
        *folder; /* files go to FOLDER/merged/<kernel>/<order>.json, and those with
                    aligned releases to FOLDER/aligned/<kernel>/<order>.json */
    struct json_write *lines; /* {"output"} and {"error"} lines, as from parse_rank() */
    size_t bad;               /* number of {"error"} lines */
};

/* Returns -1 only when a file cannot be written. */
int merge_ranks_write(struct merge_ranks *merge, struct err *err);

#endif
