#include "lib/job/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "tests/support/unit.h"

static struct problems problems;
static struct err err;

#define HEAD                                                                           \
    "version: 1\nname: t\noperator:\n  command: [op, \"${a}\", \"x=${b}${c}\"]\n"

static struct job *parsed(const char *text)
{
    struct job *job;

    if (job_parse(&job, text, strlen(text), &problems) < 0)
        fail_msg("%u:%u: %s: %s", problems.items[0].line, problems.items[0].column,
                 problems.items[0].key, problems.items[0].text);
    return job;
}

static struct job *parsed_sweep(const char *sweep)
{
    char *text = xasprintf("%ssweep:\n%s", HEAD, sweep);
    struct job *job = parsed(text);

    free(text);
    return job;
}

/* Compares the texts of all points, one per line. */
static void points_are(const struct job *job, const char *expected)
{
    struct job_points *points = job_points_create(job);
    struct job_point point;
    struct text all = {0};
    uint64_t index = 0;

    while (job_points_next(points, &point)) {
        assert_int_equal(point.index, index++);
        text_printf(&all, "%s\n", point.text);
    }
    assert_string_equal(text_get(&all), expected);
    assert_int_equal(index, job_point_count(job));
    text_clear(&all);
    job_points_destroy(points);
}

static void the_first_name_changes_slowest(void **ctx)
{
    struct job *job = parsed_sweep("  matrix: {a: [1, 2], b: [x, y], c: [z]}\n");

    (void)ctx;
    points_are(job, "a=1 b=x c=z\na=1 b=y c=z\na=2 b=x c=z\na=2 b=y c=z\n");
    job_destroy(job);
}

static void each_zip_entry_is_one_axis(void **ctx)
{
    struct job *job = parsed_sweep("  matrix: {a: [1, 2]}\n"
                                   "  zip: [{b: [x, y], d: [3, 4]}, {c: [p, q]}]\n");

    (void)ctx;
    points_are(job, "a=1 b=x d=3 c=p\na=1 b=x d=3 c=q\na=1 b=y d=4 c=p\n"
                    "a=1 b=y d=4 c=q\na=2 b=x d=3 c=p\na=2 b=x d=3 c=q\n"
                    "a=2 b=y d=4 c=p\na=2 b=y d=4 c=q\n");
    job_destroy(job);
}

static void excluded_points_leave_no_gap_in_the_indexes(void **ctx)
{
    struct job *job =
        parsed_sweep("  matrix: {a: [1, 2, 3], b: [x, y], c: [z]}\n"
                     "  exclude: [\"a == 2 && b == x\", \"!(a < 3) && b != x\"]\n");

    (void)ctx;
    points_are(job, "a=1 b=x c=z\na=1 b=y c=z\na=2 b=y c=z\na=3 b=x c=z\n");
    job_destroy(job);
}

static void a_range_adds_or_subtracts_or_multiplies(void **ctx)
{
    struct job *job = parsed_sweep("  zip:\n    all:\n"
                                   "      a: {from: 1, to: 2.9, step: 0.5}\n"
                                   "      b: {to: 1, from: 7, step: -2}\n"
                                   "      c: {from: 3, to: 24, times: 2}\n");

    (void)ctx;
    points_are(job, "a=1 b=7 c=3\na=1.5 b=5 c=6\na=2 b=3 c=12\na=2.5 b=1 c=24\n");
    job_destroy(job);
    job = parsed_sweep("  matrix: {a: {from: 0, to: 0.3, step: 0.1}, b: [x], "
                       "c: {from: -1, to: 1}}\n  exclude: [\"c != 0\", \"a > 0.2\"]\n");
    points_are(job, "a=0 b=x c=0\na=0.1 b=x c=0\na=0.2 b=x c=0\n");
    job_destroy(job);
}

static void included_points_follow_those_of_the_axes(void **ctx)
{
    struct job *job =
        parsed_sweep("  matrix: {a: [1, 2]}\n  zip: [{b: [x], c: [y]}]\n"
                     "  exclude: [\"a == 2\"]\n"
                     "  include: [{a: 2, b: x, c: y}, {c: p, b: q, a: r}]\n");
    struct job_points *points = job_points_create(job);
    struct job_point point;

    (void)ctx;
    points_are(job, "a=1 b=x c=y\na=2 b=x c=y\na=r b=q c=p\n");
    job_points_at(points, 2, &point);
    assert_string_equal(point.command.items[2], "x=qp");
    job_points_at(points, 1, &point);
    assert_string_equal(point.command.items[1], "2");
    assert_true(job_points_next(points, &point));
    assert_string_equal(point.command.items[1], "r");
    assert_false(job_points_next(points, &point));
    job_points_destroy(points);
    job_destroy(job);
}

static void a_sweep_may_have_included_points_only(void **ctx)
{
    struct job *job =
        parsed("version: 1\nname: t\noperator: {command: [op, \"${a}\"]}\n"
               "sweep: {include: [{a: 1, b: 2}, {b: 3, a: 4, card: 9}]}\n"
               "cards: {ids: [0, 5]}\n");
    struct job_points *points = job_points_create(job);
    struct job_point point;

    (void)ctx;
    points_are(job, "a=1 b=2 card=0\na=1 b=2 card=5\na=4 b=3 card=9\n");
    job_points_at(points, 2, &point);
    assert_int_equal(point.card, 9);
    job_points_destroy(points);
    job_destroy(job);
}

static void without_a_sweep_there_is_one_point(void **ctx)
{
    struct job *job = parsed("version: 1\nname: t\noperator: {command: [op]}\n");

    (void)ctx;
    points_are(job, "\n");
    assert_int_equal(job_task_count(job), 1);
    job_destroy(job);
}

