/* roofline_rows.h - the charts of block 0x0D and their lines for each chip */
#ifndef PARSERS_VISUALIZE_ROOFLINE_ROWS_H
#define PARSERS_VISUALIZE_ROOFLINE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "parsers/metrics/bandwidth_limits.h"
#include "parsers/records/pmu.h"

enum { ROOFLINE_PATHS = 3 };

struct roofline_line {
    const char *name;
    const char *terms;               /* bytes */
    unsigned per_cycle;              /* bytes per core; 0: use the limits of paths */
    enum path paths[ROOFLINE_PATHS]; /* the limit is their mean, ... */
    bool takes_max;                  /* ... or their maximum */
    /* bytes of each path, which weight the mean */
    const char *shares[ROOFLINE_PATHS];
};

enum roofline_chip { ROOFLINE_A2, ROOFLINE_310P, ROOFLINE_A5 };

struct roofline_chart {
    const char *title;
    enum roofline_chip chip;
    enum core_kind kind;
    const struct roofline_line *lines;
    size_t count;
    bool joins; /* its lines belong to the chart before it */
};

const struct roofline_chart *roofline_charts(size_t *count);
/* Returns the terms that the vendor's tool uses for a line: it adds some bytes only
 * after it has drawn the line. */
const char *roofline_terms_of_vendor(const char *terms);

#endif
