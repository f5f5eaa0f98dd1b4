/* cell_test.c - cells and paired changes against examples that were computed separately
 */
#include "lib/verdict/cell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/verdict/margin.h"
#include "tests/support/unit.h"

#define VALUES(...)                                                                    \
    (const double[]){__VA_ARGS__},                                                     \
        sizeof((const double[]){__VA_ARGS__}) / sizeof(double)

#define BASE_5 VALUES(100.00, 100.20, 99.90, 100.10, 100.04)
#define BASE_10                                                                        \
    VALUES(50.00, 50.02, 50.04, 49.98, 50.02, 50.00, 50.06, 50.02, 49.96, 50.04)
#define NIGHTS_BASE VALUES(100.0, 100.2, 99.9, 100.1, 100.3, 99.8, 100.1)

struct example {
    int number;
    const double *base;
    size_t n;
    const double *fresh;
    size_t m;
    double tolerance, h, w;  /* h and w in per cent */
    double theta, low, high; /* per cent, to 3 digits; low 999: no interval */
    double p_worse, p_better;
    enum verdict_kind kind;
    enum verdict_reason reason;
    enum verdict_side leaning, differs;
    size_t more;
};

static const double tick = 0.02;

static double per_cent(double value)
{
    return log1p(value / 100);
}

static void
near(int number, const char *what, double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("example %d: %s is %.9g, not %.9g", number, what, value, expected);
}

static void same(int number, const char *what, long long value, long long expected)
{
    if (value != expected)
        fail_msg("example %d: %s is %lld, not %lld", number, what, value, expected);
}

static void check(const struct example *e)
{
    struct cell cell = {.base = e->base,
                        .base_count = e->n,
                        .fresh = e->fresh,
                        .fresh_count = e->m,
                        .tolerance = e->tolerance,
                        .tick = tick,
                        .alternating = e->h == 0,
                        .nights = {true, 8, 0, per_cent(e->h), per_cent(e->w)}};

    cells_judge(&cell, 1, false, &verdict_limits_default);
    near(e->number, "theta", shift_percent(cell.shift.theta), e->theta, 5.01e-4);
    if (e->low < 999) {
        near(e->number, "low", shift_percent(cell.shift.low), e->low, 5.01e-4);
        near(e->number, "high", shift_percent(cell.shift.high), e->high, 5.01e-4);
    } else {
        same(e->number, "no interval", isnan(cell.shift.low) && isnan(cell.shift.high),
             1);
    }
    near(e->number, "p_worse", cell.shift.p_worse, e->p_worse, 1e-15);
    near(e->number, "p_better", cell.shift.p_better, e->p_better, 1e-15);
    same(e->number, "kind", cell.verdict.kind, e->kind);
    same(e->number, "reason", cell.verdict.reason, e->reason);
    same(e->number, "leaning", cell.verdict.leaning, e->leaning);
    same(e->number, "differs", cell.verdict.differs, e->differs);
    same(e->number, "more", (long long)cell.verdict.more.more, (long long)e->more);
}

