/* gate_html.c - gate.html: one page that needs no network, the verdict first */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/compare/compare_page.h"
#include "cli/gate/gate_points.h"
#include "cli/gate/gate_report.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/gate/false_alarms.h"
#include "lib/html/page.h"
#include "lib/html/table.h"

static const char *class_of(enum gate_code code)
{
    return code == GATE_PASSED      ? "verdict good"
           : code == GATE_REGRESSED ? "verdict bad"
                                    : "verdict warn";
}

static void add_head(const struct gate_report *report, struct text *out)
{
    const struct gate_result *result = report->result;

    html_element(out, "h1", class_of(result->code), "%s", report->sentence);
    html_element(
        out, "p", "soft",
        "job %s against %s; metric %s, tolerance %g %%; exit code %d; muster %s",
        report->job_key, report->against[0] ? report->against : "nothing",
        report->metric, 100 * report->tolerance, (int)result->code, MUSTER_VERSION);
    if (report->simulated)
        html_simulated_note(out);
    if (report->false_alarms > FALSE_ALARMS_SHOWN)
        html_element(out, "p", "note",
                     "False alarms: %.1f %% of the cells with equal code and "
                     "environment in %d nights.",
                     100 * report->false_alarms, FALSE_ALARM_NIGHTS);
    if (report->environment_change)
        html_element(out, "p", "note", "Environment changed: %s.",
                     report->environment_change);
    if (report->nights_unknown)
        html_element(
            out, "p", "note",
            "Fewer than %d earlier nights: the noise between nights is unknown.",
            COMPARISON_NIGHTS_FEWEST);
    if (result->missing > 0)
        html_element(out, "p", "note", "%zu %s no result.", result->missing,
                     result->missing == 1 ? "repeat has" : "repeats have");
}

static void add_tiles(const struct gate_result *result, struct text *out)
{
    char value[24], label[40];

    html_tiles_begin(out);
    for (enum comparison_outcome i = 0; i < OUTCOME_COUNT; i++) {
        if (result->outcomes[i] == 0)
            continue;
        snprintf(value, sizeof(value), "%zu", result->outcomes[i]);
        snprintf(label, sizeof(label), "%s: %s",
                 result->outcomes[i] == 1 ? "cell" : "cells",
                 comparison_outcome_name(i));
        html_tile(out, value, label);
    }
    html_tiles_end(out);
}

static void add_sentences(struct text *out,
                          const char *id,
                          const char *heading,
                          const char *const *sentences,
                          size_t count)
{
    if (count == 0)
        return;
    html_section_begin(out, id, heading, true);
    html_list_begin(out);
    for (size_t i = 0; i < count; i++)
        html_list_item(out, "", "%s", sentences[i]);
    html_list_end(out);
    html_section_end(out);
}

static void add_causes(const struct gate_reasons *reasons, struct text *out)
{
    const char **sentences = xcalloc(reasons->count + 1, sizeof(*sentences));

    for (size_t i = 0; i < reasons->count; i++)
        sentences[i] = reasons->reasons[i].text;
    add_sentences(out, "slower", "Slower", sentences, reasons->count);
    free(sentences);
}

enum { COLUMN_CHANGE = 4 }; /* of the table of points */

static void add_points(const struct gate_report *report, struct text *out)
{
    static const struct html_column columns[] = {
        {"verdict", "of all cells together", HTML_COLUMN_WORD, 0},
        {"kernel", NULL, HTML_COLUMN_TEXT, 0},
        {"point", NULL, HTML_COLUMN_TEXT, 0},
        {"metric", "of the worst card", HTML_COLUMN_TEXT, 0},
        {"change %", "median over the cells of the metric; positive is worse",
         HTML_COLUMN_CHANGE, 1},
        {"worst card", "of the cell with the worst verdict, then the largest change",
         HTML_COLUMN_TEXT, 0},
        {"worst %", "change on the worst card", HTML_COLUMN_CHANGE, 1},
        {"worst base", "median on the worst card", HTML_COLUMN_NUMBER, 2},
        {"worst new", "median on the worst card", HTML_COLUMN_NUMBER, 2},
        {"unit", NULL, HTML_COLUMN_TEXT, 0},
        {"cells", NULL, HTML_COLUMN_NUMBER, 0},
    };
    struct html_table table;
    size_t count;
    struct gate_point *points = gate_points(report->gate, &count);

    html_section_begin(out, "points", "Points", true);
    html_table_begin(&table, out, "point-table", columns, COUNT(columns));
    html_table_sort_by(&table, COLUMN_CHANGE, true);
    for (size_t i = 0; i < count; i++) {
        const struct comparison_row *worst = points[i].worst;

        html_table_row(&table);
        html_table_text(&table, points[i].quarantine[0]
                                    ? "quarantined"
                                    : comparison_outcome_name(points[i].outcome));
        html_table_text(&table, points[i].kernel);
        html_table_text(&table, points[i].point);
        html_table_text(&table, worst->metric);
        html_table_number(&table, 100 * expm1(points[i].shift));
        html_table_text(&table, worst->placed_serial);
        html_table_number(&table, 100 * expm1(worst->shift));
        html_table_number(&table, worst->base_median);
        html_table_number(&table, worst->new_median);
        html_table_text(&table, worst->unit);
        html_table_number(&table, (double)points[i].cells);
    }
    html_table_end(&table);
    html_section_end(out);
    free(points);
}

/* The cells of the judged metrics, also those in quarantine. */
static void add_cells(const struct gate_report *report, struct text *out)
{
    size_t total, count = 0;
    const struct comparison_row *all = gate_rows(report->gate, &total);
    struct comparison_row *rows = xcalloc(total + 1, sizeof(*rows));

    for (size_t i = 0; i < total; i++)
        if (text_matches_any(all[i].metric, report->metric))
            rows[count++] = all[i];
    compare_page_add_heat(out, rows, count);
    compare_page_add_cells(out, rows, count, true);
    free(rows);
}

void gate_to_html(const struct gate_report *report, struct text *out)
{
    struct text title = {0};

    text_printf(&title, "%s: %s", report->job_key,
                gate_code_name(report->result->code));
    if (report->false_alarms > FALSE_ALARMS_SHOWN)
        text_printf(&title, ", %.1f %% false alarms", 100 * report->false_alarms);
    html_page_begin(out, text_get(&title));
    add_head(report, out);
    add_tiles(report->result, out);
    html_element(out, "nav", "contents", "%s", "");
    add_sentences(out, "improved", "Improved",
                  (const char *const *)report->reasons->improved,
                  report->reasons->improved_count);
    add_causes(report->reasons, out);
    add_sentences(out, "new-cards", "New cards",
                  (const char *const *)report->reasons->new_cards,
                  report->reasons->new_card_count);
    add_sentences(out, "drifts", "Slow changes", report->drifts, report->drift_count);
    add_points(report, out);
    add_cells(report, out);
    html_page_end(out);
    text_clear(&title);
}
