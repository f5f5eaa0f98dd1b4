#include "parsers/reports/html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/html/page.h"
#include "parsers/gang_report/gang_html.h"
#include "parsers/reports/html_parts.h"
#include "parsers/reports/model.h"

/* Adds the text of the event gate.verdict: `code=4 against=BASE: SENTENCE`. */
static void
add_verdict_of_gate(const struct report *report, const char *gate, struct text *page)
{
    const char *against = strstr(gate, " against="), *end = strstr(gate, ": ");
    const char *sentence = end ? end + 2 : gate;
    size_t count;
    const char *const *suspects = report_suspects(report, &count);

    html_element(page, "p",
                 text_has_prefix(gate, "code=0 ")   ? "verdict good"
                 : text_has_prefix(gate, "code=4 ") ? "verdict bad"
                                                    : "verdict warn",
                 "gate: %s", sentence);
    html_list_begin(page);
    for (size_t i = 0; i < count; i++)
        if (strcmp(suspects[i], sentence) != 0)
            html_list_item(page, "", "%s", suspects[i]);
    html_list_end(page);
    if (end && against && against < end && text_has_prefix(gate, "code="))
        html_element(
            page, "p", "soft", "exit code of the gate: %.*s; compared with %.*s",
            (int)strcspn(gate + strlen("code="), " "), gate + strlen("code="),
            (int)(end - against - strlen(" against=")), against + strlen(" against="));
}

/* A gate judges after the job has ended, so only a report that is written again has its
 * verdict. */
static void add_gate(const struct report *report, struct text *page)
{
    const struct report_job *job = report_job(report);
    const char *gate = report_gate(report);

    if (gate) {
        add_verdict_of_gate(report, gate, page);
    } else if (*job->compare_against) {
        html_element(page, "p", "warn",
                     "not compared with %s; to compare: muster compare %s --to DIR",
                     job->compare_against, job->key);
    } else {
        html_element(page, "p", "soft",
                     "not compared: the job file has no key compare.against");
    }
}

static void add_verdict(const struct report *report, struct text *page)
{
    const struct report_job *job = report_job(report);

    html_element(page, "p", report_is_complete(report) ? "verdict good" : "verdict bad",
                 "%s%s%s", report_verdict(report), *job->reason ? ": " : "",
                 job->reason);
    if (report_has_simulated(report) && report_has_measured(report))
        html_element(page, "p", "note",
                     "Some figures are simulated and some are measured; do not compare "
                     "them with each other.");
    else if (report_has_simulated(report))
        html_simulated_note(page);
}

static void add_tiles(const struct report *report, struct text *page)
{
    const struct report_job *job = report_job(report);
    size_t cards, works, bad;
    char value[64];

    report_cards(report, &cards);
    report_works(report, &works);
    report_bad_tasks(report, &bad);
    html_tiles_begin(page);
    snprintf(value, sizeof(value), "%zu of %zu", report_good_count(report),
             report_task_count(report));
    html_tile(page, value, "tasks measured");
    snprintf(value, sizeof(value), "%zu", cards);
    html_tile(page, value, cards == 1 ? "card" : "cards");
    snprintf(value, sizeof(value), "%zu", works);
    html_tile(page, value, works == 1 ? "kernel and shape" : "kernels and shapes");
    snprintf(value, sizeof(value), "%zu", bad);
    html_tile(page, value,
              bad == 1 ? "task without a result" : "tasks without a result");
    uint64_t last_wall_ms = report_last_wall_ms(report);
    if (last_wall_ms > job->submitted_wall_ms) {
        snprintf(value, sizeof(value), "%.1f s",
                 (double)(last_wall_ms - job->submitted_wall_ms) / 1000);
        html_tile(page, value, "from submission to the end of the last rank");
    }
    html_tiles_end(page);
}

void report_to_html(const struct report *report, struct text *page)
{
    const struct report_job *job = report_job(report);
    char *title = xasprintf("%s: %s", job->key, report_verdict(report));
    char when[32];

    html_page_begin(page, title);
    free(title);
    html_element(page, "h1", "", "%s", job->name);
    add_gate(report, page);
    add_verdict(report, page);
    html_element(page, "p", "soft",
                 "job %s from %s, submitted by %s at %s; muster " MUSTER_VERSION,
                 job->key, job->file_name, job->user,
                 clock_format(when, job->submitted_wall_ms * 1000000));
    report_html_standouts(report, page);
    add_tiles(report, page);
    html_element(page, "nav", "contents", "%s", "");
    report_html_failures(report, page);
    report_html_cards(report, page);
    report_html_durations(report, page);
    report_html_usage(report, page);
    report_html_notes(report, page);
    report_html_advice(report, page);
    report_html_ranks(report, page);
    if (report_gang(report))
        gang_html_write(report_gang(report), page);
    report_html_steps(report, page);
    report_html_pedigree(report, page);
    html_page_end(page);
}