static void a_program_of_iree_is_measured_without_metrics(void **ctx)
{
    struct job *job = parsed("version: 1\nname: t\noperator: {command: [op]}\n"
                             "sweep: {matrix: {n: [1, 2]}}\n"
                             "profile: {tool: iree, dump: \"m-${n}.*\"}\n"
                             "overrides:\n  - when: \"n == 2\"\n"
                             "    profile: {dump: \"two-${n}\"}\n");
    struct job_points *points = job_points_create(job);
    struct job_point point;
    struct job_forecast forecast;

    (void)ctx;
    assert_int_equal(job_settings(job)->tool, JOB_TOOL_IREE);
    assert_string_equal(job_tool_word(JOB_TOOL_IREE), "iree");
    assert_int_equal(job_settings(job)->metrics.count, 0);
    assert_true(job_is_measured(job_settings(job)));
    assert_true(job_points_next(points, &point));
    assert_string_equal(point.dump, "m-1.*");
    assert_true(job_points_next(points, &point));
    assert_string_equal(point.dump, "two-2");
    assert_int_equal(job_forecast(job, NULL, &forecast, &err), 0);
    assert_int_equal(forecast.passes, 0);
    assert_true(forecast.has_dumps);
    job_points_destroy(points);
    job_destroy(job);
}

static void every_text_may_contain_variables(void **ctx)
{
    struct job *job =
        parsed("version: 1\nname: t\noperator:\n"
               "  command: [\"${a}\", \"--x=${b}/${a}\", \"$${a}$\", \"\"]\n"
               "  env: {A: \"${b}\", B: plain}\n  cwd: /tmp/${a}\n"
               "profile: {kernel: \"K${b}*\"}\n"
               "sweep: {matrix: {a: [1], b: [two words]}}\n"
               "cards: {ids: [5]}\n");
    struct job_points *points = job_points_create(job);
    struct job_point point;

    (void)ctx;
    assert_true(job_points_next(points, &point));
    assert_int_equal(point.command.count, 4);
    assert_string_equal(point.command.items[0], "1");
    assert_string_equal(point.command.items[1], "--x=two words/1");
    assert_string_equal(point.command.items[2], "${a}$");
    assert_string_equal(point.command.items[3], "");
    assert_null(point.command.items[4]);
    assert_string_equal(point.env.items[0], "A=two words");
    assert_string_equal(point.env.items[1], "B=plain");
    assert_null(point.env.items[2]);
    assert_string_equal(point.cwd, "/tmp/1");
    assert_string_equal(point.kernel, "Ktwo words*");
    assert_string_equal(point.text, "a=1 b=two words card=5");
    assert_string_equal(point.values[2], "5");
    assert_int_equal(point.card, 5);
    assert_false(job_points_next(points, &point));
    job_points_destroy(points);
    job_destroy(job);
}

static void overrides_change_the_settings_of_some_points(void **ctx)
{
    struct job *job =
        parsed("version: 1\nname: t\noperator:\n"
               "  command: [op]\n  env: {A: 1, B: \"${m}\"}\n  cwd: /a\n"
               "sweep: {matrix: {m: [1, 2, 3]}}\n"
               "limits: {time: 10s}\n"
               "overrides:\n"
               "  - when: m >= 2\n"
               "    limits: {time: 20s, retries: 0, on: [signal]}\n"
               "    profile: {launch: {count: 7, range: \"step*\"}, kill: on}\n"
               "    operator: {env: {C: x, A: \"two ${m}\"}, cwd: /b}\n"
               "  - {when: m == 3, limits: {time: 30s}, "
               "profile: {kernel: \"K${m}\"}}\n");
    struct job_points *points = job_points_create(job);
    struct job_point point;
    struct job_forecast forecast;

    (void)ctx;
    for (int round = 0; round < 2;
         round++) { /* an earlier point does not change a later one */
        job_points_at(points, 0, &point);
        assert_int_equal(point.settings->time_ms, 10000);
        assert_int_equal(point.settings->retries, 2);
        assert_string_equal(point.env.items[0], "A=1");
        assert_int_equal(point.env.count, 2);
        assert_null(point.env.items[2]);
        assert_string_equal(point.cwd, "/a");
        assert_string_equal(point.settings->launch_range, "");
        assert_string_equal(point.kernel, "");
        assert_true(job_points_next(points, &point));
        assert_int_equal(point.settings->time_ms, 20000);
        assert_int_equal(point.settings->retries, 0);
        assert_int_equal(point.settings->retry_on, JOB_RETRY_SIGNAL);
        assert_int_equal(point.settings->launch_count, 7);
        assert_string_equal(point.settings->launch_range, "step*");
        assert_true(point.settings->kill);
        assert_int_equal(point.settings->warmup, 5);
        assert_string_equal(point.env.items[0], "A=two 2");
        assert_string_equal(point.env.items[1], "B=2");
        assert_string_equal(point.env.items[2], "C=x");
        assert_null(point.env.items[3]);
        assert_string_equal(point.cwd, "/b");
        assert_true(job_points_next(points, &point));
        assert_int_equal(point.settings->time_ms, 30000);
        assert_int_equal(point.settings->launch_count, 7);
        assert_string_equal(point.kernel, "K3");
        assert_string_equal(point.cwd, "/b");
    }
    assert_int_equal(job_settings(job)->time_ms, 10000);
    assert_int_equal(job_forecast(job, NULL, &forecast, &err), 0);
    assert_int_equal(forecast.launches, (1 + 7 + 7) * (1 + 5 + forecast.passes));
    assert_int_equal(forecast.limit_ms, 10000 + 20000 + 30000);
    job_points_destroy(points);
    job_destroy(job);
}

