/* advice.h - the advice in a visualize_data.bin, each text once
 *
 * A block of the file has a member `advice` for the operator, or one for each block of
 * it: a text or a list of texts. Blocks often repeat a text. */
#ifndef PARSERS_CONTAINER_ADVICE_H
#define PARSERS_CONTAINER_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/text.h"

enum { ADVICE_BYTES_MAX = 4000 };

/* Returns whether a path such as `table_per_block[].advice[]` is that of an advice. */
bool advice_is_path(const char *path);
/* Adds `prefix`, the advice and a line feed, unless it is empty or is already there. */
void advice_add_line(struct text *lines, const char *prefix, const char *advice);
/* Adds a line for each advice of a visualize_data.bin. Whole lines that exceed the
 * limit are replaced by a line that names the file. */
void advice_read(struct text *lines, const void *bytes, size_t size);

#endif
