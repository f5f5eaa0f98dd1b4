/* describe.h - a visualize_data.bin told field by field, for people */
#ifndef PARSERS_CONTAINER_DESCRIBE_H
#define PARSERS_CONTAINER_DESCRIBE_H

#include "lib/base/text.h"
#include "parsers/container/bin.h"

/* What the block is for, and what a field of it means; NULL: nobody reads that. */
const char *describe_block(unsigned type);
const char *describe_field(unsigned type, const char *path);

/* One block: a line with its purpose, then a line a field with how often it is there,
 * what it holds first, and what it means. */
void describe_write(const struct bin_block *block, struct text *out);

#endif
