#include "cli/compare/group_summary.h"

#include <stdio.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

enum { CARDS = 8 };

/* Adds a point with three repeats a side on each card, which decide only together. The
 * changes of the cards differ by 0.1. */
static void add_point(struct comparison *comparison, const char *point, double change)
{
    for (int card = 0; card < CARDS; card++) {
        char serial[16], text[48];

        snprintf(serial, sizeof(serial), "S%d", card);
        snprintf(text, sizeof(text), "%s card=%d", point, card);
        for (int side = 0; side < 2; side++)
            for (uint64_t i = 0; i < 3; i++)
                comparison_add_figure(
                    comparison, side,
                    &(struct comparison_figure){.point = text,
                                                .repeat = i,
                                                .host = "node0",
                                                .serial = serial,
                                                .card = card,
                                                .kernel = "add",
                                                .metric = "duration_us",
                                                .unit = "us",
                                                .value = 100 + (double)i +
                                                         side * (change + 0.1 * card)});
    }
}

/* Requires these lines of the points with these changes. */
static void is(const double *changes, size_t count, bool regressed, const char *lines)
{
    struct comparison *comparison = comparison_create(
        &(struct comparison_settings){.metric = "duration_us", .tolerance = 0.02});
    struct group_summary summary;

    for (size_t i = 0; i < count; i++) {
        char point[24];

        snprintf(point, sizeof(point), "m=%zu", i);
        add_point(comparison, point, changes[i]);
    }
    comparison_judge(comparison);
    group_summary_init(&summary, comparison);
    assert_string_equal(summary.text, lines);
    assert_int_equal(summary.regressed, regressed);
    group_summary_clear(&summary);
    comparison_destroy(comparison);
}

static void equal_cells_have_no_line(void **ctx)
{
    (void)ctx;
    is(NULL, 0, false, "");
    is((const double[]){-0.3, -0.4}, 2, false, "");
}

/* A point has eight cells; a card has three, which do not decide together. */
static void points_are_named_though_no_cell_decides(void **ctx)
{
    (void)ctx;
    is((const double[]){4, -0.3, -20}, 3, true,
       "by point: 1 regressed: m=0 of kernel add (+4.3 %); 1 improved: m=2 of kernel "
       "add (-19.5 %)\n");
}

static void many_points_are_counted(void **ctx)
{
    double changes[30];

    (void)ctx;
    for (size_t i = 0; i < COUNT(changes); i++)
        changes[i] = i < 4 ? 4 + (double)i : -0.3;
    is(changes, COUNT(changes), true,
       "by point: 4 regressed: m=3 of kernel add (+7.3 %), m=2 of kernel add (+6.3 %), "
       "m=1 of kernel add (+5.3 %) and 1 more\n");
}

static void all_cells_are_named_behind_their_points(void **ctx)
{
    (void)ctx;
    is((const double[]){4, 4}, 2, true,
       "by point: 2 regressed: m=0 of kernel add (+4.3 %), m=1 of kernel add (+4.3 "
       "%)\n"
       "by host: 1 regressed: node0 (+4.3 %)\n"
       "by fleet: 1 regressed: all cells (+4.3 %)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_cells_have_no_line),
        cmocka_unit_test(points_are_named_though_no_cell_decides),
        cmocka_unit_test(many_points_are_counted),
        cmocka_unit_test(all_cells_are_named_behind_their_points),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
