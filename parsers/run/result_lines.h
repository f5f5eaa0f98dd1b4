/* result_lines.h - lines of the parser's output about data that no launch recorded */
#ifndef PARSERS_RUN_RESULT_LINES_H
#define PARSERS_RUN_RESULT_LINES_H

#include <stdint.h>

#include "lib/base/json_write.h"

/* Longest text of notes: readers of the lines accept a little more. */
enum { RESULT_NOTES_BYTES = 4000 };

struct result_launch {
    const char *kernel;
    uint64_t launch;
    uint32_t device;
    const char *notes; /* for users, a line for each; NULL: none */
};

void result_error(struct json_write *lines, const char *text);
void result_output(struct json_write *lines, const char *path);
/* Announces a launch; its figures follow. */
void result_launch(struct json_write *lines, const struct result_launch *launch);
void result_figure(struct json_write *lines,
                   const struct result_launch *launch,
                   const char *metric,
                   double value,
                   const char *unit);

#endif