static void a_point_by_index_equals_the_same_point_in_sequence(void **ctx)
{
    struct job *job = parsed_sweep(
        "  matrix:\n"
        "    a: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n"
        "    b: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n"
        "    c: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n"
        "    d: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n"
        "  exclude: [\"a == 3 && b != 7\", \"d == 4\", \"a == 0 && b < 5\"]\n");
    struct job_points *walk = job_points_create(job), *jump = job_points_create(job);
    struct job_point walked, jumped;

    (void)ctx;
    while (job_points_next(walk, &walked)) {
        job_points_at(jump, walked.index, &jumped);
        assert_int_equal(jumped.index, walked.index);
        assert_string_equal(jumped.text, walked.text);
    }
    job_points_at(jump, 7, &jumped);
    assert_true(job_points_next(jump, &jumped));
    assert_int_equal(jumped.index, 8);
    job_points_destroy(walk);
    job_points_destroy(jump);
    job_destroy(job);
}

static void tasks_are_in_order(const char *sweep, const char *expected)
{
    char *all =
        xasprintf("  matrix: {a: [1, 2, 3], b: [x], c: [x]}\n  repeat: 2\n%s", sweep);
    struct job *job = parsed_sweep(all);
    struct text tasks = {0};

    for (uint64_t n = 0; n < job_task_count(job); n++) {
        struct job_task task = job_task_at(job, n);

        text_printf(&tasks, "%d.%d ", (int)task.point, (int)task.repeat);
    }
    assert_string_equal(text_get(&tasks), expected);
    text_clear(&tasks);
    job_destroy(job);
    free(all);
}

static void tasks_have_the_order_of_the_job_file(void **ctx)
{
    (void)ctx;
    tasks_are_in_order("", "0.0 1.0 2.0 0.1 1.1 2.1 ");
    tasks_are_in_order("  order: interleaved\n", "0.0 1.0 2.0 0.1 1.1 2.1 ");
    tasks_are_in_order("  order: sequential\n", "0.0 0.1 1.0 1.1 2.0 2.1 ");
}

static void a_random_order_contains_every_task_once(void **ctx)
{
    (void)ctx;
    for (int seed = 0; seed < 20; seed++) {
        char *sweep =
            xasprintf("  matrix: {a: [1, 2, 3, 4, 5, 6, 7], b: [x, y], c: [x]}\n"
                      "  order: random\n  repeat: 5\n  seed: %d\n",
                      seed);
        struct job *job = parsed_sweep(sweep);
        bool seen[70] = {false};
        size_t unmoved = 0;

        for (uint64_t n = 0; n < job_task_count(job); n++) {
            struct job_task task = job_task_at(job, n);
            uint64_t place = task.point * 5 + task.repeat;

            assert_true(task.point < 14 && task.repeat < 5 && !seen[place]);
            seen[place] = true;
            unmoved += place == n;
        }
        assert_true(unmoved < 12);
        job_destroy(job);
        free(sweep);
    }
}

static void the_card_of_a_point_is_a_variable_in_use(void **ctx)
{
    struct job *job = parsed(HEAD "sweep: {matrix: {a: [1], b: [1], c: [1], d: [1]}}\n"
                                  "cards: {ids: [0, 1]}\n");

    (void)ctx;
    assert_int_equal(job_variable_count(job), 5);
    assert_true(job_variable_is_used(job, 0));
    assert_string_equal(job_variable_name(job, 3), "d");
    assert_false(job_variable_is_used(job, 3));
    assert_true(job_variable_is_used(job, 4));
    job_destroy(job);
}

static void settings_have_their_defaults(void **ctx)
{
    struct job *job = parsed("version: 1\nname: t\noperator: {command: [op]}\n");
    const struct job_settings *settings = job_settings(job);

    (void)ctx;
    assert_string_equal(settings->name, "t");
    assert_int_equal(settings->ranks, 1);
    assert_int_equal(settings->repeat, 1);
    assert_int_equal(settings->metrics.count, 1);
    assert_string_equal(settings->metrics.items[0], "Default");
    assert_int_equal(settings->launch_count, 1);
    assert_string_equal(settings->soc, "*");
    assert_int_equal(settings->exclusive, JOB_EXCLUSIVE_CARD);
    assert_int_equal(settings->together, JOB_ANYWHERE);
    assert_int_equal(settings->host_cap, 0);
    assert_int_equal(settings->time_ms, 600000);
    assert_int_equal(settings->retries, 2);
    assert_int_equal(settings->retry_on, JOB_RETRY_WORKER_LOST | JOB_RETRY_TIMEOUT);
    assert_string_equal(settings->compare_against, "");
    assert_int_equal(settings->priority, 50);
    assert_false(settings->threads);
    assert_int_equal(settings->per_host, 0);
    assert_int_equal(settings->hosts.count, 0);
    assert_int_equal(settings->barrier_ms, 10000);
    assert_string_equal(job_replay_word(settings->replay), "kernel");
    job_destroy(job);
}

static void a_gang_consists_of_processes_or_threads(void **ctx)
{
    struct job *job = parsed("version: 1\nname: t\npriority: 90\n"
                             "operator: {command: [op], ranks: 8}\n"
                             "profile: {replay: range, barrier: {deadline: 250ms}}\n"
                             "cards: {per_host: 4, hosts: [node-*, x]}\n");
    const struct job_settings *settings = job_settings(job);
    struct job_forecast forecast;

    (void)ctx;
    assert_int_equal(settings->priority, 90);
    assert_int_equal(settings->ranks, 8);
    assert_false(settings->threads);
    assert_int_equal(settings->per_host, 4);
    assert_int_equal(settings->hosts.count, 2);
    assert_string_equal(settings->hosts.items[0], "node-*");
    assert_null(settings->hosts.items[2]);
    assert_int_equal(settings->barrier_ms, 250);
    assert_string_equal(job_replay_word(settings->replay), "range");
    assert_int_equal(job_forecast(job, NULL, &forecast, &err), 0);
    assert_int_equal(forecast.launches, 8 * (1 + 5 + forecast.passes));
    job_destroy(job);

    job = parsed("version: 1\nname: t\noperator: {command: [op], threads: 4}\n"
                 "cards: {per_host: 4}\n");
    assert_int_equal(job_settings(job)->ranks, 4);
    assert_true(job_settings(job)->threads);
    job_destroy(job);
}

