/* block_writers.h - the JSON of each block of visualize_data.bin that we write */
#ifndef PARSERS_VISUALIZE_BLOCK_WRITERS_H
#define PARSERS_VISUALIZE_BLOCK_WRITERS_H

#include "lib/base/json_write.h"
#include "parsers/findings/findings.h"

struct block_rows;

void view_basic_info(const struct measure *measure, struct json_write *json);
void view_workload_chart(const struct measure *measure, struct json_write *json);
void view_workload_table(const struct measure *measure, struct json_write *json);
void view_memory_map(const struct measure *measure, struct json_write *json);
/* Texts of the advice on one entry of the map. */
void view_memory_advice(const struct measure *measure,
                        const struct block_rows *entry,
                        struct json_write *json);
void view_memory_table(const struct measure *measure, struct json_write *json);
void view_occupancy(const struct measure *measure, struct json_write *json);
void view_roofline(const struct measure *measure, struct json_write *json);

/* Why warps waited; of a 950, when its kernel was sampled. */
bool view_has_stalls(const struct findings *findings);
void view_stalls(const struct findings *findings, struct json_write *json);
bool view_has_hot_lines(const struct findings *findings);
void view_hot_files(const struct findings *findings, struct json_write *json);
bool view_has_hot_spots(const struct findings *findings);
void view_hot_instructions(const struct findings *findings, struct json_write *json);
bool view_has_cachelines(const struct findings *findings);
void view_cachelines(const struct findings *findings, struct json_write *json);
/* The files that the lines are of, as far as they are here; a block each. */
void view_add_code(const struct findings *findings, struct text *out);
/* One file of source, if it is one, and here. */
void view_add_code_file(const char *path, struct text *out);

/* The blocks of tracekit.h, where they were asked for. */
void view_add_tracekit(const struct findings *findings, struct text *out);

/* All blocks of the metrics that were asked for, and of what else was found. It starts
 * with the timeline where there is one. */
void view_file(const struct findings *findings, struct text *out);

/* Advice on the clock, or NULL: it ran below 95 % of what it is rated for. */
const char *view_clock_advice(const struct measure *measure);

#endif
