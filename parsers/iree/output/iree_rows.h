/* iree_rows.h - the rows of the tables of a dump, one function per table */
#ifndef PARSERS_IREE_OUTPUT_IREE_ROWS_H
#define PARSERS_IREE_OUTPUT_IREE_ROWS_H

#include "parsers/iree/iree_dump.h"
#include "parsers/iree/output/iree_cells.h"

void iree_rows_parts(const struct iree_dump *dump, iree_row_fn *fn, void *arg);
/* of IDB0 dumps */
void iree_rows_functions(const struct iree_dump *dump, iree_row_fn *fn, void *arg);
void iree_rows_rings(const struct iree_dump *dump, iree_row_fn *fn, void *arg);
void iree_rows_sites(const struct iree_dump *dump, iree_row_fn *fn, void *arg);
void iree_rows_processors(const struct iree_dump *dump, iree_row_fn *fn, void *arg);
void iree_rows_strides(const struct iree_dump *dump, iree_row_fn *fn, void *arg);
void iree_rows_values(const struct iree_dump *dump, iree_row_fn *fn, void *arg);
/* of IRPF profiles */
void iree_rows_profiles(const struct iree_dump *dump, iree_row_fn *fn, void *arg);
void iree_rows_devices(const struct iree_dump *dump, iree_row_fn *fn, void *arg);
void iree_rows_operations(const struct iree_dump *dump, iree_row_fn *fn, void *arg);
void iree_rows_memory(const struct iree_dump *dump, iree_row_fn *fn, void *arg);
void iree_rows_memory_events(const struct iree_dump *dump, iree_row_fn *fn, void *arg);
void iree_rows_events(const struct iree_dump *dump, iree_row_fn *fn, void *arg);

#endif
