/* message_rows.h - prints messages as rows on stdout
 *
 * The machine-readable formats have all fields of the message, named as on the wire,
 * and then the additional columns. The text format has the fields that the command
 * selects, and formats times as dates. A value that does not apply (the card of a task
 * that never ran) is "-" in text, null in JSON and empty in CSV.
 */
#ifndef CLI_VIEW_MESSAGE_ROWS_H
#define CLI_VIEW_MESSAGE_ROWS_H

#include "cli/view/row_output.h"
#include "lib/base/err.h"
#include "lib/wire/messages.h"

struct message_rows;

enum { MESSAGE_ROWS_COLUMNS = 128 }; /* at most */

/* Returns the name of the schema of these rows, which ends in its version. */
const char *message_rows_schema(enum message_type type);

/* `text_fields` are the columns of the text format, ended by NULL; NULL: all fields. It
 * is borrowed. */
struct message_rows *message_rows_create(enum row_output_format format,
                                         enum message_type type,
                                         const char *const *text_fields);
/* Lets lines of the text format be wider than the terminal. Otherwise long texts lose
 * their middle, and columns are left out with a note that ends in `hint`, or in the
 * formats that have all columns. Call one of these before the first row. */
void message_rows_set_wide(struct message_rows *rows);
void message_rows_set_hint(struct message_rows *rows, const char *hint);
/* Adds a column of texts, before the first row. The text format has the column where
 * `text_fields` contains its name, else at the end. */
void message_rows_add_column(struct message_rows *rows, const char *name);
/* Adds a row; `message` is a struct of the type. */
void message_rows_add(struct message_rows *rows, const void *message);
/* The same with the values of the additional columns, in their order; NULL: none.
 * `without` names fields that do not apply to this row, and ends with NULL. */
void message_rows_add_more(struct message_rows *rows,
                           const void *message,
                           const char *const *values,
                           const char *const *without);
/* Returns the number of columns of the rows. No column can be added afterwards. They
 * are valid until the rows are destroyed. */
size_t message_rows_columns(struct message_rows *rows,
                            const struct row_output_column **columns);
/* Sets a cell for each column of a machine-readable format instead of printing the row.
 * Texts are borrowed from the row. */
void message_rows_cells(struct message_rows *rows,
                        const void *message,
                        const char *const *values,
                        const char *const *without,
                        struct cell *cells);
int message_rows_finish(struct message_rows **rows, struct err *err);
/* Destroys the rows without further output, after an error. Always returns -1. */
int message_rows_destroy(struct message_rows **rows);

#endif
