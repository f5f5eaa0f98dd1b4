#include "parsers/anomaly_report/report_markdown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/anomaly_report/gap_text.h"
#include "parsers/anomaly_report/part_times.h"
#include "parsers/block_side/block_side.h"

enum { GAPS_SHOWN = 5, TOP_OPS = 10 };

/* Adds a cell of a table. A bar would end the cell. */
static void add_cell(struct text *out, const char *value)
{
    for (; *value; value++) {
        if (*value == '|')
            text_add(out, "\\");
        text_add_char(out, *value == '\n' || *value == '\r' ? ' ' : *value);
    }
}

static void add_share(struct text *out, double share)
{
    if (isnan(share))
        text_add(out, " - |");
    else
        text_printf(out, " %.1f %% |", 100 * share);
}

static const char *answer(bool value)
{
    return value ? "Yes" : "No";
}

static void write_questions(struct text *out, const struct analysis *analysis)
{
    const struct step_group *group = &analysis->groups[0];
    const struct group_statistics *metrics = group->metrics;

    text_add(out, "## 1. Bubble-first summary\n\n");
    text_printf(
        out,
        "1. Are there significant idle bubbles? %s: %.1f %% of the service time of "
        "`group_0` is idle, %zu gaps were examined, severity %s.\n",
        answer(group->has_hidden_issue), 100 * metrics[METRIC_UNDERFEED_RATIO].average,
        analysis->gap_count, severity_name(group->severity));
    text_printf(out,
                "2. In which step group? `group_0` has %zu of %zu steps and the most "
                "service time, %.3f ms on average.\n",
                group->count, analysis->step_count, metrics[METRIC_SERVICE].average);
    text_printf(
        out,
        "3. Where is the idle time? Pattern `%s`: %.3f ms before the first kernel, "
        "%.3f ms between kernels, %.3f ms after the last kernel (averages).\n",
        idle_pattern_name(group->idle), metrics[METRIC_PRELAUNCH].average,
        metrics[METRIC_INTERNAL].average, metrics[METRIC_TAIL].average);
    text_printf(
        out,
        "4. May the host be the origin? Risk %s: in the gaps, events of the host "
        "cover %.1f %% and synchronisation or copies %.1f %%.\n",
        severity_name(group->host_risk), 100 * group->host_mean,
        100 * group->sync_mean);
    text_printf(out, "5. Is the evidence sufficient? Confidence %s; follow-up %s.\n\n",
                confidence_name(analysis->confidence),
                group->requires_followup || analysis->requires_host_followup
                    ? "is required"
                    : "is not required");
}

struct row {
    struct text *out;
    const struct gap *gap;
    const char *side;
};

static void write_kernel_row(void *arg,
                             const struct analysis *analysis,
                             const struct kernel *kernel)
{
    struct row *row = arg;
    const struct names *names = analysis->input->names;

    text_add(row->out, "| ");
    gap_text_id(row->out, analysis, row->gap);
    text_printf(row->out, " | %s | `", row->side);
    add_cell(row->out, names_text(names, kernel->name));
    text_printf(row->out, "` | %s | %.3f | ", names_text(names, kernel->unit),
                (double)kernel_duration(kernel) / 1000);
    if (kernel->stream >= 0)
        text_printf(row->out, "%d |\n", (int)kernel->stream);
    else
        text_add(row->out, "- |\n");
}

static void write_kernel_evidence(struct text *out,
                                  const struct analysis *analysis,
                                  const size_t *places)
{
    text_add(out, "Kernels around the longest gaps:\n\n"
                  "| bubble | side | kernel | task type | duration us | stream |\n"
                  "| --- | --- | --- | --- | ---: | --- |\n");
    for (size_t i = 0; i < analysis->gap_count && i < GAPS_SHOWN; i++) {
        const struct gap *gap = &analysis->gaps[places[i]];
        struct row before = {out, gap, "before"}, after = {out, gap, "after"};

        gap_text_each_neighbour(analysis, gap, true, write_kernel_row, &before);
        gap_text_each_neighbour(analysis, gap, false, write_kernel_row, &after);
    }
}

static void
write_gaps(struct text *out, const struct analysis *analysis, const size_t *places)
{
    text_add(
        out,
        "\nThe longest gaps; times in ms after the first kernel:\n\n"
        "| bubble | start ms | end ms | scope | duration ms | host | sync | comm | "
        "labels |\n"
        "| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | --- |\n");
    for (size_t i = 0; i < analysis->gap_count && i < GAPS_SHOWN; i++) {
        const struct gap *gap = &analysis->gaps[places[i]];

        text_add(out, "| ");
        gap_text_id(out, analysis, gap);
        text_printf(out, " | %.3f | %.3f | %s | %.3f |",
                    ns_to_ms(gap->start - analysis->busy.start),
                    ns_to_ms(gap->end - analysis->busy.start), gap_scope(gap),
                    ns_to_ms(gap->end - gap->start));
        add_share(out, gap->share.host);
        add_share(out, gap->share.sync);
        add_share(out, gap->share.comm);
        text_add(out, " ");
        gap_text_labels(out, gap->labels, ", ");
        text_add(out, " |\n");
    }
}

