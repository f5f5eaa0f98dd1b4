/* import_lines.h - writes the lines of the parsers of a rank into a store */
#ifndef CLI_IMPORTS_IMPORT_LINES_H
#define CLI_IMPORTS_IMPORT_LINES_H

#include <stdint.h>

#include "lib/base/err.h"

struct store;

/* Adds launches, figures, replays, files and the environment of rank 0 of an attempt.
 * Copies the first problem that a line reports to `problem`, or "". */
int import_lines_store(struct store *store,
                       uint64_t run_id,
                       const char *lines,
                       char problem[1024],
                       struct err *err);

#endif
