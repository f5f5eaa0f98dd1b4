/* columns.h - the metric tables of each chip: column names and formulas */
#ifndef PARSERS_METRICS_COLUMNS_H
#define PARSERS_METRICS_COLUMNS_H

#include <stddef.h>

#include "parsers/metrics/measure.h"

enum column_kind {
    COLUMN_BLOCK,
    COLUMN_SUB_BLOCK,
    COLUMN_TIME,
    COLUMN_CYCLES,
    COLUMN_COUNT,        /* terms */
    COLUMN_MICROSECONDS, /* terms are cycles */
    COLUMN_RATIO,        /* terms are cycles, over all cycles */
    COLUMN_SHARE,        /* "terms@event": event * terms / over, as a ratio */
    COLUMN_BANDWIDTH,    /* terms * bytes */
    COLUMN_KILOBYTES,    /* terms * bytes / 1024 */
    COLUMN_USAGE,        /* bandwidth in percent of the path's limit */
    COLUMN_ACTIVE,       /* terms * bytes over the time of the cycles `over` */
    COLUMN_QUOTIENT,     /* terms / over */
    COLUMN_PERCENT,      /* 100 * terms / over */
    COLUMN_OPERATIONS,   /* operations of the vector unit */
    COLUMN_L2_RATE,      /* hit rate of the 310P, from its L2 channel */
};

enum column_rows { ALL_ROWS, CUBE_ROWS, VECTOR_ROWS };

struct column {
    const char *name;
    enum column_rows rows; /* NA in the other rows */
    enum column_kind kind;
    const char *terms;
    const char *over;
    unsigned bytes;
    enum path path;
};

struct column_table {
    const char *name; /* of the metric and its file */
    unsigned metric;  /* enum metric_bits */
    const struct column *columns;
    size_t count;
};

enum { COLUMN_TABLES = 7 };
/* Returns the tables of a chip, in the order of the vendor's document. */
const struct column_table *column_tables(enum chip chip);

struct value column_value(const struct measure *measure,
                          const struct pmu_row *row,
                          const struct column *column);

#endif
