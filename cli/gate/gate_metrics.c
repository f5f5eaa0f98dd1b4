/* gate_metrics.c - metrics.txt: the verdict in the OpenMetrics text format */
#include <math.h>
#include <stdlib.h>

#include "cli/gate/gate_points.h"
#include "cli/gate/gate_report.h"
#include "lib/base/text.h"

static void add_type(struct text *out, const char *name, const char *help)
{
    text_printf(out, "# TYPE %s gauge\n# HELP %s %s\n", name, name, help);
}

static void add_label(struct text *out, const char *name, const char *value)
{
    text_printf(out, "%s=\"", name);
    for (; *value; value++)
        if (*value == '\n')
            text_add(out, "\\n");
        else {
            if (*value == '"' || *value == '\\')
                text_add_char(out, '\\');
            text_add_char(out, *value);
        }
    text_add_char(out, '"');
}

void gate_to_metrics(const struct gate_report *report, struct text *out)
{
    const struct gate_result *result = report->result;
    size_t count;
    struct gate_point *points = gate_points(report->gate, &count);

    add_type(out, "muster_gate_exit_code", "Exit code of the gate: 0 passed");
    text_printf(out, "muster_gate_exit_code %d\n", (int)result->code);
    add_type(out, "muster_gate_simulated", "1: figures of simulated cards");
    text_printf(out, "muster_gate_simulated %d\n", report->simulated);
    add_type(out, "muster_gate_cells", "Judged cells by their verdict");
    for (enum comparison_outcome i = 0; i < OUTCOME_COUNT; i++)
        text_printf(out, "muster_gate_cells{verdict=\"%s\"} %zu\n",
                    comparison_outcome_name(i), result->outcomes[i]);
    add_type(out, "muster_gate_missing_repeats", "Repeats without a result");
    text_printf(out, "muster_gate_missing_repeats %zu\n", result->missing);
    add_type(out, "muster_gate_worse_ratio",
             "Median over the cards by which a point is worse: 1.04 is 4 percent");
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(points[i].shift) || points[i].quarantine[0])
            continue;
        text_add(out, "muster_gate_worse_ratio{");
        add_label(out, "kernel", points[i].kernel);
        text_add(out, ",");
        add_label(out, "point", points[i].point);
        text_printf(out, "} %.2f\n", exp(points[i].shift));
    }
    text_add(out, "# EOF\n");
    free(points);
}
