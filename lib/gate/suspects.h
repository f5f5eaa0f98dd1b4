/* suspects.h - cells that seem to have regressed, and the cause of each
 *
 * A suspect is a regressed cell of a metric that the gate judges. When cells decide
 * only together (a point over its cards, a card over its points, the fleet), the cell
 * whose shift is closest to that of the group is the suspect. The cause comes from
 * signs that cost no run: computing times and transfers of the ranks, the table of
 * points and cards, cycles, canary points, hashes of the code and prints of the
 * environment. A confirmation by alternating runs replaces it (gate_confirm()). */
#ifndef LIB_GATE_SUSPECTS_H
#define LIB_GATE_SUSPECTS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/compare/comparison.h"
#include "lib/gate/gang_cause.h"
#include "lib/gate/gate_evidence.h"
#include "lib/verdict/cause/ab_cause.h"

enum suspect_state {
    SUSPECT_OPEN,           /* not confirmed yet */
    SUSPECT_CONFIRMED,      /* slower in fresh runs as well */
    SUSPECT_NOT_REPRODUCED, /* fresh runs show nothing */
    SUSPECT_UNDECIDED,      /* fresh runs did not decide */
    SUSPECT_BASE_GONE,      /* the program of the base does not run any more */
};

struct suspect {
    struct comparison_row cell;       /* point, kernel, card, host, metric, shift ... */
    bool is_group;                    /* the cells of a group decided only together: */
    size_t group_points, group_cards; /* different ones of its cells */
    double group_shift;               /* a natural logarithm */
    enum suspect_state state;
    struct causes causes;
    double size; /* of the first cause, a natural logarithm */
    /* The card of the cause, when it is not the card of the cell; and both ends of a
     * slow link. */
    struct gang_cause gang;
    enum gate_sign code, environment;
    /* Slower in no more clock cycles: clock or power of the card. The memory keeps its
     * clock, so cycles that wait for it become fewer. */
    bool no_more_cycles;
    bool canary_regressed; /* an unchanged kernel is slower on this card too */
    size_t nights_before;  /* nights in a row before this one that show the change */
    char *since;           /* the oldest of them: "night-7 (2026-11-17)"; NULL: none */
};

struct suspect_rules {
    const char *metric; /* patterns of the judged metrics, divided by | */
    const char *canary; /* patterns of points with kernels that never change; "" */
    bool rotated;       /* the job has placements: its points have a `shift` */
};

/* Metrics that give signs; compare them beside those of the rules. */
#define SUSPECT_SIGN_METRICS "aic_cycles_max|aiv_cycles_max|" GANG_CAUSE_METRICS

/* Returns the suspects of a judged comparison, largest shift first; the caller frees
 * the array. `rows` are its cells, sorted by suspects_sort(). */
struct suspect *suspects_find(const struct comparison *comparison,
                              const struct comparison_row *rows,
                              size_t row_count,
                              const struct suspect_rules *rules,
                              const struct gate_evidence *evidence,
                              size_t *count);

/* Returns the cells sorted by kernel, point, metric, rank and card. The caller frees
 * the array. */
struct comparison_row *suspects_sort(const struct comparison *comparison);

/* Returns the cell of another comparison that is this cell, among rows sorted by
 * suspects_sort(), or NULL. */
const struct comparison_row *suspects_find_cell(const struct comparison_row *rows,
                                                size_t count,
                                                const struct comparison_row *cell);

const char *suspect_state_name(enum suspect_state state); /* "open", "confirmed" ... */

#endif
