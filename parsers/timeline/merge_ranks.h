/* merge_ranks.h - the timelines of all ranks of a run, one beside the other on one
 * clock
 *
 * One file for each launch that more than one rank made, or that is fused: ranks are
 * matched by kernel and by order. Times start with the first rank's first tick. Where
 * the clocks of devices and hosts are not exactly known, the file says by how much. */
#ifndef PARSERS_TIMELINE_MERGE_RANKS_H
#define PARSERS_TIMELINE_MERGE_RANKS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/json_write.h"
#include "parsers/source/source.h"

/* One rank's source, whenever it is asked for: a rank at a time is in memory. */
typedef int
merge_read_fn(struct source **out, uint32_t rank, void *arg, struct err *err);

struct merge_ranks {
    uint32_t ranks; /* how many there should be */
    merge_read_fn *read;
    void *arg;
    const char *folder;       /* files go to FOLDER/merged/<kernel>/<order>.json */
    struct json_write *lines; /* {"output"} and {"error"}, as of parse_rank() */
    size_t bad;               /* errors told */
};

/* -1 only when a file could not be written. */
int merge_ranks_write(struct merge_ranks *merge, struct err *err);

#endif
