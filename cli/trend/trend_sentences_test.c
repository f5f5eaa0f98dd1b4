#include "cli/trend/trend_sentences.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static struct trend_night list[] = {
    {1, "night-1", 1793750400000000000, NULL},
    {2, "night-2", 1793836800000000000, NULL}, /* 2026-11-05 */
};
static const struct trend_nights nights = {.nights = list, .count = COUNT(list)};

static void is(const struct night_trend *row, const char *expected)
{
    char *text = trend_sentence(row, &nights);

    if (expected)
        assert_string_equal(text, expected);
    else
        assert_null(text);
    free(text);
}

static struct night_trend row_with(struct trend_boundary *boundary)
{
    return (struct night_trend){
        .point = "m=1",
        .kernel = "add",
        .card = "",
        .metric = "duration_us",
        .trend = {.boundary_count = boundary ? 1 : 0, .boundaries = boundary}};
}

static void a_worse_level_has_its_night_and_its_state(void **ctx)
{
    struct trend_boundary boundary = {1, log(1.03), true, false};
    struct night_trend row = row_with(&boundary);

    (void)ctx;
    is(&row, "point m=1 of kernel add is 3.0 % slower since night-2 (2026-11-05), "
             "confirmed");
    boundary.confirmed = false;
    row.rank = 2;
    row.card = "S7";
    is(&row, "point m=1 of kernel add in rank 2 on card S7 is 3.0 % slower since "
             "night-2 (2026-11-05), provisional");
    row.point = "";
    row.rank = FIGURE_OF_ALL_RANKS;
    row.card = "";
    is(&row, "kernel add is 3.0 % slower since night-2 (2026-11-05), provisional");
    row.kernel = "";
    row.card = "S7";
    is(&row, "card S7 is 3.0 % slower since night-2 (2026-11-05), provisional");
}

static void better_and_known_levels_have_no_sentence(void **ctx)
{
    struct trend_boundary boundary = {1, log(0.9), true, false};
    struct night_trend row = row_with(&boundary);

    (void)ctx;
    is(&row, NULL);
    row.more_is_better = true;
    row.metric = "l2_hit_rate";
    is(&row, "point m=1 of kernel add is 11.1 % worse (metric l2_hit_rate) since "
             "night-2 (2026-11-05), confirmed");
    boundary.forced = true;
    is(&row, NULL);
    row = row_with(NULL);
    is(&row, NULL);
}

static void drifts_have_a_sentence_without_a_night(void **ctx)
{
    struct night_trend row = row_with(NULL);

    (void)ctx;
    row.trend.drifts = true;
    row.trend.drift = log(1.025);
    is(&row, "point m=1 of kernel add slowly became 2.5 % slower");
    row.anchor =
        (struct night_trend_anchor){true, log(1.04), {.kind = VERDICT_REGRESSED}};
    is(&row, "point m=1 of kernel add is 4.0 % slower than the anchor");
    row.trend.drift = -row.trend.drift;
    row.anchor =
        (struct night_trend_anchor){true, log(0.9), {.kind = VERDICT_IMPROVED}};
    is(&row, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worse_level_has_its_night_and_its_state),
        cmocka_unit_test(better_and_known_levels_have_no_sentence),
        cmocka_unit_test(drifts_have_a_sentence_without_a_night),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
