/* gate_findings.h - changes a baseline because of the findings of many nights
 *
 * A point that improved in two gated nights running begins a new level at the first of
 * them, so that a way back is seen. A point is put into quarantine when fresh runs did
 * not reproduce its suspects in 3 of the last 20 gated nights, or when its nights
 * differed by more than the tolerance in each of the last 10. The user of these changes
 * is "gate". */
#ifndef COORDINATOR_BASELINES_GATE_FINDINGS_H
#define COORDINATOR_BASELINES_GATE_FINDINGS_H

#include "lib/base/err.h"

struct ledger;
struct msg_gate_verdict;
struct store;

/* Stores the findings of a verdict, whose job is a night of its baseline, and changes
 * the baseline where they ask for it. A change that the baseline refuses is logged. */
int gate_findings_apply(struct ledger *ledger,
                        struct store *store,
                        const struct msg_gate_verdict *verdict,
                        struct err *err);

#endif
