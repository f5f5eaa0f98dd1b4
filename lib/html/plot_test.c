/* plot_test.c - the JSON of each plot */
#include "lib/html/plot.h"

#include <math.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "tests/support/unit.h"

static void assert_contains(const struct text *page, const char *part)
{
    if (!strstr(text_get(page), part))
        fail_msg("no %s in %s", part, text_get(page));
}

static void lines_and_points_keep_their_values_and_marks(void **ctx)
{
    struct text page = {0};

    (void)ctx;
    html_plot_xy(
        &page,
        &(struct html_xy){
            .id = "roof",
            .label = "roofline",
            .x = {"ops per byte", HTML_SCALE_LOG},
            .y = {"night", HTML_SCALE_TIME},
            .series = (struct html_series[]){{.name = "points",
                                              .x = (double[]){0.5, 2},
                                              .y = (double[]){7, NAN},
                                              .tips = (const char *[]){"a", "b"},
                                              .count = 2,
                                              .has_points = true,
                                              .is_hollow = true},
                                             {.name = "limit",
                                              .x = (double[]){1},
                                              .y = (double[]){2},
                                              .low = (double[]){1.5},
                                              .high = (double[]){2.5},
                                              .count = 1,
                                              .has_line = true,
                                              .is_soft = true}},
            .series_count = 2,
            .marks = (struct html_mark[]){{true, 3, "change"}, {false, 4, "limit"}},
            .mark_count = 2,
        });
    assert_contains(&page, "data-kind=\"xy\" id=\"roof\"");
    assert_contains(&page, "\"x\":{\"name\":\"ops per byte\",\"scale\":\"log\"}");
    assert_contains(&page, "\"y\":{\"name\":\"night\",\"scale\":\"time\"}");
    assert_contains(&page, "{\"name\":\"points\",\"x\":[0.5,2],\"y\":[7,null],\"tips\":"
                           "[\"a\",\"b\"],\"points\":true,\"hollow\":true}");
    assert_contains(&page, "{\"name\":\"limit\",\"x\":[1],\"y\":[2],\"low\":[1.5],"
                           "\"high\":[2.5],\"line\":true,\"soft\":true}");
    assert_contains(&page, "[{\"name\":\"change\",\"at\":3,\"vertical\":true},"
                           "{\"name\":\"limit\",\"at\":4}]");
    text_clear(&page);
}

static void a_heat_map_has_one_list_for_each_row(void **ctx)
{
    struct text page = {0};

    (void)ctx;
    html_plot_heat(&page,
                   &(struct html_heat){.label = "cards",
                                       .colors = HTML_HEAT_CHANGE,
                                       .unit = "%",
                                       .decimals = 1,
                                       .full = 5,
                                       .rows = (const char *[]){"m=1", "m=2"},
                                       .row_count = 2,
                                       .columns = (const char *[]){"a:0", "a:1", "a:2"},
                                       .column_count = 3,
                                       .values = (double[]){1, -2, NAN, 3.14, 0, 5}});
    assert_contains(&page,
                    "\"colors\":\"change\",\"full\":5,\"rows\":[\"m=1\",\"m=2\"],"
                    "\"columns\":[\"a:0\",\"a:1\",\"a:2\"],"
                    "\"values\":[[1.0,-2.0,null],[3.1,0.0,5.0]]");
    text_clear(&page);
}

static void strips_and_bars_keep_their_values(void **ctx)
{
    struct text page = {0};

    (void)ctx;
    html_plot_strips(
        &page, &(struct html_strips){
                   .label = "durations",
                   .unit = "us",
                   .decimals = 2,
                   .has_zero = true,
                   .rows = (struct html_strip[]){{"m=1", "10 us", (double[]){1, 2}, 2},
                                                 {"m=2", NULL, NULL, 0}},
                   .row_count = 2});
    assert_contains(&page,
                    "\"unit\":\"us\",\"decimals\":2,\"zero\":true,\"rows\":["
                    "{\"name\":\"m=1\",\"note\":\"10 us\",\"values\":[1.00,2.00]},"
                    "{\"name\":\"m=2\",\"values\":[]}]");
    text_reset(&page);
    html_plot_bars(&page,
                   &(struct html_bars){.label = "ranks",
                                       .unit = "us",
                                       .decimals = 1,
                                       .rows = (const char *[]){"rank 0"},
                                       .row_count = 1,
                                       .parts = (const char *[]){"compute", "wait"},
                                       .part_count = 2,
                                       .values = (double[]){12.34, 5}});
    assert_contains(&page, "\"rows\":[\"rank 0\"],\"parts\":[\"compute\",\"wait\"],"
                           "\"values\":[[12.3,5.0]]");
    text_clear(&page);
}

static void lanes_keep_their_spans_and_tips(void **ctx)
{
    struct text page = {0};

    (void)ctx;
    html_plot_lanes(
        &page, &(struct html_lanes){
                   .label = "Step 1",
                   .unit = "ms",
                   .decimals = 3,
                   .end = 4,
                   .lanes =
                       (struct html_lane[]){
                           {"idle", true,
                            (struct html_span[]){{0, 1.5, "<gap>"}, {2, 4, NULL}}, 2}},
                   .lane_count = 1,
               });
    assert_contains(&page, "data-kind=\"lanes\"");
    assert_contains(&page,
                    "\"end\":4,\"lanes\":[{\"name\":\"idle\",\"gap\":true,\"spans\":"
                    "[[0.000000,1.500000,\"\\u003cgap>\"],[2.000000,4.000000]]}]");
    text_clear(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_and_points_keep_their_values_and_marks),
        cmocka_unit_test(a_heat_map_has_one_list_for_each_row),
        cmocka_unit_test(strips_and_bars_keep_their_values),
        cmocka_unit_test(lanes_keep_their_spans_and_tips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
