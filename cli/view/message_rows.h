/* message_rows.h - messages as rows on stdout: the columns come from the message's own
 * fields
 *
 * For machines all fields are there, named as on the wire. For people a verb names the
 * few that fit on a screen, and times are dates. */
#ifndef CLI_VIEW_MESSAGE_ROWS_H
#define CLI_VIEW_MESSAGE_ROWS_H

#include "cli/view/row_output.h"
#include "lib/base/err.h"
#include "lib/wire/messages.h"

struct rows;

/* `for_people` ends with NULL; borrowed, as is the schema. */
struct rows *rows_create(enum output_format format,
                         const char *schema,
                         enum message_type type,
                         const char *const *for_people);
/* A struct of that type. */
void rows_add(struct rows *rows, const void *message);
int rows_finish(struct rows **rows, struct err *err);
/* Nothing more is written: the rows are not whole. Always -1. */
int rows_drop(struct rows **rows);

#endif