static void write_causes(struct text *out, const struct analysis *analysis)
{
    text_add(out,
             "\nPossible causes:\n\n"
             "| label | scope | share of examined idle time | total ms | host | sync | "
             "comm | confidence |\n"
             "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |\n");
    for (size_t i = 0; i < analysis->cause_count; i++) {
        const struct cause *cause = &analysis->causes[i];

        text_printf(out, "| %s | ", label_name(cause->label));
        if (cause->group == CAUSE_GLOBAL)
            text_add(out, "global |");
        else
            text_printf(out, "group_%ld |", cause->group);
        add_share(out, cause->share);
        text_printf(out, " %.3f |", ns_to_ms(cause->total));
        add_share(out, analysis->input->has_trace ? cause->host_mean : NAN);
        add_share(out, analysis->input->has_trace ? cause->sync_mean : NAN);
        add_share(out, analysis->input->has_trace ? cause->comm_mean : NAN);
        text_printf(out, " %s |\n", confidence_name(cause->confidence));
    }
}

static void write_discovery(struct text *out, const struct analysis *analysis)
{
    const struct step_group *group = &analysis->groups[0];
    size_t *places = analysis_longest_gaps(analysis);

    text_printf(
        out,
        "## 2. Hidden issue discovery\n\n"
        "Dominant group `group_0`: service %.6f ms, device busy %.6f ms, underfeed "
        "ratio %.6f (averages). Tags: ",
        group->metrics[METRIC_SERVICE].average, group->metrics[METRIC_BUSY].average,
        group->metrics[METRIC_UNDERFEED_RATIO].average);
    gap_text_tags(out, group->tags, ", ");
    text_printf(out, "%s.\n\n", group->tags ? "" : "none");
    if (analysis->gap_count > 0) {
        write_kernel_evidence(out, analysis, places);
        write_gaps(out, analysis, places);
        write_causes(out, analysis);
    } else {
        text_add(out, "No gap is long enough to be examined.\n");
    }
    free(places);
    text_printf(out,
                "\nPeriodicity: %s of the steps have a gap, and examined gaps %s at a "
                "stable position.\n",
                group->is_recurring ? "at least 60 %" : "fewer than 60 %",
                group->count < 2                  ? "cannot recur in a single step"
                : group->is_recurring_significant ? "recur"
                                                  : "do not recur");
    text_printf(out, "Host coverage: %s.\n\n",
                analysis->input->has_trace
                    ? "the trace shows the work of the host, without step markers"
                    : "unknown, because the capture has no trace of the host");
}

static void write_steps(struct text *out, const struct analysis *analysis)
{
    text_add(
        out,
        "## 3. Structure-level drill-down\n\n"
        "| step | group | service ms | busy ms | idle | prelaunch ms | internal ms "
        "| tail ms | compute ms | communication ms | both ms | severity |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | "
        "---: | --- |\n");
    for (size_t i = 0; i < analysis->step_count; i++) {
        const struct step *step = &analysis->steps[i];
        const struct bubbles *bubbles = &step->bubbles;

        text_printf(out, "| %s | group_%zu | %.3f | %.3f |",
                    names_text(analysis->input->names, step->window.name), step->group,
                    ns_to_ms(bubbles->service), ns_to_ms(bubbles->busy));
        add_share(out, bubbles_underfeed_ratio(bubbles));
        text_printf(out, " %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %s |\n",
                    ns_to_ms(bubbles->prelaunch), ns_to_ms(bubbles->internal),
                    ns_to_ms(bubbles->tail), ns_to_ms(step->compute),
                    ns_to_ms(step->comm), ns_to_ms(step->overlap),
                    severity_name(step->severity));
    }
    text_add(out, "\n");
}

/* Adds the number and times of the parts of each kind in the first step of the dominant
 * group. */
