/* block_writers.h - writes the content of the blocks of visualize_data.bin
 *
 * Functions with _write in their name write the JSON of one block. A block with a _has_
 * function is only written when that function returns true. */
#ifndef PARSERS_VISUALIZE_BLOCK_WRITERS_H
#define PARSERS_VISUALIZE_BLOCK_WRITERS_H

#include "lib/base/json_write.h"
#include "parsers/findings/findings.h"

struct block_rows;

void basic_info_write(const struct measure *measure, struct json_write *json);
/* Returns advice when the clock is at most 95 % of the rated clock, otherwise NULL. */
const char *basic_info_clock_advice(const struct measure *measure);

void workload_write_chart(const struct measure *measure, struct json_write *json);
void workload_write_table(const struct measure *measure, struct json_write *json);

void memory_map_write(const struct measure *measure, struct json_write *json);
/* Write the advice on one entry of the memory map and of the memory table, as elements
 * of an open list. */
void memory_advice_write_units(const struct measure *measure,
                               const struct block_rows *entry,
                               struct json_write *json);
void memory_advice_write_pipes(const struct measure *measure,
                               const struct block_rows *entry,
                               struct json_write *json);
void memory_table_write(const struct measure *measure, struct json_write *json);

void occupancy_write(const struct measure *measure, struct json_write *json);
void roofline_write(const struct measure *measure, struct json_write *json);

/* Stall reasons of warps: only for a 950 whose kernel was sampled. */
bool stalls_has_samples(const struct findings *findings);
void stalls_write(const struct findings *findings, struct json_write *json);

bool source_blocks_has_lines(const struct findings *findings);
void source_blocks_write_lines(const struct findings *findings,
                               struct json_write *json);
bool source_blocks_has_instructions(const struct findings *findings);
void source_blocks_write_instructions(const struct findings *findings,
                                      struct json_write *json);
/* Adds a block for each source file that has lines and exists on this host. */
void source_blocks_add_files(const struct findings *findings, struct text *out);
/* Adds a block for one file, unless the file is missing or its name is not that of a
 * source file. */
void source_blocks_add_file(const char *path, struct text *out);

bool cachelines_has_sets(const struct findings *findings);
void cachelines_write(const struct findings *findings, struct json_write *json);

/* Adds the blocks of tracekit.h, if they were requested. */
void tracekit_blocks_add(const struct findings *findings, struct text *out);

#endif
