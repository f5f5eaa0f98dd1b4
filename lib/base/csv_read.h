/* csv_read.h - CSV by the names of its header, a row at a time
 *
 * Understood: quoted fields ("" is a quote, a field may span lines), LF and CRLF, a
 * byte order mark, a comma behind the last field, TABs around a field (which keep
 * spreadsheets from rounding ids). Columns may stand in any order; others are skipped.
 * Memory does not depend on the size of the input. Errors read
 * `name:line:column name: what`. */
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
    bool optional; /* may be missing in the header; then no value is there */
};

/* In the order of the columns asked for; good until the callback returns. */
struct csv_value {
    bool there;       /* of a number: not empty, NA or N/A; of a text: not empty */
    const char *text; /* NUL-terminated, "" when not there; of every kind */
    union {
        uint64_t u64;
        int64_t i64;
        double f64;
    };
};

/* A row; `line` is where it starts. -1 with err ends the reading. */
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

#endif
