/* trace_output.h - writes the files of a traced rank and reports its figures
 *
 * The files are DIR/<host>/rank<N>/xpti/{trace.json,kernels,transfers,calls.csv}. The
 * report has the lines of parse_rank.h: each kernel, transfer and call is a launch. */
#ifndef PARSERS_XPTI_TRACE_OUTPUT_H
#define PARSERS_XPTI_TRACE_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/json_write.h"

struct trace_output {
    const char *capture;
    uint64_t run_id;
    uint32_t rank;
    const char *folder;
    struct json_write *lines;
    size_t bad; /* out: number of reported errors */
};

/* Does nothing for a rank without trace events. */
int trace_output_write(struct trace_output *work, struct err *err);

#endif
