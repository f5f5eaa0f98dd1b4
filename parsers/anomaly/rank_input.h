/* rank_input.h - everything that was read about one rank */
#ifndef PARSERS_ANOMALY_RANK_INPUT_H
#define PARSERS_ANOMALY_RANK_INPUT_H

#include <stdbool.h>

#include "parsers/framework/comm_ops.h"
#include "parsers/framework/host_ops.h"
#include "parsers/framework/kernel_list.h"
#include "parsers/framework/profiler_info.h"
#include "parsers/framework/rank_list.h"
#include "parsers/framework/step_trace.h"
#include "parsers/host_trace/trace_view.h"

struct rank_input {
    int64_t rank;
    struct names *names;
    struct kernel_list kernels; /* of one device, sorted */
    struct trace_view trace;
    struct step_trace step_trace;
    struct comm_ops comm;
    struct host_ops host_ops; /* empty without the file */
    struct profiler_info info;
    struct profiler_metadata metadata;
    char *folder; /* name of the folder of the rank */
    bool has_trace, has_step_trace, has_comm;
    struct text
        limitations; /* one per line: what is missing or damaged, and its cost */
};

/* Reads the files of a rank. A file that is missing or damaged is a limitation; only
 * the list of kernels is necessary. */
int rank_input_read(struct rank_input *input,
                    const struct rank_folder *folder,
                    struct err *err);
void rank_input_clear(struct rank_input *input);

#endif
