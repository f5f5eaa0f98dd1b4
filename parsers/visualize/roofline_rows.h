/* roofline_rows.h - the lines of each view of block 0x0D, by chip */
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
    unsigned per_cycle;              /* bytes of one core; 0: by path */
    enum path paths[ROOFLINE_PATHS]; /* their mean ... */
    bool takes_best;                 /* ... or the largest of them */
    const char
        *shares[ROOFLINE_PATHS]; /* bytes of each, by which the mean is weighed */
};

enum roofline_chip { ROOFLINE_A2, ROOFLINE_310P, ROOFLINE_A5 };

struct roofline_view {
    const char *title;
    enum roofline_chip chip;
    enum core_kind kind;
    const struct roofline_line *lines;
    size_t count;
    bool joins; /* its lines go into the view before it */
};

const struct roofline_view *roofline_views(size_t *count);
/* The terms as the vendor's tool has them at the time it draws the line: it adds some
 * bytes up only after that. */
const char *roofline_terms_of_vendor(const char *terms);

#endif
