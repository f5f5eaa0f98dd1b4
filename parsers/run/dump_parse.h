/* dump_parse.h - writes the results of the files that the program of a rank wrote
 *
 * Each file and its tables go to FOLDER/<host>/device<N>/dumps/<number>/. The report
 * has the lines of parse_rank.h: `kernel` is a function or an operation, and `launch`
 * counts its sites from 0. The files of a profile are analysed together: see
 * profile_parse.h. */
#ifndef PARSERS_RUN_DUMP_PARSE_H
#define PARSERS_RUN_DUMP_PARSE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/json_write.h"

struct dump_parse_work {
    const char *capture; /* database or file */
    uint64_t run_id;
    uint32_t rank;
    const char *folder;
    struct json_write *lines;
    size_t bad; /* out: number of reported errors */
};

/* Returns -1 only when a file cannot be written, or the capture cannot be read. */
int dump_parse(struct dump_parse_work *work, struct err *err);

#endif
