/* placement_test.c - the cards of each point: cards.at, rotated ranks and pairs of
 * cards, and the parts of an operator that overlaps computation and communication */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"
#include "tests/support/unit.h"

#define HEAD "version: 1\nname: t\n"
#define AT   "at: [\"a:0\", \"a:1\", \"b:0\", \"b:1\"]"

static struct job *parsed(const char *yaml)
{
    struct problems problems = {0};
    struct job *job;

    if (job_parse(&job, yaml, strlen(yaml), &problems) < 0)
        fail_msg("%s: %s", problems.items[0].key, problems.items[0].text);
    problems_clear(&problems);
    return job;
}

/* The first problem is `problem`, as `key: text`. */
static void must_reject(const char *yaml, const char *problem)
{
    struct problems problems = {0};
    struct job *job;

    assert_int_equal(job_parse(&job, yaml, strlen(yaml), &problems), -1);
    char *found = xasprintf("%s: %s", problems.items[0].key, problems.items[0].text);
    assert_string_equal(found, problem);
    free(found);
    problems_clear(&problems);
}

static void add_list(struct text *out, const struct job_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        text_printf(out, " %s", list->items[i]);
    assert_null(list->items[list->count]);
}

/* Compares the values, the command and the places of each point, in one line each. */
static void points_are(const struct job *job, const char *expected)
{
    struct job_points *points = job_points_create(job);
    struct job_point point;
    struct text all = {0};

    while (job_points_next(points, &point)) {
        text_printf(&all, "%s:", point.text);
        add_list(&all, &point.command);
        text_add(&all, " on");
        add_list(&all, &point.places);
        text_add_char(&all, '\n');
    }
    assert_string_equal(text_get(&all), expected);
    text_clear(&all);
    job_points_destroy(points);
}

static void a_rotation_moves_each_rank_to_other_cards(void **ctx)
{
    struct job *job = parsed(HEAD "operator: {command: [op, \"${shift}\"], ranks: 4}\n"
                                  "cards: {rotate: 3, " AT "}\n");

    (void)ctx;
    points_are(job, "shift=0: op 0 on a:0 a:1 b:0 b:1\n"
                    "shift=1: op 1 on a:1 b:0 b:1 a:0\n"
                    "shift=2: op 2 on b:0 b:1 a:0 a:1\n");
    assert_true(job_has_rotation(job) && !job_has_pairs(job));
    for (size_t point = 0; point < 3; point++)
        assert_int_equal(job_point_shift(job, point), point);
    job_destroy(job);

    job = parsed(HEAD "operator: {command: [op], ranks: 4}\ncards: {" AT "}\n");
    points_are(job, ": op on a:0 a:1 b:0 b:1\n");
    assert_true(!job_has_rotation(job) && !job_has_pairs(job));
    assert_int_equal(job_point_shift(job, 0), 0);
    assert_true(job_settings(job)->placed);
    job_destroy(job);
}

/* The third placement of a rotation moves each rank to another host. */
static void a_rotation_without_places_has_the_shifts_of_its_hosts(void **ctx)
{
    struct job *job = parsed(HEAD "operator: {command: [op], ranks: 12}\n"
                                  "sweep: {exclude: [\"shift == 1\"]}\n"
                                  "cards: {rotate: 4, per_host: 4}\n");

    (void)ctx;
    points_are(job, "shift=0: op on\nshift=4: op on\nshift=2: op on\n");
    assert_int_equal(job_point_shift(job, 1), 4);
    assert_false(job_settings(job)->placed);
    job_destroy(job);
    /* the shifts are numbers that conditions can compare */
    job = parsed(HEAD "operator: {command: [op], ranks: 12}\n"
                      "sweep: {exclude: [\"shift < 10\"]}\ncards: {rotate: 12}\n");
    points_are(job, "shift=10: op on\nshift=11: op on\n");
    job_destroy(job);
}

