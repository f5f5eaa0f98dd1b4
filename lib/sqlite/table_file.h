/* table_file.h - writes a new database for other programs: tables and rows, no schema
 * version and no lock
 *
 * All rows are in one transaction; closing commits it. A file of this name is replaced.
 */
#ifndef LIB_SQLITE_TABLE_FILE_H
#define LIB_SQLITE_TABLE_FILE_H

#include "lib/base/err.h"

struct table_file;

/* Creates the file beside its final place and executes the statements that create the
 * tables. */
int table_file_create(struct table_file **out,
                      const char *path,
                      const char *tables,
                      struct err *err);
/* Inserts a row. A letter for each value: T text (NULL is no value), D double (NaN is
 * no value), I int64_t. Errors are reported by table_file_finish(). */
void table_file_add(struct table_file *file,
                    const char *table,
                    const char *letters,
                    ...);
/* Commits, puts the file in its place and frees it. */
int table_file_finish(struct table_file *file, struct err *err);

#endif
