/* visualize_file.c - which blocks a launch gives, and in which order */
#include "lib/base/mem.h"
#include "parsers/container/bin.h"
#include "parsers/visualize/block_writers.h"

enum { FOR_TABLES = METRIC_TABLES | METRIC_OCCUPANCY | METRIC_ROOFLINE };

static const struct view {
    enum bin_type type;
    unsigned metrics; /* any of these; 0: always */
    void (*write)(const struct measure *measure, struct json_write *json);
} views[] = {
    {BIN_BASIC_INFO, 0, view_basic_info},
    {BIN_WORKLOAD_CHART, FOR_TABLES, view_workload_chart},
    {BIN_WORKLOAD_TABLE, FOR_TABLES, view_workload_table},
    {BIN_MEMORY_MAP, FOR_TABLES, view_memory_map},
    {BIN_MEMORY_TABLE, FOR_TABLES, view_memory_table},
    {BIN_OCCUPANCY, METRIC_OCCUPANCY, view_occupancy},
    {BIN_ROOFLINE, METRIC_ROOFLINE, view_roofline},
};

/* Blocks that are there when there is something to put into them. */
static const struct evidence_view {
    enum bin_type type;
    bool (*is_there)(const struct findings *findings);
    void (*write)(const struct findings *findings, struct json_write *json);
} evidence_views[] = {
    {BIN_FILES, view_has_hot_lines, view_hot_files},
    {BIN_INSTRUCTIONS, view_has_hot_spots, view_hot_instructions},
    {BIN_STALLS, view_has_stalls, view_stalls},
    {BIN_CACHELINES, view_has_cachelines, view_cachelines},
};

static void add_view(struct text *out,
                     struct text *payload,
                     const struct view *view,
                     const struct measure *measure)
{
    struct json_write json;
    struct err err;

    text_reset(payload);
    json_write_to_text(&json, payload);
    view->write(measure, &json);
    json_write_finish(&json, &err); /* a text takes all */
    bin_add(out, view->type, payload);
}

static void add_evidence(struct text *out,
                         struct text *payload,
                         const struct evidence_view *view,
                         const struct findings *findings)
{
    struct json_write json;
    struct err err;

    text_reset(payload);
    json_write_to_text(&json, payload);
    view->write(findings, &json);
    json_write_finish(&json, &err);
    bin_add(out, view->type, payload);
}

void view_file(const struct findings *findings, struct text *out)
{
    unsigned metrics = findings->launch->metrics;
    struct text payload = {0};

    if (findings->trace.length)
        bin_add(out, BIN_TRACE, &findings->trace);
    for (size_t i = 0; i < COUNT(views); i++)
        if (!views[i].metrics || (metrics & views[i].metrics))
            add_view(out, &payload, &views[i], &findings->measure);
    view_add_code(findings, out);
    for (size_t i = 0; i < COUNT(evidence_views); i++)
        if (evidence_views[i].is_there(findings))
            add_evidence(out, &payload, &evidence_views[i], findings);
    view_add_tracekit(findings, out);
    text_clear(&payload);
}
