/* shift_test.c - false alarms and detections in simulated comparisons */
#include "lib/verdict/shift.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/verdict/cell.h"
#include "tests/support/unit.h"

static uint64_t state;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) / 0x1p53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

enum { FAMILY = 1000, REPEATS = 30 };

struct shares {
    double regressed, same;
};

/* Judges 1,000 independent cells of 10 us, in ticks of 20 ns, without adjustment. */
static struct shares simulate(double noise, size_t n, double change)
{
    static double values[FAMILY][2][REPEATS];
    static struct cell cells[FAMILY];
    const struct verdict_limits limits = {.alpha = 0.01, .discoveries = 1};
    double count[4] = {0};

    for (size_t i = 0; i < FAMILY; i++) {
        for (size_t j = 0; j < n; j++) {
            double old = 10 * exp(noise * normal());
            double new = 10 * (1 + change) * exp(noise * normal());

            values[i][0][j] = rint(old / 0.02) * 0.02;
            values[i][1][j] = rint(new / 0.02) * 0.02;
        }
        cells[i] = (struct cell){.base = values[i][0],
                                 .base_count = n,
                                 .fresh = values[i][1],
                                 .fresh_count = n,
                                 .tolerance = 0.02,
                                 .tick = 0.02,
                                 .alternating = true};
    }
    cells_judge(cells, FAMILY, false, &limits);
    for (size_t i = 0; i < FAMILY; i++)
        count[cells[i].verdict.kind] += 1.0 / FAMILY;
    return (struct shares){count[VERDICT_REGRESSED], count[VERDICT_SAME]};
}

/* The shares are those of another simulation of 1,000 trials; 0.06 is four standard
 * errors of the difference of two such shares. */
static void the_rule_answers_as_often_as_tabled(void **ctx)
{
    static const struct {
        double noise;
        size_t n;
        double change, regressed, same;
    } rows[] = {
        {0.005, 3, 0, 0, 0.94},       {0.005, 3, 0.03, 0, 0},
        {0.005, 7, 0, 0, 1},          {0.005, 7, 0.01, 0, 0.93},
        {0.005, 7, 0.02, 0.56, 0.03}, {0.005, 7, 0.03, 1, 0},
        {0.02, 7, 0, 0.01, 0.12},     {0.02, 7, 0.03, 0.52, 0.01},
        {0.02, 7, 0.05, 0.95, 0},     {0.02, 15, 0, 0.01, 0.61},
        {0.02, 15, 0.03, 0.88, 0},    {0.02, 30, 0.01, 0.03, 0.58},
    };

    (void)ctx;
    state = 88172645463325252u;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct shares shares = simulate(rows[i].noise, rows[i].n, rows[i].change);

        if (fabs(shares.regressed - rows[i].regressed) > 0.06 ||
            fabs(shares.same - rows[i].same) > 0.06)
            fail_msg("noise %g, n %zu, change %g: regressed %.3f, same %.3f",
                     rows[i].noise, rows[i].n, rows[i].change, shares.regressed,
                     shares.same);
    }
}

enum { CELLS = 250, GATES = 40, NIGHTS = 10, RUNS = 7 };

static double noisy_values[CELLS][NIGHTS + 1][RUNS];
static struct cell gate[CELLS];

/* Simulates a gate on equal code: the repeats have a noise of 1 %, and so have the
 * nights. The base is the last `base_nights` nights. */
static void simulate_gate(size_t base_nights)
{
    for (size_t c = 0; c < CELLS; c++) {
        double medians[NIGHTS];

        for (size_t night = 0; night <= NIGHTS; night++) {
            double level = 0.01 * normal(), *values = noisy_values[c][night];

            for (size_t j = 0; j < RUNS; j++)
                values[j] = 100 * exp(level + 0.01 * normal());
            if (night < NIGHTS)
                medians[night] = stats_median(values, RUNS);
        }
        gate[c] = (struct cell){.base = noisy_values[c][NIGHTS - base_nights],
                                .base_count = base_nights * RUNS,
                                .fresh = noisy_values[c][NIGHTS],
                                .fresh_count = RUNS,
                                .tolerance = 0.02,
                                .nights = night_noise_of(medians, NIGHTS, base_nights)};
    }
}

static size_t regressed_cells(void)
{
    size_t regressed = 0;

    cells_judge(gate, CELLS, false, &verdict_limits_default);
    for (size_t c = 0; c < CELLS; c++)
        regressed += gate[c].verdict.kind == VERDICT_REGRESSED;
    return regressed;
}

static void equal_code_is_called_regressed_in_at_most_one_per_cent(void **ctx)
{
    (void)ctx;
    state = 424242;
    for (size_t base_nights = 1; base_nights <= NIGHTS; base_nights += NIGHTS - 1) {
        size_t regressed = 0;

        for (int i = 0; i < GATES; i++) {
            simulate_gate(base_nights);
            regressed += regressed_cells();
        }
        if (regressed * 100 > (size_t)GATES * CELLS)
            fail_msg("%zu of %d cells are regressed with a base of %zu nights",
                     regressed, GATES * CELLS, base_nights);
    }
}

static void without_night_noise_equal_code_would_be_called_regressed(void **ctx)
{
    (void)ctx;
    state = 424242;
    simulate_gate(1);
    for (size_t c = 0; c < CELLS; c++)
        gate[c].alternating = true;
    assert_true(regressed_cells() * 100 > 2 * CELLS);
}

static void pairs_that_are_no_numbers_are_counted(void **ctx)
{
    static const double changes[] = {0.01, NAN, 0.02, INFINITY, 0.03};
    struct shift shift = shift_of_pairs(changes, COUNT(changes));

    (void)ctx;
    assert_int_equal(shift.base_count, 3);
    assert_int_equal(shift.fresh_dropped, 2);
    assert_true(fabs(shift.theta - 0.02) < 1e-15);
    assert_true(isnan(shift.low));
    shift = shift_of_pairs(NULL, 0);
    assert_true(isnan(shift.theta) && isnan(shift.p_worse));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rule_answers_as_often_as_tabled),
        cmocka_unit_test(equal_code_is_called_regressed_in_at_most_one_per_cent),
        cmocka_unit_test(without_night_noise_equal_code_would_be_called_regressed),
        cmocka_unit_test(pairs_that_are_no_numbers_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
