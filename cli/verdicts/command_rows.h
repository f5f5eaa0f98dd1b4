/* command_rows.h - a page of the rows that a command printed
 *
 * The arguments of a request are those of row_page.h: limit, after, sort, and
 * COLUMN=PATTERN. */
#ifndef CLI_VERDICTS_COMMAND_ROWS_H
#define CLI_VERDICTS_COMMAND_ROWS_H

#include "cli/http/http_message.h"
#include "cli/verdicts/command_runs.h"

enum { COMMAND_ROWS_DEFAULT = 1000, COMMAND_ROWS_MOST = 10000 };

/* Appends the rows of the page, divided by commas. `own`: arguments that are no
 * columns, ended by NULL. */
int command_rows_add(const struct command_output *output,
                     const struct http_request *request,
                     const char *const *own,
                     struct http_response *response,
                     struct err *err);

#endif
