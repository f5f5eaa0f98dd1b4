/* gang_rotation_test.c - a slow card follows the card, a slow rank stays with the rank,
 * and a slow link is found among all pairs */
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"
#include "tests/support/gang_tables.h"

enum { RANKS = 4 };

static const char rotated[] =
    "version: 1\nname: t\noperator: {command: [op], ranks: 4}\n"
    "cards: {rotate: 3, at: [\"h:0\", \"h:1\", \"h:2\", \"h:3\"]}\n"
    "sweep: {repeat: 2}\n";
static const char paired[] =
    "version: 1\nname: t\noperator: {command: [op], ranks: 2}\n"
    "cards: {pairs: [\"h:0\", \"h:1\", \"h:2\", \"h:3\"]}\n";

static void add(struct gang_figures *figures,
                uint64_t point,
                uint64_t repeat,
                uint32_t rank,
                int64_t card,
                const char *metric,
                double value)
{
    gang_figures_add(figures, &(struct gang_figure){.point = point,
                                                    .repeat = repeat,
                                                    .rank = rank,
                                                    .kernel = "op",
                                                    .metric = metric,
                                                    .value = value,
                                                    .host = "h",
                                                    .serial = "",
                                                    .card = card,
                                                    .tick_ns = 20});
}

/* Runs the placements of a job whose card 2 and rank 1 are slower by these factors. */
static struct gang_table rotate(double of_card, double of_rank)
{
    static const int64_t shifts[] = {0, 1, 2};
    struct gang_figures *figures = gang_figures_create(rotated);

    for (uint64_t point = 0; point < COUNT(shifts); point++)
        for (uint64_t repeat = 0; repeat < 2; repeat++)
            for (uint32_t rank = 0; rank < RANKS; rank++) {
                int64_t card = (rank + shifts[point]) % RANKS;
                double us = 100 * (card == 2 ? of_card : 1) * (rank == 1 ? of_rank : 1);

                add(figures, point, repeat, rank, card, "duration_us", 200);
                add(figures, point, repeat, rank, card, "compute_us",
                    us * (repeat ? 1.0005 : 0.9995));
            }
    return run(&gang_rotation, figures);
}

static void placements_rotate_the_cards(void **ctx)
{
    static const char *const first[] = {"h:0", "h:1", "h:2"};
    static const char *const last[] = {"h:3", "h:0", "h:1"};
    struct problems problems = {0};
    struct job_point point;
    struct job *job;

    (void)ctx;
    assert_int_equal(job_parse(&job, rotated, sizeof(rotated) - 1, &problems), 0);
    assert_true(job_has_rotation(job) && !job_has_pairs(job));
    struct job_points *points = job_points_create(job);
    for (size_t i = 0; i < 3; i++) {
        assert_true(job_points_next(points, &point));
        assert_int_equal(point.places.count, 4);
        assert_string_equal(point.places.items[0], first[i]);
        assert_string_equal(point.places.items[3], last[i]);
        assert_int_equal(job_point_shift(job, i), i);
    }
    assert_false(job_points_next(points, &point));
    job_points_destroy(points);
    job_destroy(job);
}

static void pairs_are_all_pairs_in_rounds(void **ctx)
{
    static const char *const wanted[][2] = {{"h:3", "h:0"}, {"h:1", "h:2"},
                                            {"h:3", "h:1"}, {"h:2", "h:0"},
                                            {"h:3", "h:2"}, {"h:0", "h:1"}};
    struct problems problems = {0};
    struct job_point point;
    struct job *job;

    (void)ctx;
    assert_int_equal(job_parse(&job, paired, sizeof(paired) - 1, &problems), 0);
    assert_true(job_has_pairs(job) && job_settings(job)->placed);
    struct job_points *points = job_points_create(job);
    for (size_t i = 0; i < COUNT(wanted); i++) {
        assert_true(job_points_next(points, &point));
        assert_int_equal(point.places.count, 2);
        for (size_t k = 0; k < 2; k++)
            assert_string_equal(point.places.items[k], wanted[i][k]);
    }
    assert_false(job_points_next(points, &point));
    job_points_destroy(points);
    job_destroy(job);
}

/* Requires that all rows but one are equal to the others. The first four rows are
 * cards. */
static void only(const struct gang_table *table, size_t slow, double percent)
{
    assert_int_equal(table->row_count, 2 * RANKS);
    for (size_t i = 0; i < table->row_count; i++)
        if (i == slow) {
            assert_string_equal(text(table, i, "verdict"), "slower");
            near(number(table, i, "effect_percent"), percent, 1e-6);
        } else {
            assert_string_equal(text(table, i, "verdict"), "same");
            near(number(table, i, "effect_percent"), 0, 1e-6);
        }
}

static void a_slow_card_follows_the_card(void **ctx)
{
    struct gang_table table = rotate(1.5, 1);
    size_t slow = 0;

    (void)ctx;
    while (strcmp(text(&table, slow, "card"), "h:2") != 0)
        slow++;
    only(&table, slow, 50);
    gang_table_clear(&table);
}

static void a_slow_rank_stays_with_the_rank(void **ctx)
{
    struct gang_table table = rotate(1, 1.05);

    (void)ctx;
    assert_true(number(&table, RANKS + 1, "rank") == 1);
    only(&table, RANKS + 1, 5);
    gang_table_clear(&table);
}

static void equal_ranks_and_cards_are_the_same(void **ctx)
{
    struct gang_table table = rotate(1, 1.01);

    (void)ctx;
    for (size_t i = 0; i < table.row_count; i++)
        assert_string_equal(text(&table, i, "verdict"), "same");
    gang_table_clear(&table);
}

static void a_slow_link_is_found_among_all_pairs(void **ctx)
{
    static const int64_t pairs[][2] = {{3, 0}, {1, 2}, {3, 1}, {2, 0}, {3, 2}, {0, 1}};
    struct gang_figures *figures = gang_figures_create(paired);
    size_t slow = 0;

    (void)ctx;
    for (uint64_t point = 0; point < COUNT(pairs); point++)
        for (uint32_t rank = 0; rank < 2; rank++) {
            bool is_slow = point == 4; /* cards 3 and 2 */

            add(figures, point, 0, rank, pairs[point][rank], "duration_us", 100);
            add(figures, point, 0, rank, pairs[point][rank],
                rank ? "transfer_us_rank_0" : "transfer_us_rank_1", is_slow ? 40 : 10);
        }
    struct gang_table table = run(&gang_links, figures);
    assert_int_equal(table.row_count, 12);
    for (size_t i = 0; i < 12; i++) {
        const char *from = text(&table, i, "from"), *to = text(&table, i, "to");
        bool is_slow = (strcmp(from, "h:2") == 0 && strcmp(to, "h:3") == 0) ||
                       (strcmp(from, "h:3") == 0 && strcmp(to, "h:2") == 0);

        assert_string_equal(text(&table, i, "verdict"), is_slow ? "slow-link" : "same");
        assert_true(number(&table, i, "transfer_us") == (is_slow ? 40 : 10));
        slow += is_slow;
    }
    assert_int_equal(slow, 2);
    gang_table_clear(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placements_rotate_the_cards),
        cmocka_unit_test(pairs_are_all_pairs_in_rounds),
        cmocka_unit_test(a_slow_card_follows_the_card),
        cmocka_unit_test(a_slow_rank_stays_with_the_rank),
        cmocka_unit_test(equal_ranks_and_cards_are_the_same),
        cmocka_unit_test(a_slow_link_is_found_among_all_pairs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
