#include "parsers/anomaly_report/report_text.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/anomaly_report/gap_text.h"

enum { STEPS_SHOWN = 10, GAPS_SHOWN = 5 };

static void write_steps(struct text *out, const struct analysis *analysis)
{
    text_printf(out, "  %-10s %12s %12s %8s %12s %12s %12s  %s\n", "step", "service ms",
                "busy ms", "idle", "prelaunch ms", "internal ms", "tail ms",
                "severity");
    for (size_t i = 0; i < analysis->step_count && i < STEPS_SHOWN; i++) {
        const struct step *step = &analysis->steps[i];
        const struct bubbles *bubbles = &step->bubbles;

        text_printf(out, "  %-10s %12.3f %12.3f %7.1f%% %12.3f %12.3f %12.3f  %s\n",
                    names_text(analysis->input->names, step->window.name),
                    ns_to_ms(bubbles->service), ns_to_ms(bubbles->busy),
                    100 * bubbles_underfeed_ratio(bubbles),
                    ns_to_ms(bubbles->prelaunch), ns_to_ms(bubbles->internal),
                    ns_to_ms(bubbles->tail), severity_name(step->severity));
    }
    if (analysis->step_count > STEPS_SHOWN)
        text_printf(out, "  and %zu more steps\n", analysis->step_count - STEPS_SHOWN);
}

static void write_gaps(struct text *out, const struct analysis *analysis)
{
    size_t *places = analysis_longest_gaps(analysis);

    for (size_t i = 0; i < analysis->gap_count && i < GAPS_SHOWN; i++) {
        const struct gap *gap = &analysis->gaps[places[i]];

        text_add(out, "  ");
        gap_text_id(out, analysis, gap);
        text_printf(out, "  %.3f ms, %s, ", ns_to_ms(gap->end - gap->start),
                    gap_scope(gap));
        gap_text_labels(out, gap->labels, " + ");
        text_add(out, "\n    before: ");
        gap_text_neighbour(out, analysis, gap, true);
        text_add(out, "\n    after:  ");
        gap_text_neighbour(out, analysis, gap, false);
        text_add(out, "\n");
    }
    free(places);
}

static void write_lines(struct text *out, const char *heading, const struct text *lines)
{
    const char *at = text_get(lines);

    if (*at)
        text_printf(out, "%s\n", heading);
    while (*at) {
        size_t length = strcspn(at, "\n");

        text_printf(out, "  %.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

void report_text_write(struct text *out, const struct analysis *analysis)
{
    const struct step_group *group = &analysis->groups[0];

    text_printf(out, "rank %lld: %zu kernels, %zu step%s (%s), confidence %s\n",
                (long long)analysis->input->rank, analysis->input->kernels.count,
                analysis->step_count, analysis->step_count == 1 ? "" : "s",
                step_source_name(analysis->windows.source),
                confidence_name(analysis->confidence));
    write_steps(out, analysis);
    text_printf(out, "  tags: ");
    gap_text_tags(out, group->tags, " ");
    text_printf(out, "%s\n", group->tags ? "" : "none");
    if (analysis->gap_count > 0)
        text_printf(out, "Longest gaps of %zu that were examined:\n",
                    analysis->gap_count);
    write_gaps(out, analysis);
    if (analysis->recommendation_count > 0)
        text_add(out, "Advice:\n");
    for (size_t i = 0; i < analysis->recommendation_count; i++) {
        const struct recommendation *row = &analysis->recommendations[i];

        text_printf(out, "  P%u %s%s%s: %s\n", row->priority, row->scope,
                    row->target[0] ? " " : "", row->target, row->text);
    }
    write_lines(out, "Limitations:", &analysis->input->limitations);
}