static void write_structures(struct text *out, const struct analysis *analysis)
{
    const struct step *step = &analysis->steps[analysis->groups[0].steps[0]];
    const struct structures *structures = &step->structures;

    text_printf(
        out,
        "Parts of step %s; the idle time inside is that of the part's own kernels:\n\n"
        "| part | count | kernels | wall ms | busy ms | idle inside ms | share of "
        "step |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
        names_text(analysis->input->names, step->window.name));
    for (enum structure_kind kind = 0; kind < STRUCTURE_KIND_COUNT; kind++) {
        int64_t wall = 0, busy = 0;
        size_t count = 0, kernels = 0;

        for (size_t i = 0; i < structures->count; i++) {
            const struct structure *row = &structures->rows[i];

            if (row->kind != kind)
                continue;
            count++;
            kernels += row->count;
            wall += row->end - row->start;
            busy += row->busy;
        }
        if (count == 0)
            continue;
        text_printf(out, "| %s | %zu | %zu | %.3f | %.3f | %.3f |",
                    structure_kind_name(kind), count, kernels, ns_to_ms(wall),
                    ns_to_ms(busy), ns_to_ms(wall - busy));
        add_share(out, (double)wall / (double)step->bubbles.service);
        text_add(out, "\n");
    }
    text_add(out, "\n");
}

/* Adds the first parts by each order, side by side. */
static void write_rankings(struct text *out, const struct analysis *analysis)
{
    const struct step *step = &analysis->steps[analysis->groups[0].steps[0]];
    size_t *places[PART_ORDER_COUNT];

    if (step->structures.count < 2)
        return;
    for (enum part_order order = 0; order < PART_ORDER_COUNT; order++)
        places[order] = part_ranking(analysis, step, order);
    text_add(out, "The parts with the largest wall time, total cost, and idle time "
                  "inside and before them:\n\n"
                  "| place | by wall ms | by total cost ms | by idle ms |\n"
                  "| ---: | --- | --- | --- |\n");
    for (size_t i = 0; i < step->structures.count && i < GAPS_SHOWN; i++) {
        text_printf(out, "| %zu |", i + 1);
        for (enum part_order order = 0; order < PART_ORDER_COUNT; order++) {
            text_add(out, " ");
            gap_text_structure(out, &step->structures.rows[places[order][i]]);
            text_printf(out, " %.3f |",
                        ns_to_ms(part_value(analysis, step, places[order][i], order)));
        }
        text_add(out, "\n");
    }
    text_add(out, "\n");
    for (enum part_order order = 0; order < PART_ORDER_COUNT; order++)
        free(places[order]);
}

/* Adds the examined idle time of the step inside of parts, between them and at its
 * edges. */
static void write_relations(struct text *out, const struct analysis *analysis)
{
    const struct step *step = &analysis->steps[analysis->groups[0].steps[0]];
    int64_t inside = 0, between = 0, edge = 0;

    for (size_t i = 0; i < step->gap_count; i++) {
        const struct gap *gap = &analysis->gaps[step->first_gap + i];
        int64_t length = gap->end - gap->start;

        if (gap->kind != GAP_INTERNAL)
            edge += length;
        else if (analysis_structure_of(analysis, gap))
            inside += length;
        else
            between += length;
    }
    text_printf(
        out,
        "Of the examined idle time, %.3f ms lie inside of parts, %.3f ms between "
        "them, and %.3f ms before the first or after the last kernel.\n\n",
        ns_to_ms(inside), ns_to_ms(between), ns_to_ms(edge));
}

static void write_clocks(struct text *out,
                         const char *name,
                         const struct analysis *analysis,
                         const struct kernel_clocks *clocks)
{
    char words[64];

    block_side_interpret(clocks, words);
    text_printf(out, "| %s | %zu | %.3f | %.3f | %.3f | %.3f | %s | %s |\n", name,
                clocks->count, ns_to_ms(clocks->wall), ns_to_ms(clocks->busy),
                ns_to_ms(clocks->kernel_sum), ns_to_ms(clocks->total_cost),
                names_text(analysis->input->names, clocks->unit), words);
}

/* Adds the four clocks of the main compute stream and of what runs beside it. */
static void write_sides(struct text *out, const struct analysis *analysis)
{
    const struct step *step = &analysis->steps[analysis->groups[0].steps[0]];
    struct block_side sides;

    block_side_measure(&sides, &analysis->input->kernels, step->structures.kernels,
                       step->structures.kernel_count, step->main_stream);
    text_printf(
        out,
        "## 4. Block, side and operators of step %s\n\n"
        "The block has the kernels of the main compute stream of at least 10 us; "
        "the side has the others.\n\n"
        "| part | kernels | wall ms | busy ms | kernel sum ms | total cost ms | "
        "dominant task type | reading |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | --- | --- |\n",
        names_text(analysis->input->names, step->window.name));
    write_clocks(out, "block", analysis, &sides.block);
    write_clocks(out, "side", analysis, &sides.side);
    text_add(out, "\nSide kernels: ");
    for (enum kernel_place place = PLACE_COMM; place < PLACE_COUNT; place++)
        text_printf(out, "%s%zu %s", place == PLACE_COMM ? "" : ", ",
                    sides.places[place], block_side_place_name(place));
    if (isnan(sides.comm_overlap))
        text_add(out, ". No communication.\n\n");
    else
        text_printf(out, ". The block covers %.1f %% of the communication.\n\n",
                    100 * sides.comm_overlap);
}

