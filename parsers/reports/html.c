#include "parsers/reports/html.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/text.h"
#include "parsers/reports/escape.h"
#include "parsers/reports/model.h"
#include "parsers/reports/plot.h"

enum { PLOT_ROWS_MAX = 80, TABLE_ROWS_MAX = 2000 };

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n";

static const char style[] =
    "<style>\n"
    ":root{--bg:#fbfbfa;--fg:#1d2126;--soft:#656c76;--line:#e2e4e8;--card:#fff;"
    "--good:#1a7f4b;--bad:#b3261e;--warn:#8a5a00;--warnbg:#fff3d6;"
    "--c0:#2563b8;--c1:#d2691e;--c2:#1a8f6b;--c3:#a43a8b;--c4:#7a7a12;--c5:#5b4bc4;"
    "--c6:#b3324a;--c7:#3f7f91}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#15181c;--fg:#e7e9ec;--soft:#9aa2ad;"
    "--line:#2b3037;--card:#1c2026;--good:#4cc38a;--bad:#ff8077;--warn:#f0c060;"
    "--warnbg:#33290f;--c0:#6ea8fe;--c1:#f0a067;--c2:#54cfa6;--c3:#e08bcb;--c4:#c9c94f;"
    "--c5:#a99cff;--c6:#ff8095;--c7:#7fc3d6}}\n"
    "*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--fg);"
    "font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}\n"
    "main{max-width:1120px;margin:0 auto;padding:32px 24px 64px}\n"
    "h1{font-size:26px;margin:0 0 4px}h2{font-size:18px;margin:36px 0 10px}\n"
    "p{margin:6px 0}.soft,caption{color:var(--soft)}\n"
    ".verdict{font-weight:600}.good{color:var(--good)}.bad{color:var(--bad)}\n"
    ".note{background:var(--warnbg);color:var(--warn);border-radius:8px;padding:8px "
    "14px;margin:14px 0;font-weight:600}\n"
    ".tiles{display:flex;flex-wrap:wrap;gap:12px;margin:18px 0}\n"
    ".tile{background:var(--card);border:1px solid var(--line);border-radius:10px;"
    "padding:10px 16px;min-width:130px}.tile b{display:block;font-size:22px;"
    "font-variant-numeric:tabular-nums}.tile span{color:var(--soft);font-size:13px}\n"
    ".box{background:var(--card);border:1px solid var(--line);border-radius:10px;"
    "padding:12px;overflow-x:auto}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:5px 10px;text-align:right;border-bottom:1px solid var(--line);"
    "white-space:nowrap}th{color:var(--soft);font-weight:600;font-size:13px}\n"
    "th.l,td.l{text-align:left}td.wrap{white-space:normal}tr:last-child "
    "td{border-bottom:0}\n"
    "svg{display:block;width:100%;min-width:720px;height:auto;font:12px system-ui,"
    "sans-serif}.grid{stroke:var(--line)}.zero{stroke:var(--soft);stroke-dasharray:3 "
    "3}.tick{fill:var(--soft);text-anchor:middle}.name{fill:var(--fg);text-anchor:end}"
    ".value{fill:var(--soft)}circle{fill-opacity:.75;stroke:var(--card)}"
    ".mid{stroke-width:2}\n"
    ".c0{fill:var(--c0);stroke:var(--c0)}.c1{fill:var(--c1);stroke:var(--c1)}"
    ".c2{fill:var(--c2);stroke:var(--c2)}.c3{fill:var(--c3);stroke:var(--c3)}"
    ".c4{fill:var(--c4);stroke:var(--c4)}.c5{fill:var(--c5);stroke:var(--c5)}"
    ".c6{fill:var(--c6);stroke:var(--c6)}.c7{fill:var(--c7);stroke:var(--c7)}\n"
    ".key{display:flex;flex-wrap:wrap;gap:14px;margin:8px 2px 0;color:var(--soft);"
    "font-size:13px}.key i{display:inline-block;width:10px;height:10px;"
    "border-radius:5px;margin-right:6px}\n"
    ".key .c0{background:var(--c0)}.key .c1{background:var(--c1)}.key "
    ".c2{background:var(--c2)}.key .c3{background:var(--c3)}.key "
    ".c4{background:var(--c4)}.key .c5{background:var(--c5)}.key "
    ".c6{background:var(--c6)}.key .c7{background:var(--c7)}\n"
    "</style>\n";

