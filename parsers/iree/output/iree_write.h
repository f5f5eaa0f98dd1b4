/* iree_write.h - writes the tables of a dump as text, CSV and JSON, and its timeline
 *
 * All functions write piece by piece, so a large dump needs no large memory. */
#ifndef PARSERS_IREE_OUTPUT_IREE_WRITE_H
#define PARSERS_IREE_OUTPUT_IREE_WRITE_H

#include <stdio.h>

#include "parsers/iree/output/iree_tables.h"

/* Prints the tables that have rows, as aligned text. */
void iree_write_text(const struct iree_dump *dump, FILE *out);
/* Prints each record of each ring as a line, as IREE's own tool does. */
void iree_write_records(const struct iree_dump *dump, FILE *out);
int iree_write_csv(const struct iree_table *table,
                   const struct iree_dump *dump,
                   int fd,
                   struct err *err);
/* Writes one JSON document with all tables and problems. */
int iree_write_json(const struct iree_dump *dump, int fd, struct err *err);

/* Returns true when a profile has an event with a time; rings have none. */
bool iree_has_times(const struct iree_dump *dump);
/* Writes a Chrome trace of all profiles. */
int iree_write_trace(const struct iree_dump *dump, int fd, struct err *err);

#endif