static void a_gate_can_rotate_the_ranks(void **ctx)
{
    static const struct {
        const char *cards, *rotate;
        size_t points; /* 0: without a variable `shift` */
    } cases[] = {
        {"", "1", 0},
        {"", "2", 2},
        {"", "3", 3},
        {"cards: {rotate: 1}\n", "1", 1},
        {"cards: {rotate: 2}\n", "1", 2},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[300];

        snprintf(yaml, sizeof(yaml),
                 HEAD "operator: {command: [op], ranks: 3}\n%s"
                      "compare: {against: x}\ngate: {rotate: %s}\n",
                 cases[i].cards, cases[i].rotate);
        struct job *job = parsed(yaml);
        assert_int_equal(job_has_rotation(job), cases[i].points > 0);
        assert_int_equal(job_variable_count(job), cases[i].points > 0);
        assert_int_equal(job_point_count(job), cases[i].points ? cases[i].points : 1);
        job_destroy(job);
    }
    must_reject(HEAD "operator: {command: [op], ranks: 3}\ncards: {rotate: 2}\n"
                     "compare: {against: x}\ngate: {rotate: 2}\n",
                "gate.rotate: cards.rotate rotates the ranks already; remove one of "
                "both keys");
}

static void a_rotation_has_at_most_as_many_placements_as_ranks(void **ctx)
{
    static const struct {
        const char *ranks, *rotate;
        bool good;
    } cases[] = {{"2", "1", true},    {"2", "2", true},       {"2", "3", false},
                 {"2", "0", false},   {"1", "1", false},      {"1024", "1024", true},
                 {"2", "two", false}, {"1024", "1025", false}};

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[300];

        snprintf(yaml, sizeof(yaml),
                 HEAD "operator: {command: [op], ranks: %s}\ncards: {rotate: %s}\n",
                 cases[i].ranks, cases[i].rotate);
        if (cases[i].good) {
            struct job *job = parsed(yaml);

            assert_int_equal(job_point_count(job), strtoul(cases[i].rotate, NULL, 10));
            job_destroy(job);
        } else {
            must_reject(yaml, "cards.rotate: expected a number of placements from 1 to "
                              "the number of ranks, which is a number from 2 on in "
                              "operator.ranks");
        }
    }
}

static void each_pair_of_cards_is_one_point(void **ctx)
{
    struct job *job = parsed(HEAD "operator: {command: [op, \"${pair}\"], ranks: 2}\n"
                                  "cards: {pairs: [\"a:0\", \"a:1\", \"bb:0\"]}\n");

    (void)ctx;
    points_are(job, "pair=a:1+bb:0: op a:1+bb:0 on a:1 bb:0\n"
                    "pair=bb:0+a:0: op bb:0+a:0 on bb:0 a:0\n"
                    "pair=a:0+a:1: op a:0+a:1 on a:0 a:1\n");
    assert_true(job_has_pairs(job) && !job_has_rotation(job));
    assert_true(job_settings(job)->placed);
    job_destroy(job);
    /* with an even number of cards, all cards work in each round */
    job = parsed(HEAD "operator: {command: [op], ranks: 2, env: {X: \"1\"}}\n"
                      "sweep: {exclude: [\"pair == a:1+a:2\"]}\n"
                      "cards: {pairs: [\"a:0\", \"a:1\", \"a:2\", \"a:3\"]}\n");
    points_are(job, "pair=a:3+a:0: op on a:3 a:0\n"
                    "pair=a:3+a:1: op on a:3 a:1\n"
                    "pair=a:2+a:0: op on a:2 a:0\n"
                    "pair=a:3+a:2: op on a:3 a:2\n"
                    "pair=a:0+a:1: op on a:0 a:1\n");
    job_destroy(job);
    must_reject(HEAD "operator: {command: [op], ranks: 2}\n"
                     "sweep: {exclude: [\"pair < 2\"]}\n"
                     "cards: {pairs: [\"a:0\", \"a:1\"]}\n",
                "sweep.exclude[0]: 'pair' has values that are not numbers; use == or "
                "!=");
}

