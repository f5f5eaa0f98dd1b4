/* import_lines.h - writes the lines of the parsers of a rank into a store */
#ifndef CLI_IMPORTS_IMPORT_LINES_H
#define CLI_IMPORTS_IMPORT_LINES_H

#include <stdint.h>

#include "lib/base/err.h"
#include "lib/parser_output/parser_output.h"

struct store;

/* Adds launches, figures, replays, files and the environment of rank 0 of an attempt.
 * Writes the problems that the lines report to `problem`, or "". */
int import_lines_store(struct store *store,
                       uint64_t run_id,
                       const char *lines,
                       char problem[PARSER_PROBLEMS_BYTES],
                       struct err *err);

#endif
