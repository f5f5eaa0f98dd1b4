#include "lib/verdict/trend/trend.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static const struct trend_rule rule = {.tolerance = 0.02,
                                       .smallest = 0.01,
                                       .tick = 0.02};
static const double pattern[] = {.1, -.2, 0, .2, -.1};

struct level {
    size_t nights;
    double value;
};

struct expected {
    size_t night;
    double change; /* per cent */
    bool confirmed;
};

static size_t fill(double *values, const struct level *levels, double noise)
{
    size_t count = 0;

    for (; levels->nights; levels++)
        for (size_t i = 0; i < levels->nights; i++, count++)
            values[count] = levels->value + noise * pattern[count % 5];
    return count;
}

static void check(char name,
                  const double *values,
                  size_t count,
                  const struct expected *boundaries,
                  size_t boundary_count,
                  size_t spike_count,
                  bool drifts)
{
    struct trend trend;

    trend_init(&trend, values, count, NULL, 0, &rule);
    if (trend.boundary_count != boundary_count || trend.spike_count != spike_count ||
        trend.drifts != drifts)
        fail_msg("series %c: %zu boundaries, %zu spikes, drifts %d (%g)", name,
                 trend.boundary_count, trend.spike_count, trend.drifts, trend.drift);
    for (size_t i = 0; i < boundary_count; i++) {
        const struct trend_boundary *found = &trend.boundaries[i];
        double change = 100 * expm1(found->change);

        if (found->night != boundaries[i].night ||
            fabs(change - boundaries[i].change) > 5.01e-4 ||
            found->confirmed != boundaries[i].confirmed || found->forced)
            fail_msg("series %c: night %zu, change %.6f, confirmed %d", name,
                     found->night, change, found->confirmed);
    }
    trend_clear(&trend);
}

static void known_series_have_their_boundaries(void **ctx)
{
    static const struct {
        char name;
        struct level levels[4];
        double noise;
        struct expected boundaries[2];
        size_t boundary_count;
    } series[] = {
        {'A', {{15, 100}, {15, 103}}, 1, {{15, 3.000, true}}, 1},
        {'C',
         {{12, 100}, {8, 104}, {12, 100}},
         1,
         {{12, 4.021, true}, {20, -3.866, true}},
         2},
        {'E', {{27, 100}, {3, 103}}, 1, {{27, 3.037, false}}, 1},
        {'F', {{28, 100}, {2, 103}}, 1, {{27, 2.027, false}}, 1},
        {'G', {{20, 100}, {20, 100.5}}, 1, {{0, 0, false}}, 0},
        {'I', {{18, 20.00}, {12, 20.02}}, 0, {{0, 0, false}}, 0},
        {'J', {{18, 20.00}, {12, 20.40}}, 0, {{18, 2.000, true}}, 1},
        {'K',
         {{20, 100}, {20, 102}, {20, 105}},
         1,
         {{20, 2.000, true}, {40, 2.941, true}},
         2},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(series); i++) {
        double values[64];
        size_t count = fill(values, series[i].levels, series[i].noise);

        check(series[i].name, values, count, series[i].boundaries,
              series[i].boundary_count, 0, false);
    }
}

static void single_and_double_nights_are_spikes(void **ctx)
{
    static const struct level quiet[] = {{30, 100}, {0, 0}};
    double values[30];
    struct trend trend;

    (void)ctx;
    fill(values, quiet, 1);
    values[12] = 140; /* series B */
    check('B', values, 30, NULL, 0, 1, false);
    fill(values, quiet, 1);
    values[12] = values[13] = 110; /* series H */
    check('H', values, 30, NULL, 0, 2, false);
    trend_init(&trend, values, 30, NULL, 0, &rule);
    assert_int_equal(trend.spikes[0], 12);
    assert_int_equal(trend.spikes[1], 13);
    trend_clear(&trend);
}

/* Series D: 0.1 per night. Its last level of 17 nights rises by 1.7 %. */
static void a_steady_rise_is_drift(void **ctx)
{
    static const struct expected boundary = {13, 1.504, true};
    const struct trend_rule strict = {
        .tolerance = 0.015, .smallest = 0.01, .tick = 0.02};
    double values[30];
    struct trend trend;

    (void)ctx;
    for (size_t i = 0; i < 30; i++)
        values[i] = 100 + 0.1 * (double)i + pattern[i % 5];
    check('D', values, 30, &boundary, 1, 0, false);
    trend_init(&trend, values, 30, NULL, 0, &strict);
    assert_true(trend.drifts);
    assert_true(fabs(trend.drift - 0.0165) < 0.001);
    trend_clear(&trend);
}

