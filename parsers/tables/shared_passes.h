/* shared_passes.h - which columns of a launch's tables a like rank has measured
 *
 * One row a table and column that is made of counters which another rank of the group
 * took, in the same replays; with the ranks that took them. What has no row is the
 * rank's own. */
#ifndef PARSERS_TABLES_SHARED_PASSES_H
#define PARSERS_TABLES_SHARED_PASSES_H

#include "lib/base/text.h"
#include "parsers/findings/findings.h"

void csv_shared_passes(const struct findings *findings, struct text *out);

#endif
