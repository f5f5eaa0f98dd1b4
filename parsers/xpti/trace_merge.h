/* trace_merge.h - one timeline of all traced ranks of an attempt
 *
 * The file is FOLDER/merged/xpti.json. Its times are the wall times of the hosts. */
#ifndef PARSERS_XPTI_TRACE_MERGE_H
#define PARSERS_XPTI_TRACE_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/json_write.h"

struct trace_merge {
    const char *capture;
    uint64_t run_id;
    uint32_t ranks; /* number of ranks of the attempt */
    const char *folder;
    struct json_write *lines; /* {"output"} and {"error"} lines, as from parse_rank() */
    size_t bad;               /* number of {"error"} lines */
};

/* Does nothing when fewer than two ranks have trace events. */
int trace_merge_write(struct trace_merge *merge, struct err *err);

#endif
