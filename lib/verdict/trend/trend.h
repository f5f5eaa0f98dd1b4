/* trend.h - change points, spikes and drift in a series of nights
 *
 * The input is one value per night, such as the median of a point over its cards.
 * Nights without a value are left out, not filled. All changes are natural logarithms.
 * The same series always has the same result. */
#ifndef LIB_VERDICT_TREND_TREND_H
#define LIB_VERDICT_TREND_TREND_H

#include <stdbool.h>
#include <stddef.h>

enum {
    TREND_FEWEST = 10,   /* nights with a value; fewer have no change points */
    TREND_MOST = 10000,  /* newest nights that are judged; older ones are not */
    TREND_CONFIRMED = 5, /* nights on both sides of a confirmed boundary */
};

struct trend_rule {
    double tolerance; /* share: the least drift over the last level (0.02) */
    double smallest; /* share: smaller changes are dropped (0.01); 0: none is dropped */
    double tick;     /* resolution of the values, in their unit; 0: none */
};

struct trend_boundary {
    size_t night;   /* index of the first night of the new level, in the input */
    double change;  /* difference of the mean logarithms of both levels */
    bool confirmed; /* TREND_CONFIRMED nights on both sides; else the date may be off */
    bool forced;    /* known change, given by the caller */
};

struct trend {
    size_t nights; /* nights that were judged */
    double sigma;  /* noise of one night, a logarithm; 0 for fewer than TREND_FEWEST */
    size_t boundary_count, spike_count;
    struct trend_boundary *boundaries; /* by night */
    size_t *spikes;                    /* indices of nights in the input */
    bool drifts;                       /* the last level rises or falls steadily */
    double drift; /* of the last level, over its whole length; 0 when too short */
};

/* Analyses the nights, oldest first. Values that are not positive and finite are nights
 * without a value. `forced` has the indices of nights at which known changes begin, in
 * any order; other levels never reach across them. */
void trend_init(struct trend *trend,
                const double *values,
                size_t count,
                const size_t *forced,
                size_t forced_count,
                const struct trend_rule *rule);
void trend_clear(struct trend *trend);

#endif