static void nights_without_a_value_are_left_out(void **ctx)
{
    double values[60];
    struct trend trend;
    size_t filled = 0;

    (void)ctx;
    for (size_t i = 0; i < 60; i++) {
        static const double none[] = {NAN, 0, -1, INFINITY};

        values[i] =
            i % 2 ? none[i / 2 % 4] : (i < 30 ? 100 : 103) + pattern[filled++ % 5];
    }
    trend_init(&trend, values, 60, NULL, 0, &rule);
    assert_int_equal(trend.nights, 30);
    assert_int_equal(trend.boundary_count, 1);
    assert_int_equal(trend.boundaries[0].night, 30);
    trend_clear(&trend);
}

static void nine_nights_have_no_boundary(void **ctx)
{
    static const struct level levels[] = {{4, 100}, {5, 150}, {0, 0}};
    double values[9];
    struct trend trend;

    (void)ctx;
    check('9', values, fill(values, levels, 1), NULL, 0, 0, false);
    trend_init(&trend, NULL, 0, NULL, 0, &rule);
    assert_int_equal(trend.nights, 0);
    trend_clear(&trend);
}

static void a_known_change_is_a_boundary_of_any_size(void **ctx)
{
    static const struct level levels[] = {{20, 100}, {20, 100.5}, {0, 0}};
    static const size_t forced[] = {20, 0, 99};
    double values[40];
    struct trend trend;

    (void)ctx;
    trend_init(&trend, values, fill(values, levels, 1), forced, 3, &rule);
    assert_int_equal(trend.boundary_count, 1);
    assert_int_equal(trend.boundaries[0].night, 20);
    assert_true(trend.boundaries[0].forced);
    assert_true(fabs(trend.boundaries[0].change - log(1.005)) < 1e-4);
    trend_clear(&trend);
}

static void only_the_last_nights_of_a_huge_series_are_judged(void **ctx)
{
    enum { HUGE_COUNT = 3 * TREND_MOST };
    double *values = xcalloc(HUGE_COUNT, sizeof(*values));
    struct trend trend;

    (void)ctx;
    for (size_t i = 0; i < HUGE_COUNT; i++)
        values[i] = (i < HUGE_COUNT - 100 ? 100 : 110) + pattern[i % 5];
    trend_init(&trend, values, HUGE_COUNT, NULL, 0, &rule);
    assert_int_equal(trend.nights, TREND_MOST);
    assert_int_equal(trend.boundary_count, 1);
    assert_int_equal(trend.boundaries[0].night, HUGE_COUNT - 100);
    trend_clear(&trend);
    free(values);
}

enum { SERIES = 600 };

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

/* Returns the share of 600 series with noise of 1 % that have a boundary; the last
 * `after` nights are `sigmas` higher, and only boundaries within 2 nights count then.
 */
static double share_with_boundary(size_t nights, size_t after, double sigmas)
{
    const struct trend_rule any = {.tolerance = 0.02};
    size_t found = 0;

    for (int series = 0; series < SERIES; series++) {
        double values[240];
        struct trend trend;
        bool hit = false;

        for (size_t i = 0; i < nights; i++)
            values[i] =
                100 * exp(0.01 * (normal() + (i + after >= nights ? sigmas : 0)));
        trend_init(&trend, values, nights, NULL, 0, &any);
        for (size_t i = 0; i < trend.boundary_count; i++)
            hit |= !after || (trend.boundaries[i].night + 2 >= nights - after &&
                              trend.boundaries[i].night <= nights - after + 2);
        found += hit;
        trend_clear(&trend);
    }
    return (double)found / SERIES;
}

static void quiet_series_rarely_have_a_boundary(void **ctx)
{
    (void)ctx;
    state = 20260101;
    assert_true(share_with_boundary(60, 0, 0) <= 0.015);
    assert_true(share_with_boundary(120, 0, 0) <= 0.01);
    assert_true(share_with_boundary(240, 0, 0) <= 0.005);
}

static void changes_are_found_as_often_as_tabled(void **ctx)
{
    (void)ctx;
    state = 20260102;
    assert_true(fabs(share_with_boundary(60, 3, 3) - 0.75) < 0.06);
    assert_true(fabs(share_with_boundary(60, 5, 3) - 0.97) < 0.03);
    assert_true(share_with_boundary(60, 10, 3) > 0.97);
    assert_true(share_with_boundary(60, 3, 4) > 0.95);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_series_have_their_boundaries),
        cmocka_unit_test(single_and_double_nights_are_spikes),
        cmocka_unit_test(a_steady_rise_is_drift),
        cmocka_unit_test(nights_without_a_value_are_left_out),
        cmocka_unit_test(nine_nights_have_no_boundary),
        cmocka_unit_test(a_known_change_is_a_boundary_of_any_size),
        cmocka_unit_test(only_the_last_nights_of_a_huge_series_are_judged),
        cmocka_unit_test(quiet_series_rarely_have_a_boundary),
        cmocka_unit_test(changes_are_found_as_often_as_tabled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