static void the_sweep_gives_each_point_its_number_of_ranks(void **ctx)
{
    static const uint64_t wanted[] = {1, 4, 2, 4, 8};
    struct job *job = parsed("version: 1\nname: t\n"
                             "operator: {command: [op, \"${m}\"], ranks: \"${n}\"}\n"
                             "sweep: {matrix: {m: [5, 6], n: [1, 4, 2]},"
                             " exclude: [\"m == 6 && n != 4\"],"
                             " include: [{m: 7, n: 8}]}\n");
    struct job_points *points = job_points_create(job);
    struct job_forecast forecast;
    struct job_point point;

    (void)ctx;
    assert_int_equal(job_ranks_variable(job), 1);
    assert_int_equal(job_variable_axis(job, 1), 1);
    assert_int_equal(job_settings(job)->ranks, 8);
    for (size_t i = 0; i < COUNT(wanted); i++) {
        assert_true(job_points_next(points, &point));
        assert_int_equal(point.settings->ranks, wanted[i]);
        assert_int_equal(job_point_ranks(job, i), wanted[i]);
    }
    assert_false(job_points_next(points, &point));
    job_points_destroy(points);
    assert_int_equal(job_forecast(job, NULL, &forecast, &err), 0);
    assert_int_equal(forecast.launches, (1 + 4 + 2 + 4 + 8) * (6 + forecast.passes));
    job_destroy(job);

    job = parsed("version: 1\nname: t\noperator: {command: [op], ranks: 3}\n");
    assert_true(job_ranks_variable(job) == SIZE_MAX);
    assert_int_equal(job_point_ranks(job, 0), 3);
    job_destroy(job);
}

/* Also checks that the member after it does not change. */
static void a_switch_is_on_or_off(void **ctx)
{
    static const struct {
        const char *word;
        bool on;
    } cases[] = {{"on", true}, {"off", false}, {"true", true}, {"false", false}};
    char text[120];

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        snprintf(
            text, sizeof(text),
            "version: 1\nname: t\noperator: {command: [op]}\nprofile: {kill: %s}\n",
            cases[i].word);
        struct job *job = parsed(text);

        assert_int_equal(job_settings(job)->kill, cases[i].on);
        assert_string_equal(job_settings(job)->soc, "*");
        job_destroy(job);
    }
}

static void settings_have_the_values_of_the_file(void **ctx)
{
    struct job *job;

    (void)ctx;
    assert_int_equal(job_parse_file(&job, "samples/good/full.yaml", &problems, &err),
                     0);
    const struct job_settings *settings = job_settings(job);
    assert_int_equal(settings->repeat, 5);
    assert_int_equal(settings->order, JOB_RANDOM);
    assert_int_equal(settings->seed, 42);
    assert_int_equal(settings->metrics.count, 2);
    assert_int_equal(settings->warmup, 3);
    assert_int_equal(settings->launch_count, 2);
    assert_int_equal(settings->launch_skip, 1);
    assert_string_equal(settings->soc, "Ascend910B*");
    assert_int_equal(settings->per_host, 4);
    assert_int_equal(settings->host_cap, 4);
    assert_int_equal(settings->together, JOB_ON_ONE_SWITCH);
    assert_int_equal(settings->time_ms, 300000);
    assert_int_equal(settings->retries, 1);
    assert_int_equal(settings->retry_on, 7);
    assert_string_equal(settings->compare_against, "nightly");
    assert_true(settings->compare_tolerance == 0.02);
    job_destroy(job);
}

static const struct job_confirm *confirm_of(const char *value, struct job **job)
{
    char text[256];

    snprintf(text, sizeof(text),
             "version: 1\nname: a\noperator: {command: [op]}\n"
             "compare: {against: b}\ngate: {confirm: %s}\n",
             value);
    *job = parsed(text);
    return &job_settings(*job)->gate.confirm;
}

static void the_settings_of_a_confirmation_switch_it_on(void **ctx)
{
    const struct job_confirm *confirm;
    struct job *job;

    (void)ctx;
    confirm = confirm_of("off", &job);
    assert_false(confirm->wanted);
    job_destroy(job);
    confirm = confirm_of("on", &job);
    assert_true(confirm->wanted);
    assert_int_equal(confirm->pairs, 8);
    assert_int_equal(confirm->sessions, 2);
    assert_int_equal(confirm->cards, 3);
    assert_int_equal(confirm->suspects, 30);
    assert_int_equal(confirm->time_ms, 3600000);
    job_destroy(job);
    confirm =
        confirm_of("{pairs: 7, sessions: 1, cards: 2, suspects: 4, time: 5m}", &job);
    assert_true(confirm->wanted);
    assert_int_equal(confirm->pairs, 7);
    assert_int_equal(confirm->sessions, 1);
    assert_int_equal(confirm->cards, 2);
    assert_int_equal(confirm->suspects, 4);
    assert_int_equal(confirm->time_ms, 300000);
    job_destroy(job);
}

