/* block_csv.h - the tables inside a visualize_data.bin, as CSV
 *
 * Whoever wrote the file: a member that is missing is an empty cell. A value that the
 * file keeps per core becomes a row per core. */
#ifndef PARSERS_CONTAINER_BLOCK_CSV_H
#define PARSERS_CONTAINER_BLOCK_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/text.h"

/* One table: its name ("roofline") and its text, good for the call. -1 ends it all. */
typedef int
sheet_fn(const char *name, const struct text *csv, void *arg, struct err *err);

/* Calls for each table that has rows, in the order of the blocks. A block that cannot
 * be read does not stop the others; ERR_INPUT names the first at the end. */
int block_csv_each(const uint8_t *bytes,
                   size_t size,
                   sheet_fn *fn,
                   void *arg,
                   struct err *err);

#endif