static void add_cell(struct text *page, const char *class, const char *text)
{
    text_printf(page, "<td class=\"%s\">", class);
    escape_xml(page, text);
    text_add(page, "</td>");
}

static void add_title(const struct report *report, struct text *page)
{
    const struct report_job *job = report_job(report);
    char when[32];

    text_add(page, head);
    text_add(page, "<title>");
    escape_xml(page, job->key);
    text_printf(page, ": %s", report_verdict(report));
    text_add(page, "</title>\n");
    text_add(page, style);
    text_add(page, "</head><body><main>\n<h1>");
    escape_xml(page, job->name);
    text_add(page, "</h1>\n<p class=\"soft\">job ");
    escape_xml(page, job->key);
    text_add(page, " from ");
    escape_xml(page, job->file_name);
    text_add(page, ", submitted by ");
    escape_xml(page, job->user);
    text_printf(page, " at %s; muster " MUSTER_VERSION "</p>\n",
                clock_format(when, job->submitted_wall_ms * 1000000));
    text_printf(page, "<p class=\"verdict %s\">%s",
                report_is_complete(report) ? "good" : "bad", report_verdict(report));
    if (*job->reason) {
        text_add(page, ": ");
        escape_xml(page, job->reason);
    }
    text_add(page, "</p>\n");
    if (report_has_simulated(report))
        text_printf(page, "<p class=\"note\">%s</p>\n",
                    report_has_measured(report)
                        ? "Some figures are simulated and some are measured; do not "
                          "compare them with each other."
                        : "Simulated figures: they come from a timing model, not from "
                          "a card.");
}

static void add_tile(struct text *page, const char *value, const char *what)
{
    text_add(page, "<div class=\"tile\"><b>");
    escape_xml(page, value);
    text_add(page, "</b><span>");
    escape_xml(page, what);
    text_add(page, "</span></div>\n");
}

static void add_tiles(const struct report *report, struct text *page)
{
    const struct report_job *job = report_job(report);
    size_t cards, series, bad;
    char value[64];

    report_cards(report, &cards);
    report_series(report, &series);
    report_bad_tasks(report, &bad);
    text_add(page, "<div class=\"tiles\">\n");
    snprintf(value, sizeof(value), "%zu of %zu", report_good_count(report),
             report_task_count(report));
    add_tile(page, value, "tasks measured");
    snprintf(value, sizeof(value), "%zu", cards);
    add_tile(page, value, cards == 1 ? "card" : "cards");
    snprintf(value, sizeof(value), "%zu", series);
    add_tile(page, value, "combinations of kernel, shape and card");
    snprintf(value, sizeof(value), "%zu", bad);
    add_tile(page, value, "tasks without a result");
    uint64_t last_wall_ms = report_last_wall_ms(report);
    if (last_wall_ms > job->submitted_wall_ms) {
        snprintf(value, sizeof(value), "%.1f s",
                 (double)(last_wall_ms - job->submitted_wall_ms) / 1000);
        add_tile(page, value, "from submission to the end of the last rank");
    }
    text_add(page, "</div>\n");
}

static void add_failures(const struct report *report, struct text *page)
{
    size_t count;
    const struct report_task *task = report_bad_tasks(report, &count);

    if (count == 0)
        return;
    text_add(page,
             "<h2>Tasks without a result</h2>\n<div class=\"box\"><table>\n<tr><th>"
             "point</th><th class=\"l\">shape</th><th>repeat</th><th class=\"l\">state"
             "</th><th>attempts</th><th class=\"l\">reason</th></tr>\n");
    for (size_t i = 0; i < count && i < TABLE_ROWS_MAX; i++, task++) {
        text_printf(page, "<tr><td>%" PRIu64 "</td>", task->point);
        add_cell(page, "l", task->point_text);
        text_printf(page, "<td>%" PRIu64 "</td>", task->repeat);
        add_cell(page, "l", task->state);
        text_printf(page, "<td>%" PRIu64 "</td>", task->attempts);
        add_cell(page, "l wrap", *task->reason ? task->reason : "-");
        text_add(page, "</tr>\n");
    }
    text_add(page, "</table></div>\n");
    if (count > TABLE_ROWS_MAX)
        text_printf(
            page,
            "<p class=\"soft\">The first %d of %zu tasks; report.json lists all.</p>\n",
            TABLE_ROWS_MAX, count);
}