static void a_gate_has_the_values_of_the_file(void **ctx)
{
    struct job *job;

    (void)ctx;
    assert_int_equal(job_parse_file(&job, "samples/good/full.yaml", &problems, &err),
                     0);
    const struct job_gate *gate = &job_settings(job)->gate;
    assert_true(gate->given && !gate->confirm.wanted);
    assert_int_equal(gate->fail, JOB_FAIL_REGRESSED | JOB_FAIL_NOT_MEASURED |
                                     JOB_FAIL_IMPROVED | JOB_FAIL_UNDECIDED);
    assert_int_equal(gate->causes, JOB_CAUSE_CODE | JOB_CAUSE_UNKNOWN);
    assert_string_equal(gate->canary, "*m=64*");
    assert_string_equal(gate->anchor, "release-8.3");
    assert_true(gate->alpha == 0.02 && gate->discoveries == 0.1 &&
                gate->undecided == 0.1);
    assert_int_equal(gate->tolerance_count, 2);
    assert_true(gate->tolerances[0].tolerance == 0.05);
    assert_string_equal(gate->tolerances[0].metric, "*");
    assert_string_equal(gate->tolerances[1].metric, "*bw*");
    assert_int_equal(gate->tolerances[1].better, JOB_BETTER_MORE);
    job_destroy(job);
}

/* Parses the job with the words of a list. */
static struct job *with_words(const char *before, const char *words, const char *after)
{
    char *text = xasprintf("version: 1\nname: t\noperator: {command: [op]}\n%s%s%s",
                           before, words, after);
    struct job *job = parsed(text);

    free(text);
    return job;
}

static void each_word_of_a_list_is_a_bit_of_its_own(void **ctx)
{
    static const struct {
        const char *word;
        unsigned bits;
    } fails[] = {{"[]", 0},
                 {"[regressed]", JOB_FAIL_REGRESSED},
                 {"[not-measured]", JOB_FAIL_NOT_MEASURED},
                 {"[improved]", JOB_FAIL_IMPROVED},
                 {"[undecided]", JOB_FAIL_UNDECIDED}},
      causes[] = {{"[]", 0},
                  {"[code]", JOB_CAUSE_CODE},
                  {"[card]", JOB_CAUSE_CARD},
                  {"[host]", JOB_CAUSE_HOST},
                  {"[link]", JOB_CAUSE_LINK},
                  {"[environment]", JOB_CAUSE_ENVIRONMENT},
                  {"[unknown]", JOB_CAUSE_UNKNOWN},
                  {"[code, card, host, link, environment, unknown]", JOB_CAUSE_ALL}},
      reasons[] = {{"worker-lost", JOB_RETRY_WORKER_LOST},
                   {"timeout", JOB_RETRY_TIMEOUT},
                   {"failed", JOB_RETRY_FAILED},
                   {"exit-code", JOB_RETRY_EXIT_CODE},
                   {"signal", JOB_RETRY_SIGNAL},
                   {"rank-missing", JOB_RETRY_RANK_MISSING},
                   {"not-injected", JOB_RETRY_NOT_INJECTED},
                   {"nothing-profiled", JOB_RETRY_NOTHING_PROFILED},
                   {"too-few-launches", JOB_RETRY_TOO_FEW_LAUNCHES}};
    struct job *job;

    (void)ctx;
    for (size_t i = 0; i < COUNT(fails); i++) {
        job = with_words("compare: {against: x}\ngate: {fail: ", fails[i].word, "}\n");
        assert_int_equal(job_settings(job)->gate.fail, fails[i].bits);
        assert_int_equal(job_settings(job)->gate.causes, JOB_CAUSE_ALL);
        job_destroy(job);
    }
    for (size_t i = 0; i < COUNT(causes); i++) {
        job =
            with_words("compare: {against: x}\ngate: {causes: ", causes[i].word, "}\n");
        assert_int_equal(job_settings(job)->gate.causes, causes[i].bits);
        assert_int_equal(job_settings(job)->gate.fail,
                         JOB_FAIL_REGRESSED | JOB_FAIL_NOT_MEASURED);
        job_destroy(job);
    }
    for (size_t i = 0; i < COUNT(reasons); i++) {
        job = with_words("limits: {on: [", reasons[i].word, "]}\n");
        assert_int_equal(job_settings(job)->retry_on, reasons[i].bits);
        assert_int_equal(job_retry_class(reasons[i].word), reasons[i].bits);
        job_destroy(job);
        for (size_t k = 0; k < i; k++)
            assert_int_equal(reasons[i].bits & reasons[k].bits, 0);
    }
    assert_int_equal(job_retry_class("tired"), 0);
    for (size_t i = 0; i < COUNT(causes) - 1; i++)
        for (size_t k = 0; k < i; k++)
            assert_int_equal(causes[i].bits & causes[k].bits, 0);
    for (size_t i = 0; i < COUNT(fails); i++)
        for (size_t k = 0; k < i; k++)
            assert_int_equal(fails[i].bits & fails[k].bits, 0);
}

static void a_gate_without_settings_has_defaults(void **ctx)
{
    struct job *job = with_words("", "", "compare: {against: x}\ngate: {}\n");
    const struct job_gate *gate = &job_settings(job)->gate;

    (void)ctx;
    assert_true(gate->given && gate->confirm.wanted);
    assert_string_equal(gate->anchor, "");
    assert_string_equal(gate->canary, "");
    assert_true(gate->alpha == 0.01 && gate->discoveries == 0.05 &&
                gate->undecided == 0.05);
    assert_int_equal(gate->tolerance_count, 0);
    job_destroy(job);
    job = with_words("", "", "");
    assert_false(job_settings(job)->gate.given);
    job_destroy(job);
    job = with_words("compare: {against: x}\ngate: {tolerances: [",
                     "{metric: a*, better: less}, {tolerance: 0%}", "]}\n");
    gate = &job_settings(job)->gate;
    assert_string_equal(gate->tolerances[0].metric, "a*");
    assert_int_equal(gate->tolerances[0].better, JOB_BETTER_LESS);
    assert_true(gate->tolerances[0].tolerance < 0);
    assert_int_equal(gate->tolerances[1].better, JOB_BETTER_USUAL);
    assert_true(gate->tolerances[1].tolerance == 0);
    job_destroy(job);
}

