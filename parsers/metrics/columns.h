/* columns.h - the metric tables of each chip: headers, and how each cell is computed */
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
    COLUMN_SHARE,        /* "terms@event": that part of event / over, as a ratio */
    COLUMN_BANDWIDTH,    /* terms * bytes */
    COLUMN_KILOBYTES,    /* terms * bytes / 1024 */
    COLUMN_USAGE,        /* bandwidth in percent of the path's best */
    COLUMN_ACTIVE,       /* terms * bytes while the cycles of `over` ran */
    COLUMN_QUOTIENT,     /* terms / over */
    COLUMN_PERCENT,      /* 100 * terms / over */
    COLUMN_OPERATIONS,   /* of the vector unit */
    COLUMN_L2_RATE,      /* of the 310P, from its L2 channel */
};

enum column_rows { ALL_ROWS, CUBE_ROWS, VECTOR_ROWS };

struct column {
    const char *name;
    enum column_rows rows; /* NA in all others */
    enum column_kind kind;
    const char *terms;
    const char *over;
    unsigned bytes;
    enum path path;
};

struct column_table {
    const char *name; /* of the metric, and of its file */
    unsigned metric;  /* enum metric_bits */
    const struct column *columns;
    size_t count;
};

/* The seven tables of a chip, in the order of the document. */
enum { COLUMN_TABLES = 7 };
const struct column_table *column_tables(enum chip chip);

struct value column_value(const struct measure *measure,
                          const struct pmu_row *row,
                          const struct column *column);

#endif
