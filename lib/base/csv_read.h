/* csv_read.h - reads CSV row by row and finds columns by the names in its header
 *
 * Accepts quoted fields ("" is a quote, a field may span lines), LF and CRLF, a byte
 * order mark, a comma after the last field, and TABs around a field (some tools write
 * them so that spreadsheets do not round ids). Columns may come in any order; unknown
 * columns are skipped. Memory does not grow with the input. The text of an error is
 * `name:line:column name: reason`. */
#ifndef LIB_BASE_CSV_READ_H
#define LIB_BASE_CSV_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

enum {
    CSV_COLUMNS_MAX = 1024,
    CSV_ROW_MAX = 1 << 20, /* bytes */
};

enum csv_kind { CSV_TEXT, CSV_U64, CSV_I64, CSV_DOUBLE };

struct csv_column {
    const char *name;
    enum csv_kind kind;
    bool optional; /* may be missing in the header; then there is no value */
};

/* Values come in the order of the requested columns; valid until the callback returns.
 */
struct csv_value {
    bool there;       /* false for an empty cell, and for NA and N/A in a number */
    const char *text; /* of every kind; NUL-terminated, "" without a value */
    union {
        uint64_t u64;
        int64_t i64;
        double f64;
    };
};

/* Gets one row that starts at `line`. Returns -1 with err to stop reading. */
typedef int
csv_row_fn(void *arg, const struct csv_value *values, uint64_t line, struct err *err);

int csv_read_fd(const char *name,
                int fd,
                const struct csv_column *columns,
                size_t count,
                csv_row_fn *fn,
                void *arg,
                struct err *err);
int csv_read_file(const char *path,
                  const struct csv_column *columns,
                  size_t count,
                  csv_row_fn *fn,
                  void *arg,
                  struct err *err);
int csv_read_memory(const char *name,
                    const void *bytes,
                    size_t size,
                    const struct csv_column *columns,
                    size_t count,
                    csv_row_fn *fn,
                    void *arg,
                    struct err *err);

/* Gets a row that could not be read; `reason` is `name:line:column name: reason`. */
typedef void csv_bad_row_fn(void *arg, const char *reason);

/* Reads a file and passes damaged rows to `bad`, instead of ending at the first one. A
 * damaged row costs one line, also when a closing quote is missing. A damaged header
 * and a row without a line end within CSV_ROW_MAX end the reading. */
int csv_read_good_rows(const char *path,
                       const struct csv_column *columns,
                       size_t count,
                       csv_row_fn *fn,
                       csv_bad_row_fn *bad,
                       void *arg,
                       struct err *err);

#endif
