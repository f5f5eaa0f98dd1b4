/* parser_process.h - a muster-parser is started, with its limits */
#ifndef COORDINATOR_PARSE_PARSER_PROCESS_H
#define COORDINATOR_PARSE_PARSER_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct parse_options {
    const char *program; /* muster-parser, or a test's stand-in */
    const char *store;   /* folder of muster.db */
    size_t parallel;     /* children at once */
    uint64_t time_limit_ms;
    uint64_t memory_bytes; /* 0: not limited */
};

enum parse_kind { PARSE_RANK, PARSE_MERGE, PARSE_REPORT };

struct parse_wish {
    enum parse_kind kind;
    uint64_t job_id, run_id;
    uint32_t rank; /* of a merge: how many there are */
    const char *out;
    size_t processors; /* that it may use */
};

/* 0, or errno: then nothing was started. What it says is read, without waiting, from
 * *said_fd, which is the caller's. */
int parser_process_start(pid_t *pid,
                         int *said_fd,
                         const struct parse_options *options,
                         const struct parse_wish *wish);

#endif
