/* result_filter_test.c - which points, figures and tasks a filter selects */
#include "cli/query/result_filter.h"

#include <string.h>

#include "cli/query/point_axes.h"
#include "lib/base/mem.h"
#include "lib/wire/messages.h"
#include "tests/support/unit.h"

/* points 0 to 7: n changes slowest, the card fastest */
static const char job[] =
    "version: 1\nname: filters\noperator: {command: [/bin/true]}\n"
    "sweep: {matrix: {n: [16, 64], text: [\"a b=1\", \"0.50\"]}}\n"
    "cards: {ids: [0, 1]}\n";

static struct point_axes *axes;
static struct err err;

static int set_up(void **ctx)
{
    (void)ctx;
    axes = point_axes_parse(job);
    return 0;
}

static int tear_down(void **ctx)
{
    (void)ctx;
    point_axes_destroy(axes);
    return 0;
}

/* Returns the selected points as bits, or -1 with err. */
static int select_points(const char *const *where, size_t count)
{
    struct result_filter filter = {.where.count = count};
    int bits = 0;

    filter.where.items = xcalloc(count + 1, sizeof(*filter.where.items));
    memcpy(filter.where.items, where, count * sizeof(*where));
    if (result_filter_compile(&filter, axes, &err) < 0)
        bits = -1;
    for (uint64_t point = 0; bits >= 0 && point < 8; point++)
        bits |= result_filter_has_point(&filter, axes, point) << point;
    result_filter_clear(&filter);
    return bits;
}

static void a_point_has_the_values_of_its_axes(void **ctx)
{
    (void)ctx;
    assert_int_equal(point_axes_count(axes), 3);
    assert_string_equal(point_axes_name(axes, 1), "text");
    assert_string_equal(point_axes_values(axes, 5)[0], "64");
    assert_string_equal(point_axes_values(axes, 5)[1], "a b=1");
    assert_string_equal(point_axes_values(axes, 5)[2], "1");
    assert_null(point_axes_values(axes, 8));
}

static void conditions_of_one_axis_are_alternatives(void **ctx)
{
    static const struct {
        const char *where[3];
        size_t count;
        int points;
    } cases[] = {
        {{"n=64"}, 1, 0xf0},
        {{"n=64", "n=16"}, 2, 0xff},
        {{"n=64", "card=1"}, 2, 0xa0},
        {{"n=64", "card=1", "card=0"}, 3, 0xf0},
        {{"text=a b=1"}, 1, 0x33},
        {{"text=0.5"}, 1, 0xcc},
        {{"text=a*", "n=16"}, 2, 0x03},
        {{"n=65"}, 1, 0},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(select_points(cases[i].where, cases[i].count),
                         cases[i].points);
}

static void an_unknown_axis_is_refused_with_the_names_of_all(void **ctx)
{
    (void)ctx;
    assert_int_equal(select_points((const char *[]){"m=64"}, 1), -1);
    assert_string_equal(err.text,
                        "the job has no axis 'm'; its axes are n, text, card");
    assert_int_equal(select_points((const char *[]){"n"}, 1), -1);
    assert_string_equal(err.text, "--where 'n' is not AXIS=VALUE, such as n=65536");
}

static void kernel_card_and_rank_select_figures(void **ctx)
{
    static const struct {
        const char *kernel, *card, *rank;
        bool selected;
    } cases[] = {
        {NULL, NULL, NULL, true},       {"add*", "3", "2", true},
        {"mul*", NULL, NULL, false},    {NULL, "node0:3", NULL, true},
        {NULL, "node1:3", NULL, false}, {NULL, "2", NULL, false},
        {NULL, NULL, "0", false},
    };
    const struct msg_result_row row = {
        .host = "node0", .card = 3, .rank = 2, .kernel = "add_custom"};
    const struct msg_task_row never_ran = {.host = ""};

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct result_filter filter = {
            .kernel = cases[i].kernel, .card = cases[i].card, .rank = cases[i].rank};

        assert_int_equal(result_filter_compile(&filter, axes, &err), 0);
        assert_int_equal(result_filter_has_figure(&filter, &row), cases[i].selected);
        assert_int_equal(result_filter_has_task(&filter, &never_ran), !cases[i].card);
        result_filter_clear(&filter);
    }
}

static void numbers_of_cards_and_ranks_are_checked(void **ctx)
{
    static const struct {
        const char *card, *rank, *text;
    } cases[] = {
        {"x", NULL,
         "--card 'x' is neither a number nor HOST:NUMBER, such as 3 or node0:3"},
        {":1", NULL,
         "--card ':1' is neither a number nor HOST:NUMBER, such as 3 or node0:3"},
        {NULL, "-1", "--rank '-1' is not a number from 0"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct result_filter filter = {.card = cases[i].card, .rank = cases[i].rank};

        assert_int_equal(result_filter_compile(&filter, axes, &err), -1);
        assert_string_equal(err.text, cases[i].text);
        result_filter_clear(&filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_has_the_values_of_its_axes),
        cmocka_unit_test(conditions_of_one_axis_are_alternatives),
        cmocka_unit_test(an_unknown_axis_is_refused_with_the_names_of_all),
        cmocka_unit_test(kernel_card_and_rank_select_figures),
        cmocka_unit_test(numbers_of_cards_and_ranks_are_checked),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
