/* block_csv.h - converts the blocks of a visualize_data.bin to CSV tables
 *
 * A missing member becomes an empty cell, because files of other writers may lack it. A
 * value that the file stores per core becomes one row per core. */
#ifndef PARSERS_CONTAINER_BLOCK_CSV_H
#define PARSERS_CONTAINER_BLOCK_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/text.h"

/* Receives one table: its name, such as "roofline", and its text, which is valid during
 * the call. A result of -1 stops the conversion. */
typedef int
block_csv_fn(const char *name, const struct text *csv, void *arg, struct err *err);

/* Calls fn for each table that has rows, in the order of the blocks, and
 * at the end for the lines of all source files and for all advice. A damaged block
 * does not stop the conversion of the others; the final ERR_INPUT names the first of
 * them. */
int block_csv_each(const uint8_t *bytes,
                   size_t size,
                   block_csv_fn *fn,
                   void *arg,
                   struct err *err);

#endif
