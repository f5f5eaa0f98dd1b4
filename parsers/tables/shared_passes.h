/* shared_passes.h - SharedPasses.csv: which columns were measured by another rank
 *
 * Ranks with equal work can share the passes of a replay. The file has one row for each
 * table and column that uses counters of another rank, with the numbers of these ranks.
 * Columns without a row were measured by the rank itself. */
#ifndef PARSERS_TABLES_SHARED_PASSES_H
#define PARSERS_TABLES_SHARED_PASSES_H

#include "lib/base/text.h"
#include "parsers/findings/findings.h"

void shared_passes_csv(const struct findings *findings, struct text *out);

#endif