/* A tool that needs no inject has no counters; its own settings are kept. */
static void each_tool_has_settings_of_its_own(void **ctx)
{
    static const struct {
        const char *profile;
        enum job_tool tool;
        const char *streams, *filter, *simulation, *cores;
    } cases[] = {
        {"profile: {warmup: 1}", JOB_TOOL_NPU, "", "", "", ""},
        {"profile: {tool: xpti}", JOB_TOOL_XPTI, "", "", "", ""},
        {"profile: {tool: xpti, streams: [sycl, ur], filter: 'a|b'}", JOB_TOOL_XPTI,
         "sycl\nur", "a|b", "", ""},
        {"profile: {tool: simulator}", JOB_TOOL_SIMULATOR, "", "", "TimelineDetail",
         ""},
        {"profile: {tool: simulator, metrics: [PMSampling, resourceConflictRatio], "
         "cores: '0,2-3'}",
         JOB_TOOL_SIMULATOR, "", "", "ResourceConflictRatio,PMSampling", "0,2-3"},
        {"profile: {tool: framework, collect: \"*_pt\"}", JOB_TOOL_FRAMEWORK, "", "",
         "", ""},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const bool is_npu = cases[i].tool == JOB_TOOL_NPU;
        struct job *job = with_words("", "", cases[i].profile);
        const struct job_settings *settings = job_settings(job);
        struct job_forecast forecast;

        assert_int_equal(settings->tool, cases[i].tool);
        assert_string_equal(settings->streams, cases[i].streams);
        assert_string_equal(settings->filter, cases[i].filter);
        assert_string_equal(settings->simulation, cases[i].simulation);
        assert_string_equal(settings->cores, cases[i].cores);
        assert_int_equal(settings->metrics.count, is_npu);
        assert_int_equal(settings->metric_bits != 0, is_npu);
        assert_true(job_is_measured(settings));
        assert_int_equal(job_forecast(job, NULL, &forecast, &err), 0);
        assert_int_equal(forecast.is_traced, cases[i].tool == JOB_TOOL_XPTI);
        assert_int_equal(forecast.is_simulation, cases[i].tool == JOB_TOOL_SIMULATOR);
        assert_int_equal(forecast.has_dumps, cases[i].tool == JOB_TOOL_FRAMEWORK);
        assert_int_equal(forecast.launches > 0, is_npu);
        job_destroy(job);
    }
    assert_string_equal(job_files_key(JOB_TOOL_FRAMEWORK), "collect");
    assert_string_equal(job_files_key(JOB_TOOL_IREE), "dump");
}

static void a_job_without_metrics_only_runs(void **ctx)
{
    struct job *job = with_words("profile: {metrics: [", "", "]}\n");

    (void)ctx;
    assert_int_equal(job_settings(job)->metrics.count, 0);
    assert_int_equal(job_settings(job)->metric_bits, 0);
    assert_false(job_is_measured(job_settings(job)));
    assert_int_equal(job_check_model(job, "Ascend310P3", &err), 0);
    job_destroy(job);
}

/* The simulator executes one point in each process. */
static void muster_runner_executes_many_points_in_a_process(void **ctx)
{
    static const struct {
        const char *rest;
        uint64_t renew;
    } cases[] = {{"}\n", 1000},
                 {", renew: 7}\n", 7},
                 {", renew: 0}\n", 0},
                 {"}\nprofile: {tool: simulator}\n", 0}};

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *text = xasprintf(
            "version: 1\nname: t\noperator: {kernel: k.o, entry: e, args: [\"in fp32 "
            "4\"]%s",
            cases[i].rest);
        struct job *job = parsed(text);
        struct job_points *points = job_points_create(job);
        struct job_point point;

        assert_true(job_settings(job)->runner);
        assert_int_equal(job_settings(job)->renew, cases[i].renew);
        assert_true(job_points_next(points, &point));
        assert_int_equal(point.command.count, JOB_RUNNER_WORDS + 1);
        assert_string_equal(point.command.items[0], "muster-runner");
        assert_string_equal(point.command.items[1], "kernel");
        assert_string_equal(point.command.items[JOB_RUNNER_FILE], "k.o");
        assert_string_equal(point.command.items[3], "e");
        assert_string_equal(point.command.items[4], "1");
        assert_string_equal(point.command.items[JOB_RUNNER_WORDS], "in fp32 4");
        assert_int_equal(point.program, 0);
        job_points_destroy(points);
        job_destroy(job);
        free(text);
    }
}

static void a_tolerance_applies_to_the_points_of_its_condition(void **ctx)
{
    static const char yaml[] = "version: 1\nname: t\noperator: {command: [op]}\n"
                               "sweep: {matrix: {m: [1, 2]}}\ncompare: {against: x}\n"
                               "gate: {tolerances: [{when: m == 2, tolerance: 5%},"
                               " {tolerance: 3%}]}\n";
    struct job_point point;
    struct job *job;

    (void)ctx;
    assert_int_equal(job_parse(&job, yaml, strlen(yaml), &problems), 0);
    struct job_points *points = job_points_create(job);
    assert_true(job_points_next(points, &point));
    assert_int_equal(point.tolerances, 2);
    assert_true(job_points_next(points, &point));
    assert_int_equal(point.tolerances, 3);
    job_points_destroy(points);
    job_destroy(job);
}

static void ranges_of_launches_are_one_pattern_or_a_list(void **ctx)
{
    static const struct {
        const char *text, *lines;
        uint64_t entries;
    } cases[] = {
        {"'fo*|ba*'", "fo*|ba*", 1},
        {"[step]", "step", 1},
        {"['fo*|warm', ba*, step]", "fo*|warm\nba*\nstep", 3},
    };
    struct job_forecast forecast;

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[200];

        snprintf(text, sizeof(text),
                 "version: 1\nname: t\noperator: {command: [op]}\n"
                 "profile: {launch: {count: 2, range: %s}}\n",
                 cases[i].text);
        struct job *job = parsed(text);

        assert_string_equal(job_settings(job)->launch_range, cases[i].lines);
        assert_int_equal(job_forecast(job, NULL, &forecast, &err), 0);
        assert_int_equal(forecast.launches,
                         2 * cases[i].entries * (1 + 5 + forecast.passes));
        job_destroy(job);
    }
}

