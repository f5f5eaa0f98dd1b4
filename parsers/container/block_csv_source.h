/* block_csv_source.h - CSV tables of source lines and instructions, one row per core
 *
 * The file defines the columns of both tables. */
#ifndef PARSERS_CONTAINER_BLOCK_CSV_SOURCE_H
#define PARSERS_CONTAINER_BLOCK_CSV_SOURCE_H

#include "lib/base/json_tree.h"
#include "lib/base/text.h"

void block_csv_fill_lines(const struct json_node *root, struct text *out);
void block_csv_fill_instructions(const struct json_node *root, struct text *out);

#endif
