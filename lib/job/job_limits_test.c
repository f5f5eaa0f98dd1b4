/* job_limits_test.c - the limits of a job file: the last permitted value of each key is
 * accepted, and the next one is a problem of that key */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"
#include "tests/support/unit.h"

#define HEAD          "version: 1\nname: t\n"
#define COMMAND       HEAD "operator: {command: [op]}\n"
#define A             COMMAND "sweep: {matrix: {a: [1]}}\n"
#define OPERATOR      HEAD "operator: {command: [op], "
#define GATE          COMMAND "compare: {against: x}\ngate: "
#define GATE_OF_RANKS OPERATOR "ranks: 1024}\ncompare: {against: x}\ngate: "

/* Returns the keys and texts of all problems, one per line; "" when there is none. */
static char *problems_of(const char *yaml)
{
    struct problems problems = {0};
    struct text all = {0};
    struct job *job;

    if (job_parse(&job, yaml, strlen(yaml), &problems) == 0)
        job_destroy(job);
    for (size_t i = 0; i < problems.count && i < PROBLEMS_MAX; i++)
        text_printf(&all, "%s: %s\n", problems.items[i].key, problems.items[i].text);
    problems_clear(&problems);
    return text_take(&all);
}

static void must_accept(const char *yaml)
{
    char *problems = problems_of(yaml);

    if (problems && *problems)
        fail_msg("%.200s\n%s", yaml, problems);
    free(problems);
}

/* The first problem is of this key, and its text has these words. */
static void must_reject(const char *yaml, const char *key, const char *words)
{
    char *problems = problems_of(yaml);

    if (!problems || strncmp(problems, key, strlen(key)) != 0 ||
        !strstr(problems, words))
        fail_msg("%.200s\n%s", yaml, problems ? problems : "no problem");
    free(problems);
}

static struct job *parse(const char *yaml)
{
    struct problems problems = {0};
    struct job *job;

    if (job_parse(&job, yaml, strlen(yaml), &problems) < 0)
        fail_msg("%s: %s: %s", yaml, problems.items[0].key, problems.items[0].text);
    problems_clear(&problems);
    return job;
}

static void the_launch_count_is_a_number_or_all(void **ctx)
{
    (void)ctx;
    must_accept(COMMAND "profile: {launch: {count: all}}");
    must_reject(COMMAND "profile: {launch: {count: every}}", "profile.launch.count",
                "expected a whole number from 1 to 100000 or 'all', found 'every'");
    must_reject(COMMAND "profile: {launch: {count: all}, kill: on}", "profile.kill",
                "a program whose launches are all measured runs to its end");
}