static void worked_examples_have_their_printed_figures(void **ctx)
{
    const struct example examples[] = {
        {1, VALUES(100.02, 100.10, 99.96), VALUES(105.00, 105.12, 104.94), 0.02, 0, 0,
         4.982, 4.835, 5.162, 1 / 20.0, 1, VERDICT_INCONCLUSIVE, REASON_SPREAD,
         SIDE_WORSE, SIDE_NONE, 2},
        {2, VALUES(100.02, 100.10, 99.96), VALUES(100.06, 100.00, 100.14), 0.02, 0, 0,
         0.040, -0.100, 0.180, 7 / 20.0, 4 / 5.0, VERDICT_SAME, REASON_NONE, SIDE_NONE,
         SIDE_NONE, 0},
        {3, BASE_5, VALUES(103.00, 103.30, 102.90, 103.10, 103.12), 0.02, 0, 0, 3.017,
         2.894, 3.203, 1 / 252.0, 1, VERDICT_REGRESSED, REASON_NONE, SIDE_NONE,
         SIDE_WORSE, 0},
        {4, BASE_5, VALUES(100.12, 140.00, 99.94, 100.08, 100.16), 0.02, 0, 0, 0.080,
         -0.080, 39.721, 53 / 252.0, 71 / 84.0, VERDICT_INCONCLUSIVE, REASON_SPREAD,
         SIDE_NONE, SIDE_NONE, 1},
        {5, VALUES(100.00, 100.20, 99.90, 100.10, 100.04, 99.96),
         VALUES(100.12, 140.00, 99.94, 100.08, 100.16, 100.02), 0.02, 0, 0, 0.070,
         -0.060, 0.220, 13 / 66.0, 71 / 84.0, VERDICT_SAME, REASON_NONE, SIDE_NONE,
         SIDE_NONE, 0},
        {6, VALUES(10.00, 10.00, 10.02, 10.02, 10.02),
         VALUES(10.02, 10.02, 10.04, 10.04, 10.04), 0.02, 0, 0, 0.200, 0.000, 0.400,
         5 / 126.0, 1, VERDICT_SAME, REASON_NONE, SIDE_NONE, SIDE_NONE, 0},
        {7, VALUES(0.80, 0.80, 0.80, 0.80, 0.80), VALUES(0.82, 0.82, 0.82, 0.82, 0.82),
         0.02, 0, 0, 2.500, 2.500, 2.500, 1 / 252.0, 1, VERDICT_SAME, REASON_NONE,
         SIDE_NONE, SIDE_WORSE, 0},
        {8, VALUES(0.80, 0.80, 0.80, 0.80, 0.80), VALUES(0.86, 0.86, 0.86, 0.86, 0.86),
         0.02, 0, 0, 7.500, 7.500, 7.500, 1 / 252.0, 1, VERDICT_REGRESSED, REASON_NONE,
         SIDE_NONE, SIDE_WORSE, 0},
        {9, BASE_10,
         VALUES(50.38, 50.42, 50.40, 50.44, 50.36, 50.40, 50.46, 50.42, 50.38, 50.40),
         0.02, 0, 0, 0.780, 0.720, 0.840, 1 / 184756.0, 1, VERDICT_SAME, REASON_NONE,
         SIDE_NONE, SIDE_WORSE, 0},
        {10, VALUES(50.00, 50.02, 50.04, 49.98, 50.02, 50.00, 50.06),
         VALUES(47.00, 47.10, 46.90, 47.02, 47.04, 46.98, 47.20), 0.02, 0, 0, -5.998,
         -6.078, -5.838, 1, 1 / 3432.0, VERDICT_IMPROVED, REASON_NONE, SIDE_NONE,
         SIDE_BETTER, 0},
        {11, VALUES(100, 104, 97, 111, 99, 102, 108, 96, 103, 100),
         VALUES(103, 101, 112, 99, 106, 104, 98, 110, 105, 102), 0.02, 0, 0, 2.000,
         -1.010, 6.000, 7041 / 46189.0, 39544 / 46189.0, VERDICT_INCONCLUSIVE,
         REASON_SPREAD, SIDE_WORSE, SIDE_NONE, 0},
        {12, VALUES(20.00, 20.02, 20.04, 20.02, 20.00),
         VALUES(20.30, 20.34, 20.62, 20.66, 20.32), 0.02, 0, 0, 1.600, 1.497, 3.100,
         1 / 252.0, 1, VERDICT_INCONCLUSIVE, REASON_SPREAD, SIDE_NONE, SIDE_WORSE, 1},
        {13, VALUES(100, 101), VALUES(110, 111), 0.02, 0, 0, 9.950, 999, 999, 1 / 6.0,
         1, VERDICT_INCONCLUSIVE, REASON_FEW, SIDE_WORSE, SIDE_NONE, 3},
        {14,
         VALUES(30.00, 30.06, 30.02, 30.10, 29.96, 30.08, 30.02, 30.04, 29.98, 30.12,
                30.00, 30.06, 30.04, 29.94, 30.02),
         VALUES(30.92, 30.98, 30.88, 31.02, 30.94), 0.02, 0, 0, 3.065, 2.865, 3.204,
         1 / 15504.0, 1, VERDICT_REGRESSED, REASON_NONE, SIDE_NONE, SIDE_WORSE, 0},
        {15, VALUES(20.00, 20.02, 20.04, 20.02, 20.00, 20.06, 20.02),
         VALUES(20.02, 20.02, 20.02, 20.02, 20.02, 20.02, 20.02), 0.02, 0, 0, 0.000,
         -0.100, 0.100, 153 / 286.0, 153 / 286.0, VERDICT_SAME, REASON_NONE, SIDE_NONE,
         SIDE_NONE, 0},
        {16, NIGHTS_BASE, VALUES(105.1, 105.3, 104.9, 105.0, 105.2, 104.8, 105.1), 0.02,
         8.760, 5.450, 4.995, 4.795, 5.195, 1 / 3432.0, 1, VERDICT_INCONCLUSIVE,
         REASON_NIGHTS, SIDE_WORSE, SIDE_WORSE, 0},
        {17, NIGHTS_BASE, VALUES(100.3, 100.5, 100.2, 100.4, 100.6, 100.1, 100.3), 0.01,
         0.934, 0.606, 0.300, 0.100, 0.500, 7 / 858.0, 1711 / 1716.0,
         VERDICT_INCONCLUSIVE, REASON_NIGHTS, SIDE_NONE, SIDE_WORSE, 0},
        {18, NIGHTS_BASE, VALUES(100.3, 100.5, 100.2, 100.4, 100.6, 100.1, 100.3), 0.02,
         0.934, 0.606, 0.300, 0.100, 0.500, 7 / 858.0, 1711 / 1716.0, VERDICT_SAME,
         REASON_NONE, SIDE_NONE, SIDE_WORSE, 0},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(examples); i++)
        check(&examples[i]);
}