static void two_to_256_cards_give_pairs(void **ctx)
{
    static const struct {
        size_t cards, points; /* 0: refused */
    } cases[] = {{1, 0}, {2, 1}, {5, 10}, {256, 32640}, {257, 0}};

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct text yaml = {0};

        text_add(&yaml, HEAD "operator: {command: [op], ranks: 2}\ncards: {pairs: [");
        for (size_t card = 0; card < cases[i].cards; card++)
            text_printf(&yaml, "\"h:%zu\", ", card);
        text_add(&yaml, "]}\n");
        if (cases[i].points) {
            struct job *job = parsed(text_get(&yaml));

            assert_int_equal(job_point_count(job), cases[i].points);
            job_destroy(job);
        } else {
            char *problem = xasprintf(
                "cards.pairs: the list has %zu cards; name 2 to 256", cases[i].cards);

            must_reject(text_get(&yaml), problem);
            free(problem);
        }
        text_clear(&yaml);
    }
}

static void places_are_checked_at_each_point(void **ctx)
{
    char host[300], yaml[500], problem[300];

    (void)ctx;
    must_reject(HEAD "operator: {command: [op], ranks: 2}\n"
                     "sweep: {matrix: {n: [0, 2, 1]}}\n"
                     "cards: {at: [\"a:${n}\", \"a:1\"]}\n",
                "cards.at[1]: ranks 0 and 1 are both on 'a:1'; use another card");
    memset(host, 'h', sizeof(host));
    host[256] = '\0';
    snprintf(yaml, sizeof(yaml),
             HEAD "operator: {command: [op]}\ncards: {at: [\"%s:0\"]}\n", host + 1);
    job_destroy(parsed(yaml));
    snprintf(yaml, sizeof(yaml),
             HEAD "operator: {command: [op]}\ncards: {at: [\"%s:0\"]}\n", host);
    snprintf(problem, sizeof(problem),
             "cards.at[0]: expected HOST:CARD, such as gpu-04:3, found '%.64s'", host);
    must_reject(yaml, problem);
    /* the check of each point takes time */
    job_destroy(parsed(HEAD "operator: {command: [op]}\ncards: {at: [\"a:1\"]}\n"
                            "sweep: {matrix: {m: {from: 1, to: 50000}, n: [1, 2]}}\n"));
    must_reject(HEAD "operator: {command: [op]}\ncards: {at: [\"a:1\"]}\n"
                     "sweep: {matrix: {m: {from: 1, to: 50001}, n: [1, 2]}}\n",
                "cards.at: the job has 100002 points; with cards.at at most 100000 are "
                "allowed; divide the job");
}

static void the_parts_of_an_operator_are_four_points(void **ctx)
{
    static const char yaml[] =
        HEAD "operator:\n  command: [op]\n  ranks: 2\n"
             "  overlap: {compute: [mm, \"-c\", \"${part}\"], communication: [ar],\n"
             "            serial: [mm, ar, x, y]}\n"
             "profile: {launch: {count: all}}\n";
    struct job *job = parsed(yaml);

    (void)ctx;
    points_are(job, "part=fused: op on\n"
                    "part=compute: mm -c compute on\n"
                    "part=communication: ar on\n"
                    "part=serial: mm ar x y on\n");
    assert_int_equal(job_part_variable(job), 0);
    assert_string_equal(job_variable_name(job, 0), "part");
    job_destroy(job);
    job = parsed(HEAD "operator: {command: [op]}\nsweep: {matrix: {part: [a]}}\n");
    assert_true(job_part_variable(job) == SIZE_MAX);
    job_destroy(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rotation_moves_each_rank_to_other_cards),
        cmocka_unit_test(a_rotation_without_places_has_the_shifts_of_its_hosts),
        cmocka_unit_test(a_gate_can_rotate_the_ranks),
        cmocka_unit_test(a_rotation_has_at_most_as_many_placements_as_ranks),
        cmocka_unit_test(each_pair_of_cards_is_one_point),
        cmocka_unit_test(two_to_256_cards_give_pairs),
        cmocka_unit_test(places_are_checked_at_each_point),
        cmocka_unit_test(the_parts_of_an_operator_are_four_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