static void
write_op(struct text *out, const struct analysis *analysis, const struct op *op)
{
    const struct names *names = analysis->input->names;
    double calls = (double)op->calls;

    text_printf(out, "| %zu | %zu | `", op->total_rank, op->duration_rank);
    add_cell(out, names_text(names, op->name));
    text_printf(out, "` | %s | %zu | %.3f | %.3f |", names_text(names, op->unit),
                op->calls, (double)op->duration / calls / 1000,
                (double)op->wait / calls / 1000);
    add_share(out, op_wait_ratio(op));
    text_printf(out, " %s%s%s%s |\n",
                op->judgement == OP_SMALL_INEFFICIENT ? "many short calls " : "",
                op->is_anchor ? "wait anchor: look at the kernel before the gap" : "",
                op->is_polluted ? "wait lies in communication" : "",
                op->aicpu != AICPU_NONE ? aicpu_class_name(op->aicpu) : "");
}

static void write_ops(struct text *out, const struct analysis *analysis)
{
    const struct step *step = &analysis->steps[analysis->groups[0].steps[0]];

    text_printf(
        out,
        "Operators of step %s:\n\n"
        "The first ten by total cost, which is duration and wait of all calls, and the "
        "first ten by duration. The wait is the gap before the kernel.\n\n"
        "| cost rank | duration rank | operator | task type | calls | duration us | "
        "wait us | wait share | note |\n"
        "| ---: | ---: | --- | --- | ---: | ---: | ---: | ---: | --- |\n",
        names_text(analysis->input->names, step->window.name));
    for (size_t i = 0; i < step->ops.count; i++) {
        const struct op *op = &step->ops.rows[i];

        if (op->total_rank <= TOP_OPS || op->duration_rank <= TOP_OPS ||
            op->is_anchor || op->aicpu != AICPU_NONE)
            write_op(out, analysis, op);
    }
    text_add(out, "\n");
}

/* Adds the operators of the framework with the most time on the host. */
static void write_host_ops(struct text *out, const struct analysis *analysis)
{
    const struct host_ops *ops = &analysis->input->host_ops;

    if (ops->count == 0)
        return;
    text_add(out, "Operators of the framework with the most time on the host:\n\n"
                  "| operator | calls | host ms | device ms |\n"
                  "| --- | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < ops->count && i < TOP_OPS; i++) {
        text_add(out, "| `");
        add_cell(out, names_text(ops->names, ops->rows[i].name));
        text_printf(out, "` | %llu | %.3f | %.3f |\n",
                    (unsigned long long)ops->rows[i].calls, ops->rows[i].host_us / 1000,
                    ops->rows[i].device_us / 1000);
    }
    text_add(out, "\n");
}

static void write_lines(struct text *out, const struct text *lines)
{
    const char *at = text_get(lines);

    if (!*at)
        text_add(out, "- none\n");
    while (*at) {
        size_t length = strcspn(at, "\n");

        text_printf(out, "- %.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

void report_markdown_write(struct text *out, const struct analysis *analysis)
{
    text_printf(out, "# Idle time of rank %lld\n\n", (long long)analysis->input->rank);
    write_questions(out, analysis);
    write_discovery(out, analysis);
    write_steps(out, analysis);
    write_structures(out, analysis);
    write_rankings(out, analysis);
    write_relations(out, analysis);
    write_sides(out, analysis);
    write_ops(out, analysis);
    write_host_ops(out, analysis);
    text_add(out, "## 5. Advice and limits\n\nAdvice:\n\n");
    for (size_t i = 0; i < analysis->recommendation_count; i++) {
        const struct recommendation *row = &analysis->recommendations[i];

        text_printf(out, "- P%u, %s%s%s%s: %s\n", row->priority, row->scope,
                    row->target[0] ? " `" : "", row->target, row->target[0] ? "`" : "",
                    row->text);
    }
    if (analysis->recommendation_count == 0)
        text_add(out, "- none\n");
    text_add(out, "\nMissing evidence:\n\n");
    write_lines(out, &analysis->evidence_gaps);
    text_add(out, "\nLimitations:\n\n");
    write_lines(out, &analysis->input->limitations);
}
