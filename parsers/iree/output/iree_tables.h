/* iree_tables.h - the contents of a dump as tables, which become text, CSV or JSON */
#ifndef PARSERS_IREE_OUTPUT_IREE_TABLES_H
#define PARSERS_IREE_OUTPUT_IREE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/iree/iree_dump.h"
#include "parsers/iree/output/iree_cells.h"

struct iree_column {
    const char *name;
    int width; /* in a printed table; 0: not printed; negative: aligned to the left */
};

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
