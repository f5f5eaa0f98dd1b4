/* block_csv_text.h - the tables of a visualize_data.bin that collect texts of many
 * blocks
 *
 * Both tables begin empty; the first row writes the head. */
#ifndef PARSERS_CONTAINER_BLOCK_CSV_TEXT_H
#define PARSERS_CONTAINER_BLOCK_CSV_TEXT_H

#include "lib/base/json_tree.h"
#include "lib/base/text.h"
#include "parsers/container/bin.h"

/* Adds a text, a number, true or false. Adds nothing for another node or NULL. */
void block_csv_add_node(struct text *out, const struct json_node *node);
/* Adds the advice of a block: about the operator, or about each block of it. */
void block_csv_add_advice(struct text *out,
                          const struct json_node *root,
                          unsigned type);
/* Adds the lines of a source file. */
void block_csv_add_code(struct text *out, const struct bin_block *block);

#endif
