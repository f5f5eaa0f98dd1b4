/* measures.h - metrics that a report shows, besides others of the store */
#ifndef PARSERS_REPORTS_MEASURES_H
#define PARSERS_REPORTS_MEASURES_H

#include <stdbool.h>
#include <stddef.h>

enum report_group {
    REPORT_GROUP_NONE, /* used by plots only */
    REPORT_GROUP_PIPES,
    REPORT_GROUP_MEMORY,
    REPORT_GROUP_STEP, /* how well the ranks were synchronised */
    REPORT_GROUP_RANK, /* of each rank: parts of its duration, tokens of its experts */
};

enum report_measure {
    MEASURE_DURATION, /* the next three are parts of the duration of a rank */
    MEASURE_COMPUTE,
    MEASURE_TRANSFER,
    MEASURE_WAIT,
    MEASURE_WAIT_SHARE, /* the next three are further figures of a rank */
    MEASURE_TOKENS,
    MEASURE_IMBALANCE,
    MEASURE_CUBE_OPERATIONS,
    MEASURE_VECTOR_OPERATIONS,
    MEASURE_READ_KIB,
    MEASURE_WRITTEN_KIB,
    MEASURE_FIRST_SHOWN, /* from here on the table alone names the metrics */
    REPORT_MEASURES = MEASURE_FIRST_SHOWN + 24,
};

struct report_measure_row {
    const char *metric; /* name in the store */
    const char *name;   /* in the report, with its unit */
    enum report_group group;
    double factor; /* value in the report / value in the store */
    unsigned decimals;
};

/* The row of a measure is at its index. */
extern const struct report_measure_row report_measures[REPORT_MEASURES];

/* Returns false when the report does not show the metric. */
bool report_measure_find(const char *metric, size_t *measure);

#endif
