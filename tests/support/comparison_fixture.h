/* comparison_fixture.h - an empty comparison of durations for each test, in
 * `comparison`
 */
#ifndef TESTS_SUPPORT_COMPARISON_FIXTURE_H
#define TESTS_SUPPORT_COMPARISON_FIXTURE_H

#include "lib/compare/comparison.h"
#include "tests/support/unit.h"

static struct comparison *comparison;

static inline int set_up(void **ctx)
{
    (void)ctx;
    comparison = comparison_create(
        &(struct comparison_settings){.metric = "duration_us", .tolerance = 0.02});
    return 0;
}

static inline int tear_down(void **ctx)
{
    (void)ctx;
    comparison_destroy(comparison);
    comparison = NULL;
    return 0;
}

#endif
