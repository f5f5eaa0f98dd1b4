/* table.h - all fused operators: operators.def as an array */
#ifndef SIM_FUSED_SHARED_TABLE_H
#define SIM_FUSED_SHARED_TABLE_H

#include "sim/nn/mc2.h"

/* Returns what moves the data of an operator on the current chip; MC2_NOWHERE when the
 * chip, or the table, does not have it. */
enum mc2_way table_way(const char *op);
/* Returns the second operator type on a 950, which has only that one, else the first.
 */
const char *table_type(const char *op, const char *on_950);

#endif
