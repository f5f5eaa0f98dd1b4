/* gate_fixture.h - a comparison of two nights for each test, with planted changes
 *
 * Each cell has seven repeats a side, the fewest that a family of 48 cells can judge.
 */
#ifndef TESTS_SUPPORT_GATE_FIXTURE_H
#define TESTS_SUPPORT_GATE_FIXTURE_H

#include <math.h>
#include <stdio.h>

#include "lib/base/mem.h"
#include "lib/compare/comparison.h"
#include "lib/gate/gate.h"
#include "tests/support/unit.h"

#define NIGHT_CARDS  6 /* two on each of three hosts */
#define NIGHT_POINTS 4

static struct comparison *comparison;
static struct gate_evidence *evidence;
static struct gate *gate;
static struct gate_rules rules;

struct night_cell {
    const char *point, *kernel, *metric;
    int card; /* negative: the job does not pin its cards; the card is -card - 1 */
    uint64_t rank;
    double base, fresh; /* 0: not measured */
};

static inline int set_up(void **ctx)
{
    (void)ctx;
    comparison = comparison_create(&(struct comparison_settings){
        .metric = "duration_us|" SUSPECT_SIGN_METRICS, .tolerance = 0.02});
    evidence = gate_evidence_create();
    rules = (struct gate_rules){.suspects = {.metric = "duration_us", .canary = ""},
                                .fail = JOB_FAIL_REGRESSED | JOB_FAIL_NOT_MEASURED,
                                .causes = JOB_CAUSE_ALL,
                                .undecided = 0.05};
    return 0;
}

static inline int tear_down(void **ctx)
{
    (void)ctx;
    gate_destroy(gate);
    gate_evidence_destroy(evidence);
    comparison_destroy(comparison);
    gate = NULL;
    return 0;
}

static inline void
add_side(const struct night_cell *cell, enum comparison_side side, double level)
{
    static const double noise[] = {-0.003, -0.002, -0.001, 0, 0.001, 0.002, 0.003};
    int card = cell->card < 0 ? -cell->card - 1 : cell->card;
    char text[64], serial[16], host[16];

    if (cell->card < 0)
        snprintf(text, sizeof(text), "%s", cell->point);
    else
        snprintf(text, sizeof(text), "%s card=%d", cell->point, card);
    snprintf(serial, sizeof(serial), "S%d", card);
    snprintf(host, sizeof(host), "node%d", card / 2);
    for (uint64_t i = 0; i < COUNT(noise); i++) {
        comparison_add_task(comparison, side,
                            &(struct comparison_task){text, i, level > 0});
        if (level > 0)
            comparison_add_figure(
                comparison, side,
                &(struct comparison_figure){.point = text,
                                            .repeat = i,
                                            .rank = cell->rank,
                                            .host = host,
                                            .serial = serial,
                                            .card = card,
                                            .kernel = cell->kernel,
                                            .metric = cell->metric,
                                            .unit = "us",
                                            .value = level * (1 + noise[i])});
    }
}

static inline void add_cell(struct night_cell cell)
{
    cell.kernel = cell.kernel ? cell.kernel : "add";
    cell.metric = cell.metric ? cell.metric : "duration_us";
    add_side(&cell, COMPARISON_BASE, cell.base);
    add_side(&cell, COMPARISON_NEW, cell.fresh);
}

/* Returns the ratio new/base of a point on a card. */
typedef double night_fn(int point, int card);

/* Adds the durations of all points on all cards. Point i has the kernel k<i>. */
static inline void add_night(night_fn *ratio)
{
    for (int point = 0; point < NIGHT_POINTS; point++)
        for (int card = 0; card < NIGHT_CARDS; card++) {
            char name[16], kernel[16];

            snprintf(name, sizeof(name), "m=%d", point);
            snprintf(kernel, sizeof(kernel), "k%d", point);
            add_cell((struct night_cell){.point = name,
                                         .kernel = kernel,
                                         .card = card,
                                         .base = 100,
                                         .fresh = 100 * ratio(point, card)});
        }
}

static inline void judge(void)
{
    comparison_judge(comparison);
    gate = gate_create(comparison, &rules, evidence);
}

#endif