static void too_noisy_values_get_a_tolerance_instead_of_repeats(void **ctx)
{
    const double base[] = {100, 104, 97, 111, 99, 102, 108, 96, 103, 100};
    const double fresh[] = {103, 101, 112, 99, 106, 104, 98, 110, 105, 102};
    struct cell cell = {.base = base,
                        .base_count = 10,
                        .fresh = fresh,
                        .fresh_count = 10,
                        .tolerance = 0.02,
                        .tick = tick,
                        .alternating = true};

    (void)ctx;
    cells_judge(&cell, 1, false, &verdict_limits_default);
    assert_int_equal(cell.verdict.more.more, 0);
    assert_int_equal(cell.verdict.more.repeats, 30);
    near(11, "tolerance", shift_percent(cell.verdict.more.tolerance), 4.9, 0.05);
}

static void paired_examples_have_their_printed_figures(void **ctx)
{
    static const struct {
        int number;
        double changes[8]; /* per cent */
        size_t count;
        double theta, low, high, p_worse;
        enum verdict_kind kind;
    } examples[] = {
        {19,
         {3.1, 2.8, 3.4, 2.9, 3.3, 3.0},
         6,
         3.100,
         2.900,
         3.300,
         1 / 64.0,
         VERDICT_INCONCLUSIVE},
        {20,
         {3.1, 2.8, 3.4, 2.9, 3.3, 3.0, 2.7, 3.2},
         8,
         3.050,
         2.850,
         3.250,
         1 / 256.0,
         VERDICT_REGRESSED},
        {21,
         {3.1, 2.8, 3.4, 2.9, 3.3, 3.0, -0.4, 3.2},
         8,
         3.050,
         1.384,
         3.250,
         1 / 128.0,
         VERDICT_REGRESSED},
        {22,
         {3.1, 2.8, 3.4, 2.9, 3.3, -0.2, -0.4, 3.2},
         8,
         2.925,
         1.289,
         3.250,
         5 / 256.0,
         VERDICT_INCONCLUSIVE},
        {23,
         {0.2, -0.1, 0.3, -0.3, 0.1, 0.0, -0.2, 0.4},
         8,
         0.050,
         -0.150,
         0.250,
         13 / 32.0,
         VERDICT_SAME},
        {24,
         {2.600, 3.095, 2.207, 2.794, 3.480, 2.411, 3.006, 2.708},
         8,
         2.773,
         2.500,
         3.093,
         1 / 256.0,
         VERDICT_REGRESSED},
    };
    struct margin margin = margin_of(0.02, 0, 100, NULL);

    (void)ctx;
    for (size_t i = 0; i < COUNT(examples); i++) {
        double changes[8];

        for (size_t j = 0; j < 8; j++)
            changes[j] = per_cent(examples[i].changes[j]);
        struct shift shift = shift_of_pairs(changes, examples[i].count);
        struct verdict verdict = verdict_judge(&shift, &margin, &verdict_limits_default,
                                               shift.p_worse, shift.p_better);
        int number = examples[i].number;
        near(number, "theta", shift_percent(shift.theta), examples[i].theta, 5.01e-4);
        near(number, "low", shift_percent(shift.low), examples[i].low, 5.01e-4);
        near(number, "high", shift_percent(shift.high), examples[i].high, 5.01e-4);
        near(number, "p", shift.p_worse, examples[i].p_worse, 1e-15);
        same(number, "kind", verdict.kind, examples[i].kind);
        same(number, "more", (long long)verdict.more.more,
             examples[i].kind == VERDICT_INCONCLUSIVE);
    }
}

