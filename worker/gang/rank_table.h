/* rank_table.h - the file that tells a rank's program where all ranks are
 *
 * In the form "1.0" that HcclCommInitClusterInfo() reads. One an attempt: its text has
 * the run's number in it, so that a program left over from an earlier attempt never
 * meets those of this one. */
#ifndef WORKER_GANG_RANK_TABLE_H
#define WORKER_GANG_RANK_TABLE_H

#include "lib/base/err.h"
#include "lib/base/text.h"

struct msg_lease;

/* Only for a lease of a gang of processes. */
int rank_table_make(struct text *out, const struct msg_lease *lease, struct err *err);

#endif
