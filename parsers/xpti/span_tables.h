/* span_tables.h - CSV tables of kernels, transfers and calls */
#ifndef PARSERS_XPTI_SPAN_TABLES_H
#define PARSERS_XPTI_SPAN_TABLES_H

#include "lib/base/text.h"
#include "parsers/xpti/span_sums.h"

void span_tables_kernels(const struct span_sums *kernels, struct text *out);
void span_tables_transfers(const struct span_sums *transfers, struct text *out);
void span_tables_calls(const struct span_sums *calls, struct text *out);

#endif