/* Alone 1/252 is proof; adjusted among 20 cells it is 20/252 = 0.079. */
static void a_family_needs_more_than_a_cell(void **ctx)
{
    const double base[] = {100, 100.1, 99.9, 100.2, 99.8};
    const double slow[] = {105, 105.1, 104.9, 105.2, 104.8};
    struct cell cells[20];

    (void)ctx;
    for (size_t i = 0; i < COUNT(cells); i++)
        cells[i] = (struct cell){.base = base,
                                 .base_count = 5,
                                 .fresh = base,
                                 .fresh_count = 5,
                                 .tolerance = 0.02,
                                 .alternating = true};
    cells[7].fresh = slow;
    cells_judge(cells, COUNT(cells), false, &verdict_limits_default);
    assert_int_equal(cells[7].verdict.kind, VERDICT_INCONCLUSIVE);
    assert_int_equal(cells[7].verdict.reason, REASON_FAMILY);
    assert_int_equal(cells[7].verdict.leaning, SIDE_WORSE);
    near(0, "adjusted", cells[7].p_worse_adjusted, 20 / 252.0, 1e-15);
    assert_int_equal(cells[0].verdict.kind, VERDICT_SAME);
    cells_judge(&cells[7], 1, false, &verdict_limits_default);
    assert_int_equal(cells[7].verdict.kind, VERDICT_REGRESSED);
}

static void cells_without_values_do_not_weaken_the_family(void **ctx)
{
    const double base[] = {100, 100.1, 99.9, 100.2, 99.8};
    const double slow[] = {105, 105.1, 104.9, 105.2, 104.8};
    struct cell cells[20];

    (void)ctx;
    for (size_t i = 0; i < COUNT(cells); i++)
        cells[i] = (struct cell){.base = base, .base_count = 5, .tolerance = 0.02};
    cells[7].fresh = slow;
    cells[7].fresh_count = 5;
    cells[8].fresh = slow;
    cells[8].fresh_count = 5;
    cells[8].measured_otherwise = true;
    cells_judge(cells, COUNT(cells), false, &verdict_limits_default);
    assert_int_equal(cells[7].verdict.kind, VERDICT_REGRESSED);
    assert_true(cells[7].verdict.nights_unknown);
    assert_int_equal(cells[8].verdict.reason, REASON_MEASURED_OTHERWISE);
    assert_true(isnan(cells[8].p_worse_adjusted));
    assert_int_equal(cells[0].verdict.reason, REASON_NOT_MEASURED);
}

static void less_is_worse_where_more_is_better(void **ctx)
{
    const double base[] = {100, 100.1, 99.9, 100.2, 99.8};
    const double less[] = {95, 95.1, 94.9, 95.2, 94.8};
    struct cell cell = {.base = base,
                        .base_count = 5,
                        .fresh = less,
                        .fresh_count = 5,
                        .tolerance = 0.02,
                        .alternating = true};

    (void)ctx;
    cells_judge(&cell, 1, true, &verdict_limits_default);
    assert_int_equal(cell.verdict.kind, VERDICT_REGRESSED);
    near(0, "theta", cell.shift.theta, -log(0.95), 1e-9);
    near(0, "p", cell.shift.p_worse, 1 / 252.0, 1e-15);
    cells_judge(&cell, 1, false, &verdict_limits_default);
    assert_int_equal(cell.verdict.kind, VERDICT_IMPROVED);
}

static void a_shift_of_exactly_the_margin_counts(void **ctx)
{
    const double base[] = {100, 100, 100, 100, 100},
                 fresh[] = {102, 102, 102, 102, 102};
    struct cell cell = {.base = base,
                        .base_count = 5,
                        .fresh = fresh,
                        .fresh_count = 5,
                        .tolerance = 0.02,
                        .alternating = true};

    (void)ctx;
    cells_judge(&cell, 1, false, &verdict_limits_default);
    assert_int_equal(cell.verdict.kind, VERDICT_REGRESSED);
    cell.base = fresh;
    cell.fresh = base;
    cells_judge(&cell, 1, false, &verdict_limits_default);
    assert_int_equal(cell.verdict.kind, VERDICT_IMPROVED);
}