static void limits_on_selects_the_reasons_of_retries(void **ctx)
{
    struct job *job =
        parsed("version: 1\nname: t\noperator: {command: [op]}\n"
               "limits: {on: [signal, rank-missing, not-injected, exit-code]}\n");

    (void)ctx;
    assert_int_equal(job_settings(job)->retry_on,
                     JOB_RETRY_SIGNAL | JOB_RETRY_RANK_MISSING |
                         JOB_RETRY_NOT_INJECTED | JOB_RETRY_EXIT_CODE);
    job_destroy(job);
}

static void the_forecast_counts_points_tasks_and_passes(void **ctx)
{
    struct job *job;
    struct job_forecast forecast;

    (void)ctx;
    assert_int_equal(job_parse_file(&job, "samples/good/full.yaml", &problems, &err),
                     0);
    assert_int_equal(job_forecast(job, NULL, &forecast, &err), 0);
    assert_int_equal(forecast.points, 20);
    assert_int_equal(forecast.tasks, 100);
    assert_true(forecast.passes >= 1 && forecast.passes <= 12);
    assert_int_equal(forecast.launches, 100 * 2 * (1 + 3 + forecast.passes));
    assert_int_equal(forecast.limit_ms, 100 * 300000);
    assert_string_equal(forecast.chip, "Ascend910B2");
    job_destroy(job);
}

static void a_metric_that_a_model_does_not_have_is_refused(void **ctx)
{
    struct job *job = parsed("version: 1\nname: t\noperator: {command: [op]}\n"
                             "profile: {metrics: [Default, Occupancy]}\n");

    (void)ctx;
    assert_int_equal(job_check_model(job, "Ascend910B2", &err), 0);
    assert_int_equal(job_check_model(job, "Ascend950PR_9599", &err), 0);
    assert_int_equal(job_check_model(job, "unknown", &err), 0);
    assert_int_equal(job_check_model(job, "Ascend310P3", &err), -1);
    assert_string_equal(
        err.text,
        "profile.metrics: the 310P does not have metric 'Occupancy'; remove it");
    job_destroy(job);
}

static void a_forecast_is_for_the_model_of_the_cards(void **ctx)
{
    struct job *job = parsed("version: 1\nname: t\noperator: {command: [op]}\n"
                             "profile: {metrics: [Default, Occupancy]}\n");
    struct job_forecast forecast;

    (void)ctx;
    assert_int_equal(job_forecast(job, "Ascend310P3", &forecast, &err), -1);
    assert_string_equal(
        err.text,
        "profile.metrics: the 310P does not have metric 'Occupancy'; remove it");
    assert_int_equal(job_forecast(job, "Ascend950PR_9599", &forecast, &err), 0);
    assert_string_equal(forecast.chip, "Ascend950PR_9599");
    assert_int_equal(job_forecast(job, "unknown", &forecast, &err), 0);
    assert_string_equal(forecast.chip, "Ascend910B2");
    job_destroy(job);
}

/* Returns the tasks in the order of execution, as points and repeats. */
static char *order_of(const char *sweep)
{
    char *text = xasprintf("version: 1\nname: t\noperator: {command: [op]}\n"
                           "sweep: {matrix: {side: [A, B]}, %s}\n",
                           sweep);
    struct job *job = parsed(text);
    struct text order = {0};

    for (uint64_t i = 0; i < job_task_count(job); i++) {
        struct job_task task = job_task_at(job, i);

        text_printf(&order, "%s%s", i % 2 ? "" : i ? " " : "", task.point ? "B" : "A");
        assert_int_equal(task.repeat, i / 2);
    }
    job_destroy(job);
    free(text);
    return text_take(&order);
}

