/* bench_report.c - time to write report.html of 64 cards, 200 points and 5 repeats
 *
 * The floor is the JSON writer that writes as many bytes of the same kind: arrays of
 * numbers with a text. The report is loaded once; only the page is written. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/clock.h"
#include "lib/base/json_write.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "parsers/reports/html.h"
#include "parsers/reports/model.h"
#include "tests/bench/ratio.h"

enum { POINTS = 200, CARDS = 64, REPEATS = 5, CARDS_PER_HOST = 8 };

struct bench {
    struct report *report;
    struct text text;
    size_t page_bytes;
};

static void
add_launch(struct report *report, unsigned point, unsigned card, unsigned repeat)
{
    double us = 50 + 3 * point + 0.02 * ((point * 7 + card * 13 + repeat * 31) % 97);
    char text[64], host[32];

    snprintf(text, sizeof(text), "m=%u n=1024 card=%u", 64 * (point + 1),
             card % CARDS_PER_HOST);
    snprintf(host, sizeof(host), "node-%u", card / CARDS_PER_HOST);
    report_add_launch(report, &(struct report_launch){.point = point,
                                                      .repeat = repeat,
                                                      .point_text = text,
                                                      .kernel = "matmul_kernel",
                                                      .host = host,
                                                      .model = "Ascend910B2",
                                                      .serial = "",
                                                      .card = card % CARDS_PER_HOST});
    report_add_figure(report, "duration_us", us);
    report_add_figure(report, "aic_cube_ratio", us / 1000);
    report_add_figure(report, "aic_cube_operations", 1e9 * (point + 1));
    report_add_figure(report, "main_memory_read_kib", 4096);
}

static struct report *make_report(void)
{
    struct report *report = report_create(&(struct report_job){.key = "bench-1",
                                                               .name = "bench",
                                                               .yaml = "",
                                                               .file_name = "b.yaml",
                                                               .user = "ada",
                                                               .state = "done",
                                                               .reason = "",
                                                               .compare_against = ""});

    for (unsigned point = 0; point < POINTS; point++)
        for (unsigned card = 0; card < CARDS; card++)
            for (unsigned repeat = 0; repeat < REPEATS; repeat++)
                add_launch(report, point, card, repeat);
    for (unsigned task = 0; task < POINTS * CARDS * REPEATS; task++)
        report_add_task(report, &(struct report_task){.point = task,
                                                      .point_text = "",
                                                      .state = "done",
                                                      .reason = ""});
    report_finish(report);
    return report;
}

static double write_page(void *arg)
{
    struct bench *bench = arg;
    uint64_t start;

    text_reset(&bench->text);
    start = clock_mono_ns();
    report_to_html(bench->report, &bench->text);
    bench->page_bytes = bench->text.length;
    return (double)(clock_mono_ns() - start);
}

/* Writes rows like those of the table of durations until there are as many bytes. */
static double write_json(void *arg)
{
    struct bench *bench = arg;
    struct json_write json = {0};
    struct err err;
    uint64_t start;

    text_reset(&bench->text);
    start = clock_mono_ns();
    json_write_to_text(&json, &bench->text);
    json_write_array(&json);
    for (unsigned row = 0; bench->text.length < bench->page_bytes; row++) {
        double us = 50 + 0.02 * (row % 9700);

        json_write_array(&json);
        json_write_u64(&json, row % POINTS);
        json_write_u64(&json, row % CARDS);
        json_write_array(&json);
        for (unsigned i = 0; i < REPEATS; i++)
            json_write_double(&json, us + 0.02 * i);
        json_write_array_end(&json);
        json_write_fixed(&json, us, 3);
        json_write_fixed(&json, us / 50 - 1, 2);
        json_write_text(&json, "p1/r0/node-0/device0/kernel/0/visualize_data.bin");
        json_write_array_end(&json);
    }
    json_write_array_end(&json);
    if (json_write_finish(&json, &err) < 0)
        fprintf(stderr, "bench_report: %s\n", err.text);
    return (double)(clock_mono_ns() - start);
}

int main(void)
{
    struct bench bench = {.report = make_report()};
    double ratio;

    write_page(&bench); /* reserves the memory */
    ratio = ratio_median(write_page, write_json, &bench);
    ratio_print("page of 12,800 cells", ratio, "JSON of as many bytes", "<= 2",
                ratio <= 2);
    report_destroy(bench.report);
    text_clear(&bench.text);
    return 0;
}
