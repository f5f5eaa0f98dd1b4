/* rank_table.h - JSON file with host, card and address of all ranks (RANK_TABLE_FILE)
 *
 * Format "1.0" of HcclCommInitClusterInfo(). The text contains the number of the
 * attempt. Operators compare the text, so one left from an earlier attempt cannot
 * connect to the ranks of this one. */
#ifndef WORKER_GANG_RANK_TABLE_H
#define WORKER_GANG_RANK_TABLE_H

#include "lib/base/err.h"
#include "lib/base/text.h"

struct msg_lease;

/* Appends the table to `out`. The lease must be that of a gang of processes. */
int rank_table_make(struct text *out, const struct msg_lease *lease, struct err *err);

#endif
