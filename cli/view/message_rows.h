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

struct message_rows;

/* `for_people` ends with NULL; borrowed, as is the schema. */
struct message_rows *message_rows_create(enum row_output_format format,
                                         const char *schema,
                                         enum message_type type,
                                         const char *const *for_people);
/* A struct of that type. */
void message_rows_add(struct message_rows *rows, const void *message);
int message_rows_finish(struct message_rows **rows, struct err *err);
/* Nothing more is written: the rows are not whole. Always -1. */
int message_rows_drop(struct message_rows **rows);

#endif
