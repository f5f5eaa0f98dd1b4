/* describe.h - describes the blocks of a visualize_data.bin field by field, as text */
#ifndef PARSERS_CONTAINER_DESCRIBE_H
#define PARSERS_CONTAINER_DESCRIBE_H

#include "lib/base/text.h"
#include "parsers/container/bin.h"

/* Writes a line with the purpose of the block, then a line per field: how often the
 * field occurs, the start of its first value and its meaning; then each advice in full.
 */
void describe_write(const struct bin_block *block, struct text *out);

#endif
