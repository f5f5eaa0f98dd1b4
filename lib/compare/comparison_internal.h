/* comparison_internal.h - the cells of a comparison; figures are added, then judged,
 * then read as rows */
#ifndef LIB_COMPARE_COMPARISON_INTERNAL_H
#define LIB_COMPARE_COMPARISON_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/names.h"
#include "lib/compare/asked_tasks.h"
#include "lib/compare/cell_identities.h"
#include "lib/compare/cell_values.h"
#include "lib/compare/comparison.h"
#include "lib/compare/disturbed.h"
#include "lib/compare/figure.h"
#include "lib/verdict/cell.h"

/* The card that all new figures of a cell come from. */
struct placement {
    const char *serial, *host; /* NULL: no figure; "": several cards */
};

/* The texts belong to the figure keys. */
struct compared {
    const char *point, *task_point, *kernel, *metric, *unit, *card, *host;
    uint64_t rank;
    struct figure_numbers numbers;
    struct repeat_values sides[2];
    size_t left_out[2];    /* repeats of each side */
    uint32_t methods[2];   /* of each side; 0: unknown */
    uint32_t other_method; /* of nights that were left out for their method; 0: none */
    struct repeat_values nights; /* of the base; those of a baseline are its side */
    double *night_medians;
    struct placement placement;
    struct comparison_rule rule;
    struct cell cell;
    enum comparison_outcome outcome;
    size_t missing;
    char *reason;           /* NULL: that of the verdict */
    const char *quarantine; /* "": none */
};

struct comparison {
    char *metric;
    struct comparison_settings settings;
    struct figure_keys *keys;
    struct cell_identities *index; /* the number is that of the cell */
    struct arena *memory;          /* of the cells */
    struct compared **cells;
    size_t count, room;
    struct asked_tasks *asked;
    struct disturbed *disturbed;
    /* The cells that the new job measured, on any card: they distinguish a card that
     * is gone from a missing figure. The point is that of the task. */
    struct cell_identities *measured;
    struct names *methods;
    uint32_t last_method;
    const char *last_text;   /* that gave it, in this job only; NULL: none */
    const char *last_metric; /* of a figure that is compared; NULL: none */
    size_t night;            /* number of the present night; 0: none */
    uint64_t night_job_id;
    size_t totals[OUTCOME_COUNT];
    size_t quarantined;
    size_t missing;
};

/* Names a figure by everything except its card. */
struct cell_identity comparison_without_card(const struct compared *cell);
bool comparison_methods_differ(const struct comparison *comparison,
                               uint32_t base,
                               uint32_t fresh);

/* Returns true when both sides have figures. */
static inline bool comparison_has_both(const struct compared *cell)
{
    return cell->cell.base_count > 0 && cell->cell.fresh_count > 0;
}

#endif
