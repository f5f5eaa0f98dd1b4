/* foreign_db.h - reads a database that another program wrote
 *
 * The file is never changed. Columns are chosen by name, because versions of a program
 * add and drop columns: one that the table lacks reads as no value. */
#ifndef LIB_SQLITE_FOREIGN_DB_H
#define LIB_SQLITE_FOREIGN_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/text.h"

struct foreign_db;
struct foreign_row;

/* Returns an error for a file that is no database. */
int foreign_db_open(struct foreign_db **out, const char *path, struct err *err);
void foreign_db_close(struct foreign_db *db); /* NULL is allowed */
const char *foreign_db_path(const struct foreign_db *db);

bool foreign_db_has_table(struct foreign_db *db, const char *table);
bool foreign_db_has_column(struct foreign_db *db,
                           const char *table,
                           const char *column);
/* Adds alias."column", or NULL when the table lacks the column, to a statement. */
void foreign_db_add_column(struct foreign_db *db,
                           struct text *sql,
                           const char *table,
                           const char *alias,
                           const char *column);

/* Returns -1 with err to end the reading. */
typedef int foreign_row_fn(void *arg, const struct foreign_row *row, struct err *err);
int foreign_db_select(struct foreign_db *db,
                      const char *sql,
                      foreign_row_fn *fn,
                      void *arg,
                      struct err *err);

/* Values of the columns of a row, from 0. The functions return false for no value and
 * for a text that is no number. */
bool foreign_row_i64(const struct foreign_row *row, int column, int64_t *value);
bool foreign_row_double(const struct foreign_row *row, int column, double *value);
/* Returns "" for no value. The text is valid until the callback returns. */
const char *foreign_row_text(const struct foreign_row *row, int column);

/* Returns the text of column 1 in the row of `table` whose integer key is `id`, or
 * NULL. The text is valid until the next call. */
const char *foreign_db_lookup(struct foreign_db *db,
                              const char *table,
                              const char *key,
                              const char *column,
                              int64_t id);

#endif
