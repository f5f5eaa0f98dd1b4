/* iree_tables.h - the contents of a dump as tables, which become text, CSV or JSON */
#ifndef PARSERS_IREE_OUTPUT_IREE_TABLES_H
#define PARSERS_IREE_OUTPUT_IREE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/iree/iree_dump.h"

enum iree_cell_kind {
    IREE_CELL_NONE, /* unknown, or does not apply */
    IREE_CELL_COUNT,
    IREE_CELL_WIDE, /* a number that may exceed 2^53: a text in JSON */
    IREE_CELL_HEX,  /* an address */
    IREE_CELL_REAL,
    IREE_CELL_BOOL,
    IREE_CELL_TEXT, /* `bytes` bytes, not NUL-terminated */
};

struct iree_cell {
    enum iree_cell_kind kind;
    uint64_t number;
    double real;
    const char *text;
    size_t bytes;
};

struct iree_column {
    const char *name;
    int width; /* in a printed table; 0: not printed; negative: aligned to the left */
};

enum { IREE_COLUMNS_MAX = 24 };

/* Gets one row with a cell per column. Returns false to stop. */
typedef bool iree_row_fn(const struct iree_cell *cells, void *arg);

struct iree_table {
    const char *name;
    bool is_printed; /* by `muster inspect` */
    const struct iree_column *columns;
    size_t count;
    void (*each)(const struct iree_dump *dump, iree_row_fn *fn, void *arg);
};

/* All tables. The last one has no name. */
extern const struct iree_table iree_tables[];

bool iree_table_has_rows(const struct iree_table *table, const struct iree_dump *dump);

#endif
