/* gate_html.c - gate.html: one page that needs no network, the verdict first */
#include <math.h>
#include <stdlib.h>

#include "cli/gate/gate_points.h"
#include "cli/gate/gate_report.h"
#include "lib/base/text.h"
#include "lib/html/escape.h"

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
    "<style>:root{color-scheme:light dark}"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:1120px;margin:32px auto;"
    "padding:0 24px}h1{font-size:22px}.passed{color:#1a7f4b}.regressed{color:#b3261e}"
    ".undecided,.tasks-failed{color:#8a5a00}table{border-collapse:collapse;width:100%}"
    "th,td{padding:5px 10px;text-align:left;border-bottom:1px solid #8884;"
    "overflow-wrap:anywhere}td.n{text-align:right;white-space:nowrap}</style>\n";

static void add_list(struct text *out, const char *title, size_t count)
{
    if (count > 0)
        text_printf(out, "<h2>%s</h2>\n<ul>\n", title);
}

static void add_item(struct text *out, const char *text)
{
    text_add(out, "<li>");
    html_escape(out, text);
    text_add(out, "</li>\n");
}

static void add_sentences(const struct gate_reasons *reasons, struct text *out)
{
    add_list(out, "Improved", reasons->improved_count);
    for (size_t i = 0; i < reasons->improved_count; i++)
        add_item(out, reasons->improved[i]);
    if (reasons->improved_count > 0)
        text_add(out, "</ul>\n");
    add_list(out, "Slower", reasons->count);
    for (size_t i = 0; i < reasons->count; i++)
        add_item(out, reasons->reasons[i].text);
    if (reasons->count > 0)
        text_add(out, "</ul>\n");
}

static void add_drifts(const struct gate_report *report, struct text *out)
{
    add_list(out, "Slow changes", report->drift_count);
    for (size_t i = 0; i < report->drift_count; i++)
        add_item(out, report->drifts[i]);
    if (report->drift_count > 0)
        text_add(out, "</ul>\n");
}

static void add_cell(struct text *out, const char *text)
{
    text_add(out, "<td>");
    html_escape(out, text);
    text_add(out, "</td>");
}

static void add_points(const struct gate_report *report, struct text *out)
{
    size_t count;
    struct gate_point *points = gate_points(report->gate, &count);

    text_add(out, "<h2>Points</h2>\n<table><thead><tr><th>verdict</th><th>kernel</th>"
                  "<th>point</th><th>worst card</th><th>median change</th>"
                  "<th>cells</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < count; i++) {
        text_add(out, "<tr>");
        add_cell(out, comparison_outcome_name(points[i].worst->outcome));
        add_cell(out, points[i].kernel);
        add_cell(out, points[i].point);
        add_cell(out, points[i].worst->placed_serial);
        if (isfinite(points[i].shift))
            text_printf(out, "<td class=\"n\">%+.1f %%</td>",
                        100 * expm1(points[i].shift));
        else
            text_add(out, "<td></td>");
        text_printf(out, "<td class=\"n\">%zu</td></tr>\n", points[i].cells);
    }
    text_add(out, "</tbody></table>\n");
    free(points);
}

void gate_to_html(const struct gate_report *report, struct text *out)
{
    text_add(out, head);
    text_add(out, "<title>");
    html_escape(out, report->job_key);
    text_printf(out, ": %s</title></head><body>\n<h1 class=\"%s\">",
                gate_code_name(report->result->code),
                gate_code_name(report->result->code));
    html_escape(out, report->sentence);
    text_add(out, "</h1>\n<p>job ");
    html_escape(out, report->job_key);
    text_add(out, " against ");
    html_escape(out, report->against[0] ? report->against : "nothing");
    text_add(out, "; metric ");
    html_escape(out, report->metric);
    text_printf(out, ", tolerance %g %%; exit code %d; muster " MUSTER_VERSION "</p>\n",
                100 * report->tolerance, (int)report->result->code);
    if (report->nights_unknown)
        text_add(out, "<p>Fewer than five earlier nights: the noise between nights is "
                      "unknown.</p>\n");
    add_sentences(report->reasons, out);
    add_drifts(report, out);
    add_points(report, out);
    text_add(out, "</body></html>\n");
}
