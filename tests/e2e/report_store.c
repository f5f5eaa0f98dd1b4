/* report_store.c - writes a store with ended jobs, for tests of their pages
 *
 * usage: report_store DIR POINTS CARDS REPEATS [hostile|failed|nights]
 *
 * Each point runs on each card. hostile: names contain markup and are long. failed:
 * each third task has no result. nights: two jobs that `muster gate` compares, with
 * one metric only. The figures are computed from their position, with one slow card, so
 * that a test can compute the same medians from the store. With nights only the second
 * one has the slow card, and a slower and a faster point on all cards. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/store/store.h"

enum {
    CARDS_PER_HOST = 8,
    SLOW_CARD = 13,
    SLOW_POINT = 7,
    FAST_POINT = 9,
    LONG_NAME = 4096,
};

static const char night_yaml[] = "version: 1\n"
                                 "name: report\n"
                                 "operator: {command: [op]}\n"
                                 "compare: {against: report}\n"
                                 "gate: {confirm: off}\n";

struct plan {
    uint64_t points, cards, repeats;
    bool hostile, failed, nights;
    uint64_t job_id;
    uint64_t first_run; /* number of the first attempt of the job */
};

static struct store *store;

static void check(int result, const struct err *err)
{
    if (result == 0)
        return;
    fprintf(stderr, "report_store: %s\n", err->text);
    exit(1);
}

static uint64_t read_number(const char *text)
{
    return strtoull(text, NULL, 10);
}

/* Returns a number from 0 to 1 that depends on the position only. */
static double noise(uint64_t position)
{
    uint64_t hash = (position + 1) * 0x9e3779b97f4a7c15;

    hash ^= hash >> 29;
    hash *= 0xbf58476d1ce4e5b9;
    return (double)(hash >> 40) / (double)(1 << 24);
}

static char *point_text(const struct plan *plan, uint64_t point, uint64_t card)
{
    struct text text = {0};

    text_printf(&text, "m=%" PRIu64 " n=1024", 64 * (point + 1));
    if (plan->hostile) {
        text_add(&text, " a=</script><script>hacked=1</script><img/src=x>\"'&<!--\xff");
        text_add(&text, " b=");
        for (size_t i = 0; i < LONG_NAME; i++)
            text_add_char(&text, (char)('a' + i % 26));
    }
    text_printf(&text, " card=%" PRIu64, card % CARDS_PER_HOST);
    return text_take(&text);
}

static void
add_figures(const struct plan *plan, uint64_t run, uint64_t point, uint64_t card)
{
    double us = 50 + 3 * (double)point;
    bool is_first_night = plan->nights && plan->job_id == 1;

    if (card == SLOW_CARD && !is_first_night)
        us *= 1.06;
    if (plan->nights && !is_first_night)
        us *= point == SLOW_POINT ? 1.05 : point == FAST_POINT ? 0.8 : 1;
    const struct {
        const char *metric, *unit;
        double value;
    } figures[] = {
        {"duration_us", "us", us * (1 + 0.01 * noise(run))},
        {"aic_cube_ratio", "ratio", 0.3 + 0.4 * noise(run + 7)},
        {"aiv_vec_ratio", "ratio", 0.1 + 0.2 * noise(run + 8)},
        {"aic_cube_operations", "ops", 1e9 * (double)(point + 1)},
        {"main_memory_read_kib", "KiB", 4096 * (double)(1 + point % 7)},
        {"aic_l2_hit_rate", "percent", 50 + 40 * noise(run + 9)},
    };
    struct err err;

    for (size_t i = 0; i < (plan->nights ? 1 : COUNT(figures)); i++) {
        const struct store_metric metric = {
            .run_id = run,
            .kernel = plan->hostile ? "k\"</script><b>'&" : "matmul_kernel",
            .metric = figures[i].metric,
            .value = figures[i].value,
            .unit = figures[i].unit};

        check(store_metric_add(store, &metric, &err), &err);
    }
}

