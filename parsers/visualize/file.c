/* file.c - which blocks a launch gives, and in which order */
#include "base/mem.h"
#include "parsers/visualize/bin.h"
#include "parsers/visualize/views.h"

enum { FOR_TABLES = METRIC_TABLES | METRIC_OCCUPANCY | METRIC_ROOFLINE };

static const struct view {
    enum bin_type type;
    unsigned metrics; /* any of these; the first block is always there */
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

void view_file(const struct measure *measure,
               unsigned metrics,
               const struct text *trace,
               struct text *out)
{
    struct text payload = {0};

    if (trace->length)
        bin_add(out, BIN_TRACE, trace);
    for (size_t i = 0; i < COUNT(views); i++) {
        struct json_write json;
        struct err err;

        if (!(metrics & views[i].metrics) && views[i].type != BIN_BASIC_INFO)
            continue;
        text_reset(&payload);
        json_write_to_text(&json, &payload);
        views[i].write(measure, &json);
        json_write_finish(&json, &err); /* a text takes all */
        bin_add(out, views[i].type, &payload);
    }
    text_clear(&payload);
}