static void numbers_from_outside_have_defined_verdicts(void **ctx)
{
    const double good[] = {100, 101, 99, 100, 100}, zeros[] = {0, 0, 0, 0, 0};
    const double bad[] = {NAN, INFINITY, -INFINITY, 0, -5};
    const double mixed[] = {100, NAN, 101, 99, -1}, few[] = {100, NAN};
    const double huge[] = {1e308, 1.1e308, 9e307, 1e308, 1e308};
    const double tiny[] = {5e-324, 5e-324, 5e-324, 5e-324, 5e-324};
    const struct {
        const double *base, *fresh;
        size_t n, m;
        enum verdict_kind kind;
        enum verdict_reason reason;
    } cases[] = {
        {good, bad, 5, 5, VERDICT_INCONCLUSIVE, REASON_NOT_MEASURED},
        {bad, bad, 5, 5, VERDICT_INCONCLUSIVE, REASON_NOT_MEASURED},
        {NULL, NULL, 0, 0, VERDICT_INCONCLUSIVE, REASON_NOT_MEASURED},
        {good, NULL, 5, 0, VERDICT_INCONCLUSIVE, REASON_NOT_MEASURED},
        {good, few, 5, 2, VERDICT_INCONCLUSIVE, REASON_NOT_MEASURED},
        {good, mixed, 5, 5, VERDICT_SAME, REASON_NONE},
        {zeros, zeros, 5, 5, VERDICT_SAME, REASON_NONE},
        {zeros, zeros, 5, 2, VERDICT_INCONCLUSIVE, REASON_FEW},
        {zeros, good, 5, 5, VERDICT_INCONCLUSIVE, REASON_NOT_MEASURED},
        {good, huge, 5, 5, VERDICT_REGRESSED, REASON_NONE},
        {huge, tiny, 5, 5, VERDICT_IMPROVED, REASON_NONE},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cell cell = {.base = cases[i].base,
                            .base_count = cases[i].n,
                            .fresh = cases[i].fresh,
                            .fresh_count = cases[i].m,
                            .tolerance = 0.025,
                            .tick = tick,
                            .alternating = true};

        cells_judge(&cell, 1, false, &verdict_limits_default);
        same((int)i, "kind", cell.verdict.kind, cases[i].kind);
        same((int)i, "reason", cell.verdict.reason, cases[i].reason);
    }
    cells_judge(NULL, 0, false, &verdict_limits_default);
}

static void many_values_are_compared_without_exact_tables(void **ctx)
{
    enum { MANY = 200000 };
    double *values = xcalloc(2 * MANY, sizeof(*values));

    (void)ctx;
    for (size_t i = 0; i < 2 * MANY; i++)
        values[i] = 100 + (double)(i % 1000) / 1000 + (i < MANY ? 0 : 5);
    struct cell cell = {.base = values,
                        .base_count = MANY,
                        .fresh = values + MANY,
                        .fresh_count = MANY,
                        .tolerance = 0.02,
                        .alternating = true};
    cells_judge(&cell, 1, false, &verdict_limits_default);
    assert_int_equal(cell.verdict.kind, VERDICT_REGRESSED);
    near(0, "theta", shift_percent(cell.shift.theta), 4.975, 0.002);
    free(values);
}

/* Stragglers of 40 % on one side: so many and no more. */
static void same_survives_the_tabled_number_of_stragglers(void **ctx)
{
    static const struct {
        size_t n, stragglers;
    } rows[] = {{3, 0}, {4, 0}, {5, 0}, {6, 1}, {7, 1}, {8, 1}, {10, 2}, {12, 3}};

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t extra = 0; extra < 2; extra++) {
            double base[12], fresh[12];

            for (size_t j = 0; j < rows[i].n; j++) {
                base[j] = 100 + 0.01 * (double)j;
                fresh[j] = 100.005 + 0.01 * (double)j;
                if (j < rows[i].stragglers + extra)
                    fresh[j] = 140;
            }
            struct cell cell = {.base = base,
                                .base_count = rows[i].n,
                                .fresh = fresh,
                                .fresh_count = rows[i].n,
                                .tolerance = 0.02,
                                .alternating = true};
            cells_judge(&cell, 1, false, &verdict_limits_default);
            same((int)rows[i].n, "verdict", cell.verdict.kind,
                 extra ? VERDICT_INCONCLUSIVE : VERDICT_SAME);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_examples_have_their_printed_figures),
        cmocka_unit_test(too_noisy_values_get_a_tolerance_instead_of_repeats),
        cmocka_unit_test(paired_examples_have_their_printed_figures),
        cmocka_unit_test(a_family_needs_more_than_a_cell),
        cmocka_unit_test(cells_without_values_do_not_weaken_the_family),
        cmocka_unit_test(less_is_worse_where_more_is_better),
        cmocka_unit_test(a_shift_of_exactly_the_margin_counts),
        cmocka_unit_test(numbers_from_outside_have_defined_verdicts),
        cmocka_unit_test(many_values_are_compared_without_exact_tables),
        cmocka_unit_test(same_survives_the_tabled_number_of_stragglers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
