/* parser_process.h - starts a muster-parser process with its limits */
#ifndef COORDINATOR_PARSE_PARSER_PROCESS_H
#define COORDINATOR_PARSE_PARSER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct parse_options {
    const char *program; /* muster-parser, or a replacement in tests */
    const char *store;   /* folder of muster.db */
    size_t parallel;     /* processes at the same time */
    uint64_t time_limit_ms;
    uint64_t memory_bytes; /* 0: no limit */
    uint64_t repeat_ms;    /* delay of the first repetition, doubled for each further */
};

enum parse_kind { PARSE_RANK, PARSE_MERGE, PARSE_REPORT };

struct parse_request {
    enum parse_kind kind;
    uint64_t job_id, run_id;
    uint32_t rank; /* for a merge: number of ranks */
    const char *out;
    const char *custom_input; /* JSON with names of marks, or empty */
    size_t processors;        /* that the process may use */
    bool is_partial;  /* of an attempt that failed: parse complete launches only */
    bool is_repeated; /* when a process is killed, the parse is repeated */
};

/* Returns 0, or errno when nothing was started. The output is read from *output_fd,
 * which does not block and which the caller closes. */
int parser_process_start(pid_t *pid,
                         int *output_fd,
                         const struct parse_options *options,
                         const struct parse_request *request);

#endif
