#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/anomaly/analysis_internal.h"

static void add(struct analysis *analysis, struct recommendation row)
{
    analysis->recommendations =
        xreallocarray(analysis->recommendations, analysis->recommendation_count + 1,
                      sizeof(*analysis->recommendations));
    analysis->recommendations[analysis->recommendation_count++] = row;
}

static void advise_group(struct analysis *analysis, size_t index)
{
    const struct step_group *group = &analysis->groups[index];
    bool is_high = group->severity == SEVERITY_HIGH;

    if (group->tags & TAGS_HEAVY && !analysis->has_stacks)
        add(analysis,
            (struct recommendation){"step_group", xasprintf("group_%zu", index),
                                    "Profile again with with_stack=true, so that gaps "
                                    "have the call stacks of "
                                    "the host.",
                                    true, "no call stacks", is_high ? 0 : 1});
    if (group->host_risk > SEVERITY_LOW &&
        (analysis->requires_host_followup || analysis->confidence == CONFIDENCE_LOW))
        add(analysis,
            (struct recommendation){
                "step_group", xasprintf("group_%zu", index),
                "Sample the host and look at its threads during the gaps.", true,
                analysis->input->has_trace ? "few host events in the gaps"
                                           : "no trace of the host",
                group->host_risk == SEVERITY_HIGH ? 0 : 1});
}

static void advise_op(struct analysis *analysis, const struct op *op, uint8_t *advised)
{
    enum { POLLUTED = 1, AICPU = 2 };
    const char *name = names_text(analysis->input->names, op->name);

    if (op->is_polluted && op->cost_rank <= 10 && !(advised[op->name] & POLLUTED)) {
        advised[op->name] |= POLLUTED;
        add(analysis,
            (struct recommendation){
                "op", xstrdup(name),
                "Check the communication before this operator: its wait lies in "
                "collectives and is no cause of its own.",
                true, NULL, 1});
    }
    if (op->aicpu != AICPU_NONE && !(advised[op->name] & AICPU)) {
        advised[op->name] |= AICPU;
        add(analysis,
            (struct recommendation){
                "op", xstrdup(name),
                "Replace this operator of the AI CPU, or move it to an AI core.", false,
                NULL, op->aicpu == AICPU_MASKED ? 2 : 1});
    }
}

/* Advises about each operator once, however many steps have it. */
static void advise_ops(struct analysis *analysis)
{
    uint8_t *advised = xcalloc(names_count(analysis->input->names), sizeof(*advised));

    for (size_t i = 0; i < analysis->step_count; i++)
        for (size_t j = 0; j < analysis->steps[i].ops.count; j++)
            advise_op(analysis, &analysis->steps[i].ops.rows[j], advised);
    free(advised);
}

/* Returns true when at least half of the examined idle time of steps with several
 * layers lies between the layers. */
static bool is_idle_between_layers(const struct analysis *analysis)
{
    int64_t between = 0, all = 0;

    for (size_t i = 0; i < analysis->gap_count; i++) {
        const struct gap *gap = &analysis->gaps[i];

        if (analysis->steps[gap->step].structures.count < 3)
            continue;
        all += gap->end - gap->start;
        if (gap->kind == GAP_INTERNAL && !analysis_structure_of(analysis, gap))
            between += gap->end - gap->start;
    }
    return all > 0 && between * 2 >= all;
}

static bool has_boundary(const struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->step_count; i++)
        if (analysis->steps[i].tags & 1u << TAG_PARTIAL_CAPTURE_BOUNDARY)
            return true;
    return false;
}

static int compare(const void *a, const void *b)
{
    const struct recommendation *left = a, *right = b;

    if (left->priority != right->priority)
        return left->priority < right->priority ? -1 : 1;
    return 0;
}

void analysis_recommend(struct analysis *analysis)
{
    bool unstable = analysis->group_count > 1;

    for (size_t i = 0; i < analysis->group_count; i++)
        advise_group(analysis, i);
    advise_ops(analysis);
    if (is_idle_between_layers(analysis))
        add(analysis,
            (struct recommendation){
                "structure", xstrdup("layer"),
                "Check what the host does between layers: half of the idle time "
                "or more lies there.",
                true, NULL, 1});
    if (!analysis->has_shapes && unstable)
        add(analysis, (struct recommendation){
                          "global", xstrdup(""),
                          "Profile again with record_shapes=true: steps differ, and "
                          "shapes may show the reason.",
                          true, "no shapes", 2});
    if (has_boundary(analysis))
        add(analysis, (struct recommendation){
                          "global", xstrdup(""),
                          "Capture more steps: the largest gap is at the edge of the "
                          "capture and may be an artefact.",
                          true, "cut capture", 3});
    if (analysis->step_count == 1)
        add(analysis, (struct recommendation){
                          "global", xstrdup(""),
                          "Capture at least 5 steps, so that recurring gaps differ "
                          "from single ones.",
                          true, "a single step", 3});
    /* qsort() is no stable sort, but there are few rows per priority and no order. */
    if (analysis->recommendation_count > 0)
        qsort(analysis->recommendations, analysis->recommendation_count,
              sizeof(*analysis->recommendations), compare);
}