static void numbers_have_a_least_and_a_most_value(void **ctx)
{
    static const struct {
        const char *before;
        uint64_t least, most;
        const char *after, *key;
    } cases[] = {
        {COMMAND "priority: ", 0, 100, "", "priority"},
        {COMMAND "sweep: {repeat: ", 1, 10000, "}", "sweep.repeat"},
        {COMMAND "profile: {warmup: ", 0, 1000, "}", "profile.warmup"},
        {COMMAND "profile: {launch: {count: ", 1, 100000, "}}", "profile.launch.count"},
        {COMMAND "profile: {launch: {skip: ", 0, 1000000000, "}}",
         "profile.launch.skip"},
        {COMMAND "cards: {host_cap: ", 1, 1024, "}", "cards.host_cap"},
        {COMMAND "cards: {per_host: ", 1, 1024, "}", "cards.per_host"},
        {COMMAND "limits: {retries: ", 0, 100, "}", "limits.retries"},
        {OPERATOR "ranks: ", 1, 1024, "}", "operator.ranks"},
        {OPERATOR "threads: ", 1, 1024, "}", "operator.threads"},
        {HEAD "operator: {kernel: k.o, entry: k, renew: ", 0, 10000000, "}",
         "operator.renew"},
        {COMMAND "cards: {ids: [", 0, 65535, "]}", "cards.ids[0]"},
        {COMMAND "sweep: {order: balanced, sessions: ", 1, 1000, "}", "sweep.sessions"},
        {GATE "{confirm: {pairs: ", 7, 100, "}}", "gate.confirm.pairs"},
        {GATE "{confirm: {sessions: ", 1, 20, "}}", "gate.confirm.sessions"},
        {GATE "{confirm: {cards: ", 1, 3, "}}", "gate.confirm.cards"},
        {GATE "{confirm: {suspects: ", 1, 32, "}}", "gate.confirm.suspects"},
        {GATE_OF_RANKS "{rotate: ", 1, 1024, "}", "gate.rotate"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const uint64_t good[] = {cases[i].least, cases[i].most};
        char yaml[300];

        for (size_t k = 0; k < COUNT(good); k++) {
            snprintf(yaml, sizeof(yaml), "%s%" PRIu64 "%s\n", cases[i].before, good[k],
                     cases[i].after);
            must_accept(yaml);
        }
        snprintf(yaml, sizeof(yaml), "%s%" PRIu64 "%s\n", cases[i].before,
                 cases[i].most + 1, cases[i].after);
        must_reject(yaml, cases[i].key, "expected");
        snprintf(yaml, sizeof(yaml), "%s%" PRId64 "%s\n", cases[i].before,
                 (int64_t)cases[i].least - 1, cases[i].after);
        must_reject(yaml, cases[i].key, "expected");
    }
}

static void times_have_a_least_and_a_most_value(void **ctx)
{
    static const struct {
        const char *before, *least, *below, *most, *above, *after, *key;
    } cases[] = {
        {COMMAND "limits: {time: ", "1ms", "0ms", "30d", "2592000001ms", "}\n",
         "limits.time"},
        {COMMAND "profile: {barrier: {deadline: ", "10ms", "9ms", "1h", "3600001ms",
         "}}\n", "profile.barrier.deadline"},
        {GATE "{confirm: {time: ", "1s", "999ms", "30d", "2592000001ms", "}}\n",
         "gate.confirm.time"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *times[] = {cases[i].least, cases[i].most, cases[i].below,
                               cases[i].above};

        for (size_t k = 0; k < COUNT(times); k++) {
            char yaml[200];

            snprintf(yaml, sizeof(yaml), "%s%s%s", cases[i].before, times[k],
                     cases[i].after);
            if (k < 2)
                must_accept(yaml);
            else
                must_reject(yaml, cases[i].key, "expected");
        }
    }
}

/* Writes `before`, `count` items with their index, and `after`. */
static char *
list_of(const char *before, const char *item, size_t count, const char *after)
{
    struct text yaml = {0};

    text_add(&yaml, before);
    for (size_t i = 0; i < count; i++) {
        const char *mark = strchr(item, '#');

        if (mark)
            text_printf(&yaml, "%.*s%zu%s", (int)(mark - item), item, i, mark + 1);
        else
            text_add(&yaml, item);
        text_add(&yaml, ", ");
    }
    text_add(&yaml, after);
    return text_take(&yaml);
}

/* Each of 1,000,000 points is compared with the conditions of all overrides. */
static void the_conditions_of_all_overrides_are_limited_together(void **ctx)
{
    enum { VALUES = 1000, OVERRIDES = 50, LENGTH = 40 }; /* 2,000,000,000 bytes */
    struct text head = {0}, override = {0};

    (void)ctx;
    text_add(&head, COMMAND "sweep: {matrix: {");
    for (char axis = 'a'; axis <= 'b'; axis++) {
        text_printf(&head, "%c: [0", axis);
        for (int i = 1; i < VALUES; i++)
            text_printf(&head, ", %d", i);
        text_add(&head, "], ");
    }
    text_add(&head, "}}\noverrides: [");
    text_printf(&override, "{when: \"a == 1%*s\", limits: {retries: 1}}",
                LENGTH - (int)strlen("a == 1"), " ");
    char *good = list_of(text_get(&head), text_get(&override), OVERRIDES, "]\n");
    char *bad = list_of(text_get(&head), text_get(&override), OVERRIDES + 1, "]\n");

    must_accept(good);
    must_reject(bad, "overrides[0].when", "checking 2040 bytes of conditions");
    free(good);
    free(bad);
    text_clear(&head);
    text_clear(&override);
}

static void lists_have_a_most_number_of_items(void **ctx)
{
    static const struct {
        const char *before, *item;
        size_t most;
        const char *after, *key;
    } cases[] = {
        {A "overrides: [", "{when: \"a == 1\", limits: {retries: 1}}", 64, "]\n",
         "overrides"},
        {COMMAND "after: [", "x", 64, "]\n", "after"},
        {COMMAND "cards: {hosts: [", "h#", 256, "]}\n", "cards.hosts"},
        {HEAD "operator: {command: [", "x", 1024, "]}\n", "operator.command"},
        {HEAD "operator: {library: k.so, entry: k, args: [", "x", 1024, "]}\n",
         "operator.args"},
        {OPERATOR "env: {", "E#: x", 256, "}}\n", "operator.env"},
        {COMMAND "sweep: {matrix: {", "v#: [1]", 64, "}}\n", "sweep.matrix"},
        {COMMAND "sweep: {zip: [{", "v#: [1]", 256, "}]}\n", "sweep.zip[0].v256"},
        {COMMAND "sweep: {matrix: {a: [1]}, exclude: [", "a == 2", 256, "]}\n",
         "sweep.exclude"},
        {COMMAND "sweep: {matrix: {a: [x]}, include: [", "{a: #}", 4096, "]}\n",
         "sweep.include"},
        {COMMAND "profile: {launch: {range: [", "r#", 16, "]}}\n",
         "profile.launch.range"},
        {GATE "{tolerances: [", "{tolerance: 1%}", 64, "]}\n", "gate.tolerances"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *good =
            list_of(cases[i].before, cases[i].item, cases[i].most, cases[i].after);
        char *bad =
            list_of(cases[i].before, cases[i].item, cases[i].most + 1, cases[i].after);

        must_accept(good);
        must_reject(bad, cases[i].key, "");
        free(good);
        free(bad);
    }
}

static void texts_have_a_most_number_of_bytes(void **ctx)
{
    static const struct {
        const char *before;
        size_t most;
        const char *after, *key;
    } cases[] = {
        {"version: 1\noperator: {command: [op]}\nname: ", 64, "\n", "name"},
        {COMMAND "sweep: {matrix: {a: [", 1024, "]}}\n", "sweep.matrix.a[0]"},
        {HEAD "operator: {command: [op, ", 8192, "]}\n", "operator.command[1]"},
        {OPERATOR "cwd: ", 8192, "}\n", "operator.cwd"},
        {OPERATOR "env: {E: ", 8192, "}}\n", "operator.env.E"},
        {COMMAND "profile: {kernel: ", 256, "}\n", "profile.kernel"},
        {COMMAND "profile: {launch: {range: ", 255, "}}\n", "profile.launch.range"},
        {COMMAND "cards: {soc: ", 64, "}\n", "cards.soc"},
        {COMMAND "cards: {hosts: [", 255, "]}\n", "cards.hosts[0]"},
        {COMMAND "compare: {against: ", 64, "}\n", "compare.against"},
        {COMMAND "compare: {against: x, metric: ", 64, "}\n", "compare.metric"},
        {COMMAND "after: [", 128, "]\n", "after[0]"},
        {COMMAND "profile: {tool: xpti, streams: ", 255, "}\n", "profile.streams"},
        {COMMAND "profile: {tool: xpti, filter: ", 255, "}\n", "profile.filter"},
        {GATE "{anchor: ", 64, "}\n", "gate.anchor"},
        {GATE "{canary: ", 256, "}\n", "gate.canary"},
        {GATE "{tolerances: [{tolerance: 1%, metric: ", 64, "}]}\n",
         "gate.tolerances[0].metric"},
        {COMMAND "sweep: {matrix: {", 64, ": [1]}}\n", "sweep.matrix."},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct text yaml = {0};

        for (size_t more = 0; more < 2; more++) {
            text_reset(&yaml);
            text_add(&yaml, cases[i].before);
            for (size_t k = 0; k < cases[i].most + more; k++)
                text_add_char(&yaml, 'x');
            text_add(&yaml, cases[i].after);
            if (more)
                must_reject(text_get(&yaml), cases[i].key, "");
            else
                must_accept(text_get(&yaml));
        }
        text_clear(&yaml);
    }
}

static void sweeps_have_a_most_number_of_values_points_and_tasks(void **ctx)
{
#define LONG             "{from: 1, to: 65536}"
#define FOUR(a, b, c, d) a ": " LONG ", " b ": " LONG ", " c ": " LONG ", " d ": " LONG
    static const char sixteen[] = FOUR("a", "b", "c", "d") ", " FOUR(
        "e", "f", "g", "h") ", " FOUR("i", "j", "k", "l") ", " FOUR("m", "n", "o", "p");
    char yaml[1200];

    (void)ctx;
    must_accept(COMMAND "sweep: {matrix: {a: " LONG "}}\n");
    must_reject(COMMAND "sweep: {matrix: {a: {from: 1, to: 65537}}}\n",
                "sweep.matrix.a", "more than 65536 values");
    snprintf(yaml, sizeof(yaml), COMMAND "sweep: {zip: [{%s}]}\n", sixteen);
    must_accept(yaml); /* 16 * 65536 = 2^20 values */
    snprintf(yaml, sizeof(yaml), COMMAND "sweep: {zip: [{%s}, {z: [1]}]}\n", sixteen);
    must_reject(yaml, "sweep.zip[1].z", "more than 1048576 values");
    must_accept(COMMAND
                "sweep: {matrix: {a: {from: 1, to: 5000}, b: {from: 1, to: 2000}}}\n");
    must_reject(COMMAND
                "sweep: {matrix: {a: {from: 1, to: 5000}, b: {from: 1, to: 2001}}}\n",
                "sweep", "more than 10000000 points");
    must_accept(COMMAND "sweep: {repeat: 1000, matrix: {a: {from: 1, to: 10000}}}\n");
    must_reject(COMMAND "sweep: {repeat: 1000, matrix: {a: {from: 1, to: 10001}}}\n",
                "sweep.repeat", "more than 10000000 tasks");
}

static void a_range_has_the_values_of_its_steps(void **ctx)
{
    static const struct {
        const char *range;
        uint64_t count;
        const char *first, *last;
    } cases[] = {
        {"{from: 3, to: 3}", 1, "a=3", "a=3"},
        {"{from: 0, to: 0.3, step: 0.1}", 4, "a=0", "a=0.3"},
        {"{from: 1, to: 0, step: -0.25}", 5, "a=1", "a=0"},
        {"{from: 1, to: 1.99, step: 0.5}", 2, "a=1", "a=1.5"},
        {"{from: -1e15, to: 1e15, step: 1e15}", 3, "a=-1000000000000000",
         "a=1000000000000000"},
        {"{from: 1, to: 1, times: 2}", 1, "a=1", "a=1"},
        {"{from: 1, to: 1023.9, times: 2}", 10, "a=1", "a=512"},
        {"{from: 0.1, to: 100, times: 10}", 4, "a=0.1", "a=100"},
        {"{from: 1, to: 2, times: 1.5}", 2, "a=1", "a=1.5"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[200];
        struct job_point point;

        snprintf(yaml, sizeof(yaml), COMMAND "sweep: {matrix: {a: %s}}\n",
                 cases[i].range);
        struct job *job = parse(yaml);
        assert_int_equal(job_point_count(job), cases[i].count);
        struct job_points *points = job_points_create(job);
        job_points_at(points, 0, &point);
        assert_string_equal(point.text, cases[i].first);
        job_points_at(points, cases[i].count - 1, &point);
        assert_string_equal(point.text, cases[i].last);
        job_points_destroy(points);
        job_destroy(job);
    }
}

static void times_have_units_and_limits(void **ctx)
{
    static const struct {
        const char *text;
        uint64_t deadline_ms, time_ms; /* 0: rejected */
    } cases[] = {
        {"9ms", 0, 9},         {"10ms", 10, 10},          {"1s", 1000, 1000},
        {"1m", 60000, 60000},  {"1h", 3600000, 3600000},  {"3600s", 3600000, 3600000},
        {"3601s", 0, 3601000}, {"3600001ms", 0, 3600001}, {"30d", 0, 2592000000},
        {"31d", 0, 0},         {"720h", 0, 2592000000},   {"721h", 0, 0},
        {"0ms", 0, 0},         {"5", 5000, 5000},         {"5 s", 0, 0},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[200];

        snprintf(yaml, sizeof(yaml), COMMAND "profile: {barrier: {deadline: %s}}\n",
                 cases[i].text);
        if (cases[i].deadline_ms) {
            struct job *job = parse(yaml);

            assert_int_equal(job_settings(job)->barrier_ms, cases[i].deadline_ms);
            job_destroy(job);
        } else {
            must_reject(yaml, "profile.barrier.deadline", "expected");
        }
        snprintf(yaml, sizeof(yaml), COMMAND "limits: {time: %s}\n", cases[i].text);
        if (cases[i].time_ms) {
            struct job *job = parse(yaml);

            assert_int_equal(job_settings(job)->time_ms, cases[i].time_ms);
            job_destroy(job);
        } else {
            must_reject(yaml, "limits.time", "expected");
        }
    }
}

static void shares_are_percentages(void **ctx)
{
    static const struct {
        const char *text;
        double share; /* -1: rejected */
    } cases[] = {
        {"0%", 0},
        {"2%", 0.02},
        {"2.5%", 0.025},
        {"1000%", 10},
        {"1000.1%", -1},
        {"-0.1%", -1},
        {"2", -1},
        {"%", -1},
        {"x%", -1},
        {"2 %", -1},
        {"00000000000002%", 0.02},
        {"000000000000002%", -1},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[200];

        snprintf(yaml, sizeof(yaml), COMMAND "compare: {against: x, tolerance: '%s'}\n",
                 cases[i].text);
        if (cases[i].share < 0) {
            must_reject(yaml, "compare.tolerance", "expected a share from 0% to 1000%");
            continue;
        }
        struct job *job = parse(yaml);
        assert_true(job_settings(job)->compare_tolerance == cases[i].share);
        job_destroy(job);
    }
}

static void probabilities_are_numbers_or_percentages(void **ctx)
{
    static const struct {
        const char *text;
        double share; /* -1: rejected */
    } cases[] = {
        {"0", 0},
        {"0.01", 0.01},
        {"1", 1},
        {"1.01", -1},
        {"0%", 0},
        {"1%", 0.01},
        {"100%", 1},
        {"101%", -1},
        {"-0.1", -1},
        {"'%'", -1},
        {"x%", -1},
        {"1 %", -1},
        {"''", -1},
        {"0.50000000000%", 0.005},
        {"0.5000000000000", 0.5},
        {"0.50000000000000", -1},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[200];

        snprintf(yaml, sizeof(yaml), GATE "{alpha: %s}\n", cases[i].text);
        if (cases[i].share < 0) {
            must_reject(yaml, "gate.alpha", "expected a share from 0 to 1");
            continue;
        }
        struct job *job = parse(yaml);
        assert_true(job_settings(job)->gate.alpha == cases[i].share);
        job_destroy(job);
    }
}

/* The longest value of the variable has two bytes, and is not always the last one. */
static void the_longest_values_count_for_the_bytes_of_a_point(void **ctx)
{
    static const struct {
        const char *variable, *ranks, *rest;
    } cases[] = {
        {"v", "", "sweep: {matrix: {v: [1, 22, 3]}}\n"},
        {"v", "", "sweep: {zip: [{u: [1, 2, 3], v: [1, 22, 3]}]}\n"},
        {"v", "", "sweep: {matrix: {v: {from: 8, to: 11}}}\n"},
        {"v", "", "sweep: {matrix: {v: {from: 10, to: 8, step: -1}}}\n"},
        {"v", "", "sweep: {include: [{v: 1}, {v: 22}, {v: 3}]}\n"},
        {"v", "", "sweep: {matrix: {v: [22, 1]}, include: [{v: 3}]}\n"},
        {"card", "", "cards: {ids: [7, 10, 9]}\n"},
        {"shift", ", ranks: 11", "cards: {rotate: 11}\n"},
    };
    enum { WORDS = 31, MOST = 262144 };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int more = 0; more < 2; more++) {
            struct text yaml = {0};

            text_add(&yaml, HEAD "operator: {command: [");
            for (int k = 0; k < WORDS; k++) /* each word has a NUL */
                text_printf(&yaml, "%0*d, ", 8191, 0);
            text_printf(&yaml, "%0*d, \"%0*d${%s}\"]%s}\n%s", 4095, 0,
                        MOST - WORDS * 8192 - 4096 - 2 - 1 + more, 0, cases[i].variable,
                        cases[i].ranks, cases[i].rest);
            if (more)
                must_reject(text_get(&yaml), "operator.command",
                            "command and env need 262145 bytes with the longest "
                            "values, at most 262144 are allowed");
            else
                must_accept(text_get(&yaml));
            text_clear(&yaml);
        }
}

static void rules_for_the_hosts_of_a_gang_may_conflict(void **ctx)
{
    static const struct {
        const char *operator, * cards, *key; /* key NULL: no conflict */
    } cases[] = {
        {"ranks: 8", "per_host: 4", NULL},
        {"ranks: 8", "per_host: 8", NULL},
        {"ranks: 8", "per_host: 9", NULL},
        {"ranks: 8", "per_host: 3", "cards.per_host: 8 ranks cannot be divided"},
        {"ranks: 8", "per_host: 4, together: host", "cards.per_host: 'together: host'"},
        {"ranks: 8", "per_host: 8, together: host", NULL},
        {"threads: 8", "per_host: 4", "cards.per_host: one process drives all 8"},
        {"threads: 8", "per_host: 8", NULL},
        {"ranks: 8", "host_cap: 1", NULL},
        {"ranks: 8", "per_host: 4, host_cap: 4", NULL},
        {"ranks: 8", "per_host: 4, host_cap: 3", "cards.host_cap: a task needs 4"},
        {"ranks: 8", "per_host: 9, host_cap: 7", "cards.host_cap: a task needs 8"},
        {"ranks: 8", "per_host: 9, host_cap: 8", NULL},
        {"threads: 8", "host_cap: 7", "cards.host_cap: a task needs 8"},
        {"threads: 8", "host_cap: 8", NULL},
        {"ranks: 8", "together: host, host_cap: 7", "cards.host_cap: a task needs 8"},
        {"ranks: 8", "together: switch, host_cap: 1", NULL},
        {"ranks: 1", "ids: [0, 1]", NULL},
        {"ranks: 2", "ids: [0, 1]", "cards.ids: cards.ids gives each task one card"},
        {"ranks: 1", "ids: [0], exclusive: host", "cards.ids: 'exclusive: host'"},
        {"ranks: 1", "ids: [0], exclusive: card", NULL},
        {"ranks: 8", "exclusive: host", NULL},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[300];

        snprintf(yaml, sizeof(yaml), OPERATOR "%s}\ncards: {%s}\n", cases[i].operator,
                 cases[i].cards);
        if (cases[i].key)
            must_reject(yaml, cases[i].key, "");
        else
            must_accept(yaml);
    }
    must_reject(OPERATOR "ranks: 2, threads: 2}\n", "operator.threads",
                "remove one of the two keys");
}

static void the_forecast_has_the_launches_and_the_time_of_all_tasks(void **ctx)
{
    static const struct {
        const char *rest, *chip;
        uint64_t passes, launches, limit_ms;
    } cases[] = {
        /* one task: launches 1 + 5 warmup + 10 passes + 1 for the L2 counters + 1 for
         * the duration */
        {"", "Ascend910B2", 12, 18, 600000},
        {"cards: {soc: Ascend910B4}\n", "Ascend910B4", 12, 18, 600000},
        {"cards: {soc: \"Ascend310P*\"}\n", "Ascend310P3", 8, 14, 600000},
        {"cards: {soc: Ascend950DT}\n", "Ascend950DT", 7, 13, 600000},
        {"cards: {soc: Unknown}\n", "Ascend910B2", 12, 18, 600000},
        {"profile: {metrics: []}\n", "Ascend910B2", 0, 0, 600000},
        {"profile: {metrics: [MemoryUB], warmup: 0}\n", "Ascend910B2", 2, 3, 600000},
        {"profile: {metrics: [BasicInfo], warmup: 0}\n", "Ascend910B2", 1, 2, 600000},
        {"profile: {metrics: [L2Cache], warmup: 2, launch: {count: 3}}\n"
         "limits: {time: 1s}\nsweep: {repeat: 4}\n",
         "Ascend910B2", 4, 4 * 3 * (1 + 2 + 4), 4000},
        {"sweep: {matrix: {a: [1, 2]}}\nlimits: {time: 1s}\n"
         "overrides: [{when: \"a == 2\", profile: {warmup: 0}, limits: {time: 5s}}]\n",
         "Ascend910B2", 12, 18 + 13, 6000},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[400];
        struct job_forecast forecast;
        struct err err;

        snprintf(yaml, sizeof(yaml), COMMAND "%s", cases[i].rest);
        struct job *job = parse(yaml);
        assert_int_equal(job_forecast(job, NULL, &forecast, &err), 0);
        assert_string_equal(forecast.chip, cases[i].chip);
        assert_int_equal(forecast.passes, cases[i].passes);
        assert_int_equal(forecast.launches, cases[i].launches);
        assert_int_equal(forecast.limit_ms, cases[i].limit_ms);
        job_destroy(job);
    }
}

/* Each value is wrong in itself, or beside another key. */
static void wrong_values_are_problems_of_their_key(void **ctx)
{
    static const struct {
        const char *yaml, *problem; /* key, and the beginning of the text */
    } cases[] = {
        {COMMAND "after: [a/b]\n", "after[0]: invalid job 'a/b'"},
        {COMMAND "after: x\n", "after: expected a list"},
        {OPERATOR "ranks: [2]}\n", "operator.ranks: expected a"},
        {OPERATOR "ranks: \"${n}\"}\nsweep: {matrix: {m: [1]}}\n",
         "operator.ranks: the sweep has no variable 'n'"},
        {OPERATOR "env: [A]}\n", "operator.env: expected a map"},
        {HEAD "operator: {kernel: k.o, entry: e, ranks: 2}\n",
         "operator.ranks: a kernel or a library runs on one card"},
        {HEAD "operator: {kernel: k.o, entry: e}\nprofile: {tool: xpti}\n",
         "operator: a kernel or a library runs in muster-runner, which writes no trace "
         "events"},
        {HEAD "operator: {kernel: k.o, entry: e}\n"
              "profile: {tool: iree, dump: x}\n",
         "operator: a kernel or a library runs in muster-runner, which writes no files "
         "of its own"},
        {HEAD "operator: {kernel: k.o, entry: e, renew: 3}\n"
              "profile: {tool: simulator}\n",
         "operator.renew: the simulator runs each point in a process of its own"},
        {HEAD "operator: {kernel: k.o, entry: e, overlap: {compute: [a], "
              "communication: [b], serial: [c]}}\n",
         "operator.overlap: a kernel or a library runs on one card"},
        {COMMAND "profile: {tool: simulator, metrics: []}\n",
         "profile.metrics: the list is empty; remove it, or name a metric"},
        {COMMAND "profile: {tool: simulator, cores: 3-1}\n", "profile.cores: "},
        {COMMAND "profile: {tool: simulator, cores: [1]}\n", "profile.cores: expected"},
        {COMMAND "profile: {metrics: [\"Memory,L2Cache\"]}\n",
         "profile.metrics[0]: expected one metric, found several"},
        {COMMAND "profile: {metrics: [[Memory]]}\n", "profile.metrics[0]: expected"},
        {COMMAND "profile: {warmup: [1]}\n", "profile.warmup: expected"},
        {COMMAND "profile: {kill: [on]}\n", "profile.kill: expected"},
        {COMMAND "profile: {kill: maybe}\n", "profile.kill: unknown value 'maybe'"},
        {COMMAND "profile: {launch: {count: [1]}}\n", "profile.launch.count: expected"},
        {COMMAND "profile: {custom_input: names.json}\n",
         "profile.custom_input: a submitted text cannot name this file"},
        {COMMAND "profile: {custom_input: '{}'}\n",
         "profile.custom_input: names:1:1: must be"},
        {COMMAND "profile: {custom_input: [x]}\n", "profile.custom_input: expected"},
        {HEAD "operator: {config: op.json}\n",
         "operator.config: a submitted text cannot name this file"},
        {COMMAND "limits: {time: [1s]}\n", "limits.time: expected"},
        {COMMAND "limits: {on: signal}\n", "limits.on: expected a list"},
        {COMMAND "compare: {against: x, tolerance: [1%]}\n",
         "compare.tolerance: expected"},
        {GATE "{alpha: [1]}\n", "gate.alpha: expected"},
        {GATE "{fail: regressed}\n", "gate.fail: expected a list"},
        {GATE "{tolerances: [5%]}\n", "gate.tolerances[0]: expected a map"},
        {GATE "{tolerances: [{better: [more]}]}\n",
         "gate.tolerances[0].better: expected"},
        {COMMAND "sweep: {matrix: {a: {from: 1, to: 2, colour: 3}}}\n",
         "sweep.matrix.a: unknown key 'colour'; a range has from, to, and step or "
         "times"},
        {COMMAND "sweep: {matrix: {a: {from: [1], to: 2}}}\n",
         "sweep.matrix.a: expected"},
        {COMMAND "sweep: {exclude: [[a]]}\n", "sweep.exclude[0]: expected"},
        {COMMAND "sweep: {zip: x}\n", "sweep.zip: expected a list"},
        {COMMAND "sweep: {include: [{a: 1}, 2]}\n", "sweep.include[1]: expected a map"},
        {COMMAND "sweep: {include: [{a: 1, card: 1}, {a: 2, card: 01}]}\n"
                 "cards: {ids: [1]}\n",
         "sweep.include[1].card: expected a card number from 0 to 65535 without "
         "leading zeros, found '01'"},
        {COMMAND
         "sweep: {matrix: {a: {from: 1, to: 1000}, b: {from: 1, to: 1000}, "
         "c: [1, 2, 3, 4, 5]}, exclude: [\"a == 1 && b == 2 && c == 3 && a != 7 "
         "&& b != 8 && c != 9 && a != 10 && b != 11 && c != 12 && a != 13 && "
         "b != 14 && c != 15 && a != 16 && b != 17 && c != 18 && a != 19 && "
         "b != 20 && c != 21 && a != 22 && b != 23 && c != 24 && a != 25 && "
         "b != 26 && c != 27 && a != 28 && b != 29 && c != 30 && a != 31 && "
         "b != 32 && c != 33 && a != 34 && b != 35 && c != 36 && a != 37 && "
         "b != 38 && c != 39 && a != 40 && b != 41\"]}\n",
         "sweep.exclude: checking 408 bytes of expressions for each of 5000000 "
         "combinations takes too long"},
        {OPERATOR "ranks: 2}\ncards: {pairs: [[a], b]}\n", "cards.pairs[0]: expected"},
        {OPERATOR "ranks: 2}\ncards: {pairs: x}\n", "cards.pairs: expected a list"},
        {COMMAND "overrides: [x]\n", "overrides[0]: expected a map"},
        {COMMAND "overrides: x\n", "overrides: expected a list"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++)
        must_reject(cases[i].yaml, cases[i].problem, "");
}

static void problems_are_sorted_by_file_line_and_column(void **ctx)
{
    struct problems problems = {0};
    struct text out = {0};

    (void)ctx;
    problems_add(&problems, "b", 1, 1, "k1", "one");
    problems_add(&problems, "a", 10, 2, "", "two");
    problems_add(&problems, "a", 9, 30, "k3", "three");
    problems_add(&problems, "a", 10, 1, "k4", "four");
    problems_add(&problems, "", 7, 7, "k5", "five %d", 5);
    problems_sort(&problems);
    problems_print(&problems, "main", &out);
    assert_string_equal(text_get(&out), "main:7:7: k5: five 5\n"
                                        "a:9:30: k3: three\n"
                                        "a:10:1: k4: four\n"
                                        "a:10:2: two\n"
                                        "b:1:1: k1: one\n");
    problems_clear(&problems);
    assert_int_equal(problems.count, 0);
    text_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_launch_count_is_a_number_or_all),
        cmocka_unit_test(numbers_have_a_least_and_a_most_value),
        cmocka_unit_test(times_have_a_least_and_a_most_value),
        cmocka_unit_test(the_conditions_of_all_overrides_are_limited_together),
        cmocka_unit_test(lists_have_a_most_number_of_items),
        cmocka_unit_test(texts_have_a_most_number_of_bytes),
        cmocka_unit_test(sweeps_have_a_most_number_of_values_points_and_tasks),
        cmocka_unit_test(a_range_has_the_values_of_its_steps),
        cmocka_unit_test(times_have_units_and_limits),
        cmocka_unit_test(shares_are_percentages),
        cmocka_unit_test(probabilities_are_numbers_or_percentages),
        cmocka_unit_test(the_longest_values_count_for_the_bytes_of_a_point),
        cmocka_unit_test(rules_for_the_hosts_of_a_gang_may_conflict),
        cmocka_unit_test(the_forecast_has_the_launches_and_the_time_of_all_tasks),
        cmocka_unit_test(wrong_values_are_problems_of_their_key),
        cmocka_unit_test(problems_are_sorted_by_file_line_and_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