static void add_cards(const struct report *report, struct text *page)
{
    size_t count;
    const struct report_card *card = report_cards(report, &count);

    text_add(page,
             "<h2>Cards</h2>\n<div class=\"box\"><table>\n<tr><th class=\"l\">host</th>"
             "<th>card</th><th class=\"l\">model</th><th>kernels and shapes</th>"
             "<th>difference from the median of all cards</th></tr>\n");
    for (size_t i = 0; i < count; i++, card++) {
        text_add(page, "<tr>");
        add_cell(page, "l", card->host);
        text_printf(page, "<td>%" PRIu64 "</td>", card->card);
        add_cell(page, "l", card->model);
        text_printf(page, "<td>%zu</td><td>%+.2f %%</td></tr>\n", card->series_count,
                    (card->ratio - 1) * 100);
    }
    text_add(page, "</table></div>\n");
}

/* Adds a legend of the colours, in the order of the first occurrence of each card. */
static void add_legend(const struct report *report, struct text *page)
{
    size_t count, position = 0;
    const struct report_series *series = report_series(report, &count);

    text_add(page, "<div class=\"key\">");
    for (size_t i = 0; i < count; i++) {
        bool first = true;

        for (size_t j = 0; j < i && first; j++)
            first = series[j].card != series[i].card ||
                    strcmp(series[j].host, series[i].host) != 0;
        if (!first)
            continue;
        text_printf(page, "<span><i class=\"%s\"></i>", report_plot_class(position++));
        escape_xml(page, series[i].host);
        text_printf(page, " card %" PRIu64 "</span>", series[i].card);
    }
    text_add(page, "<span>dot: one repeat; bar: median of a card</span></div>\n");
}

static void add_durations(const struct report *report, struct text *page)
{
    size_t count;
    const struct report_series *series = report_series(report, &count);

    text_add(page, "<h2>Duration by point and card</h2>\n");
    if (count == 0) {
        text_add(page, "<p>No duration was measured.</p>\n");
        return;
    }
    text_add(page, "<div class=\"box\">\n");
    report_plot(series, count, PLOT_ROWS_MAX, page);
    add_legend(report, page);
    text_add(page,
             "</div>\n<p class=\"soft\">0 % is the median of all cards for the kernel "
             "and shape "
             "of the row; the number on the right is this median.</p>\n"
             "<h2>Figures</h2>\n<div class=\"box\"><table>\n<tr><th class=\"l\">kernel"
             "</th><th class=\"l\">shape</th><th "
             "class=\"l\">host</th><th>card</th><th>repeats"
             "</th><th>median, us</th><th>minimum, us</th><th>maximum, "
             "us</th><th>spread</th>"
             "<th>difference from all cards</th></tr>\n");
    for (size_t i = 0; i < count && i < TABLE_ROWS_MAX; i++, series++) {
        text_add(page, "<tr>");
        add_cell(page, "l", series->kernel);
        add_cell(page, "l", series->shape);
        add_cell(page, "l", series->host);
        text_printf(page,
                    "<td>%" PRIu64 "</td><td>%zu</td><td>%.3f</td><td>%.3f</td>"
                    "<td>%.3f</td><td>%.2f %%</td><td>%+.2f %%</td></tr>\n",
                    series->card, series->count, series->median_us,
                    series->values_us[0], series->values_us[series->count - 1],
                    series->spread * 100, (series->ratio - 1) * 100);
    }
    text_add(page, "</table></div>\n");
    if (count > TABLE_ROWS_MAX)
        text_printf(page,
                    "<p class=\"soft\">The first %d of %zu rows; report.json lists "
                    "all.</p>\n",
                    TABLE_ROWS_MAX, count);
}

void report_to_html(const struct report *report, struct text *page)
{
    add_title(report, page);
    add_tiles(report, page);
    add_failures(report, page);
    add_cards(report, page);
    add_durations(report, page);
    text_add(page, "</main></body></html>\n");
}