static void a_balanced_order_turns_the_points_around_in_each_session(void **ctx)
{
    static const struct {
        const char *sweep, *order;
    } cases[] = {
        {"repeat: 8, order: balanced", "AB BA BA AB BA AB AB BA"},
        {"repeat: 8, order: balanced, sessions: 2", "AB BA BA AB BA AB AB BA"},
        {"repeat: 6, order: balanced, sessions: 2", "AB BA BA BA AB AB"},
        {"repeat: 2, order: balanced, sessions: 9", "AB BA"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *order = order_of(cases[i].sweep);

        assert_string_equal(order, cases[i].order);
        free(order);
    }
}

static void words_are(const struct job_list *list, const char *expected)
{
    struct text all = {0};

    for (size_t i = 0; i < list->count; i++)
        text_printf(&all, "%s%s", i ? "|" : "", list->items[i]);
    assert_string_equal(text_get(&all), expected);
    assert_null(list->items[list->count]);
    text_clear(&all);
}

static void an_override_replaces_the_program_and_its_version(void **ctx)
{
    struct job *job = parsed(
        "version: 1\nname: t\n"
        "operator: {command: [op, \"${side}\"], env: {X: base, Z: kept},\n"
        "  ranks: 2,\n"
        "  version: {path: new, container: [box, \"${side}\"],\n"
        "            environment: {X: version, Y: \"1\"}}}\n"
        "sweep: {matrix: {side: [A, B]}}\n"
        "cards: {at: [\"${side}:0\", \"h:7\"]}\n"
        "overrides:\n"
        "- when: side == A\n"
        "  operator: {command: [other, a, b, c], version: {path: \"old/${side}\"}}\n");
    struct job_points *points = job_points_create(job);
    struct job_point point;

    (void)ctx;
    assert_true(job_points_next(points, &point));
    words_are(&point.command, "box|A|other|a|b|c");
    assert_int_equal(point.program, 2);
    assert_string_equal(point.path, "old/A");
    words_are(&point.env, "X=version|Z=kept|Y=1");
    words_are(&point.places, "A:0|h:7");
    assert_true(job_points_next(points, &point));
    words_are(&point.command, "box|B|op|B");
    assert_string_equal(point.path, "new");
    words_are(&point.places, "B:0|h:7");
    job_points_destroy(points);
    job_destroy(job);
}

static void a_place_is_a_host_and_a_card(void **ctx)
{
    static const char *const bad[] = {"a",    ":1",           "a:", "a:x",
                                      "a:-1", "a:4294967296", ""};
    char host[8];
    uint32_t card;

    (void)ctx;
    assert_true(job_place_parse("a:b:12", host, sizeof(host), &card));
    assert_string_equal(host, "a:b");
    assert_int_equal(card, 12);
    assert_true(job_place_parse("1234567:0", host, sizeof(host), &card));
    assert_false(job_place_parse("12345678:0", host, sizeof(host), &card));
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_false(job_place_parse(bad[i], host, sizeof(host), &card));
}

static void a_million_points_are_visited_one_by_one(void **ctx)
{
    struct text sweep = {0};
    struct job_point point;
    uint64_t count = 0;

    (void)ctx;
    text_add(&sweep, "  exclude: [\"a == 3 && f == 4\"]\n  matrix:\n");
    for (char name = 'a'; name <= 'f'; name++)
        text_printf(&sweep, "    %c: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n", name);
    struct job *job = parsed_sweep(text_get(&sweep));
    assert_int_equal(job_point_count(job), 990000);
    struct job_points *points = job_points_create(job);
    while (job_points_next(points, &point))
        count++;
    assert_int_equal(count, 990000);
    assert_string_equal(point.text, "a=9 b=9 c=9 d=9 e=9 f=9");
    job_points_destroy(points);
    job_destroy(job);
    text_clear(&sweep);
}

static void a_missing_file_is_an_error_without_problems(void **ctx)
{
    struct job *job;

    (void)ctx;
    assert_int_equal(job_parse_file(&job, "no/such.yaml", &problems, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_int_equal(problems.count, 0);
}

static void problems_beyond_the_limit_are_only_counted(void **ctx)
{
    struct text file = {0}, printed = {0};
    struct job *job;

    (void)ctx;
    text_add(&file, HEAD);
    for (int i = 0; i < 500; i++)
        text_printf(&file, "wrong%d: 1\n", i);
    assert_int_equal(job_parse(&job, file.bytes, file.length, &problems), -1);
    problems_print(&problems, "f", &printed);
    assert_non_null(strstr(text_get(&printed), "f: 302 more problems are not shown\n"));
    problems_clear(&problems);
    text_clear(&file);
    text_clear(&printed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_name_changes_slowest),
        cmocka_unit_test(each_zip_entry_is_one_axis),
        cmocka_unit_test(excluded_points_leave_no_gap_in_the_indexes),
        cmocka_unit_test(a_range_adds_or_subtracts_or_multiplies),
        cmocka_unit_test(included_points_follow_those_of_the_axes),
        cmocka_unit_test(a_sweep_may_have_included_points_only),
        cmocka_unit_test(without_a_sweep_there_is_one_point),
        cmocka_unit_test(a_program_of_iree_is_measured_without_metrics),
        cmocka_unit_test(every_text_may_contain_variables),
        cmocka_unit_test(overrides_change_the_settings_of_some_points),
        cmocka_unit_test(a_point_by_index_equals_the_same_point_in_sequence),
        cmocka_unit_test(tasks_have_the_order_of_the_job_file),
        cmocka_unit_test(a_random_order_contains_every_task_once),
        cmocka_unit_test(the_card_of_a_point_is_a_variable_in_use),
        cmocka_unit_test(settings_have_their_defaults),
        cmocka_unit_test(a_gang_consists_of_processes_or_threads),
        cmocka_unit_test(the_sweep_gives_each_point_its_number_of_ranks),
        cmocka_unit_test(a_switch_is_on_or_off),
        cmocka_unit_test(settings_have_the_values_of_the_file),
        cmocka_unit_test(the_settings_of_a_confirmation_switch_it_on),
        cmocka_unit_test(a_gate_has_the_values_of_the_file),
        cmocka_unit_test(each_word_of_a_list_is_a_bit_of_its_own),
        cmocka_unit_test(a_gate_without_settings_has_defaults),
        cmocka_unit_test(each_tool_has_settings_of_its_own),
        cmocka_unit_test(a_job_without_metrics_only_runs),
        cmocka_unit_test(muster_runner_executes_many_points_in_a_process),
        cmocka_unit_test(a_tolerance_applies_to_the_points_of_its_condition),
        cmocka_unit_test(ranges_of_launches_are_one_pattern_or_a_list),
        cmocka_unit_test(limits_on_selects_the_reasons_of_retries),
        cmocka_unit_test(the_forecast_counts_points_tasks_and_passes),
        cmocka_unit_test(a_metric_that_a_model_does_not_have_is_refused),
        cmocka_unit_test(a_forecast_is_for_the_model_of_the_cards),
        cmocka_unit_test(a_balanced_order_turns_the_points_around_in_each_session),
        cmocka_unit_test(an_override_replaces_the_program_and_its_version),
        cmocka_unit_test(a_place_is_a_host_and_a_card),
        cmocka_unit_test(a_million_points_are_visited_one_by_one),
        cmocka_unit_test(a_missing_file_is_an_error_without_problems),
        cmocka_unit_test(problems_beyond_the_limit_are_only_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