/* Adds a task with one attempt of one rank. */
static void add_task(const struct plan *plan, uint64_t place)
{
    uint64_t repeat = place % plan->repeats;
    uint64_t point = place / plan->repeats; /* with its card */
    uint64_t card = point % plan->cards;
    bool good = !plan->failed || place % 3 != 2;
    struct store_task task = {.job_id = plan->job_id,
                              .point = point,
                              .repeat = (uint32_t)repeat,
                              .place = place,
                              .card = (int32_t)(card % CARDS_PER_HOST)};
    uint64_t run_id = plan->first_run + place;
    struct store_attempt attempt = {.run_id = run_id, .attempt = 1, .ranks = 1};
    struct store_rank rank = {.run_id = run_id,
                              .card = (int32_t)(card % CARDS_PER_HOST),
                              .model = "Ascend910B2",
                              .serial = "",
                              .status = good ? "done" : "failed",
                              .reason = "",
                              .simulated = true,
                              .ended_wall_ns = 2000000000};
    char host[64], serial[32];
    struct err err;

    if (plan->nights) {
        snprintf(serial, sizeof(serial), "SN%04" PRIu64, card);
        rank.serial = serial;
    }
    snprintf(host, sizeof(host),
             plan->hostile ? "<i>node</i>-%" PRIu64 : "node-%" PRIu64,
             card / CARDS_PER_HOST);
    rank.host = host;
    check(store_tasks_add(store, &task, 1, &err), &err);
    attempt.task_id = task.task_id;
    attempt.host = host;
    attempt.reason = good ? "" : "exit code 3: <b>bad</b>";
    attempt.state = good ? ATTEMPT_DONE : ATTEMPT_FAILED;
    check(store_attempt_add(store, &attempt, &err), &err);
    check(store_rank_put(store, &rank, &err), &err);
    task.state = good ? TASK_DONE : TASK_FAILED;
    task.reason = attempt.reason;
    task.attempts = 1;
    task.accepted_run_id = good ? run_id : 0;
    check(store_task_move(store, &task, &err), &err);
    if (good)
        add_figures(plan, run_id, point / plan->cards, card);
    if (good && !plan->nights) {
        char path[128];

        snprintf(path, sizeof(path), "%s/device0/matmul_kernel/0/visualize_data.bin",
                 plan->hostile ? "node" : host);
        check(store_output_add(store, run_id, 0, path, &err), &err);
    }
}

static void add_points(const struct plan *plan)
{
    struct err err;

    for (uint64_t i = 0; i < plan->points * plan->cards; i++) {
        char *text = point_text(plan, i / plan->cards, i % plan->cards);
        const struct store_point point = {
            .job_id = plan->job_id, .point = i, .text = text, .values_json = "{}"};

        check(store_points_add(store, &point, 1, &err), &err);
        free(text);
    }
}

static void add_job(struct plan *plan)
{
    uint64_t tasks = plan->points * plan->cards * plan->repeats;
    struct store_job job = {.name = "report",
                            .yaml = plan->nights ? night_yaml : "version: 1\n",
                            .user = "ada",
                            .file_name = "report.yaml",
                            .submitted_wall_ms = 1000,
                            .points_total = plan->points * plan->cards,
                            .tasks_total = tasks,
                            .compare_against = plan->nights ? "report" : "",
                            .compare_metric = "duration_us",
                            .compare_tolerance = 0.02};
    struct err err;

    check(store_job_add(store, &job, &err), &err);
    plan->job_id = job.job_id;
    plan->first_run = (job.job_id - 1) * tasks + 1;
    add_points(plan);
    for (uint64_t i = 0; i < tasks; i++)
        add_task(plan, i);
    check(store_job_set_state(store, job.job_id, plan->failed ? JOB_FAILED : JOB_DONE,
                              "", 3000, &err),
          &err);
}

int main(int argc, char **argv)
{
    struct plan plan;
    struct err err;

    if (argc < 5) {
        fputs("usage: report_store DIR POINTS CARDS REPEATS [hostile|failed|nights]\n",
              stderr);
        return 2;
    }
    plan = (struct plan){.points = read_number(argv[2]),
                         .cards = read_number(argv[3]),
                         .repeats = read_number(argv[4]),
                         .hostile = argc > 5 && strcmp(argv[5], "hostile") == 0,
                         .failed = argc > 5 && strcmp(argv[5], "failed") == 0,
                         .nights = argc > 5 && strcmp(argv[5], "nights") == 0};
    check(store_open(&store, argv[1], STORE_WRITE, &err), &err);
    for (int job = 0; job < (plan.nights ? 2 : 1); job++)
        add_job(&plan);
    check(store_commit(store, &err), &err);
    store_close(store);
    return 0;
}
