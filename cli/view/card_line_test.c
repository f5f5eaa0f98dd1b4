#include "cli/view/card_line.h"

#include <string.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static struct card_line take(struct msg_worker_row row)
{
    struct card_line line;

    row.model = row.model ? row.model : "Ascend910B2";
    row.state = row.state ? row.state : "idle";
    row.job_key = row.job_key ? row.job_key : "";
    card_line_fill(&line, &row);
    return line;
}

static void a_line_shows_the_task_of_a_card_or_the_reason_why_it_is_idle(void **ctx)
{
    const struct {
        struct msg_worker_row row;
        const char *words, *color;
    } cases[] = {
        {{.host = "node",
          .state = "leased",
          .run_id = 9,
          .job_key = "sweep-1",
          .point = 7,
          .repeat = 2,
          .rank = 3,
          .runs_ms = 249000,
          .ranks_ended = 12,
          .ranks_failed = 1,
          .silent_ms = 250},
         "node:0  leased    sweep-1  point 7 repeat 2 rank 3   4m09s      12       1   "
         "    0    0.2s  Ascend910B2",
         "32"},
        {{.host = "node", .card = 1, .state = "drained", .note = "a fan is loud"},
         "node:1  drained            a fan is loud                         0       0   "
         "    0    0.0s  Ascend910B2",
         "33"},
        {{.host = "node", .faults = 2, .note = "an alarm", .silent_ms = 3 * 86400000},
         "node:0  idle               an alarm                              0       0   "
         "    2   3d00h  Ascend910B2",
         "31"},
        {{.host = "node", .silent_ms = 11100000},
         "node:0  idle                                                     0       0   "
         "    0   3h05m  Ascend910B2",
         "31"},
    };
    char words[CARD_LINE_MAX];

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct card_widths widths = {6, 7, 23};
        struct card_line line = take(cases[i].row);

        card_line_measure(&line, &widths);
        card_line_text(words, &line, &widths);
        assert_string_equal(words, cases[i].words);
        assert_string_equal(card_line_color(&line), cases[i].color);
    }
}

static void each_order_puts_the_cards_of_interest_first(void **ctx)
{
    const struct card_line all[] = {
        take((struct msg_worker_row){.host = "b", .card = 2, .ranks_ended = 9}),
        take((struct msg_worker_row){.host = "b", .card = 10, .faults = 1}),
        take((struct msg_worker_row){
            .host = "a", .job_key = "j", .run_id = 1, .runs_ms = 5}),
        take((struct msg_worker_row){.host = "a", .card = 1, .state = "drained"}),
    };
    static const size_t expected[][COUNT(all)] = {
        {2, 3, 0, 1}, {1, 3, 2, 0}, {2, 3, 0, 1}, {0, 2, 3, 1}};
    const struct card_line *lines[COUNT(all)];

    (void)ctx;
    for (size_t order = 0; order < COUNT(expected); order++) {
        assert_non_null(card_order_name(order));
        for (size_t i = 0; i < COUNT(all); i++)
            lines[i] = &all[i];
        card_line_sort(lines, COUNT(all), order);
        for (size_t i = 0; i < COUNT(all); i++)
            assert_ptr_equal(lines[i], &all[expected[order][i]]);
    }
    assert_null(card_order_name(COUNT(expected)));
    card_line_sort(lines, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_shows_the_task_of_a_card_or_the_reason_why_it_is_idle),
        cmocka_unit_test(each_order_puts_the_cards_of_interest_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
