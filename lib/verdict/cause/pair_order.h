/* pair_order.h - the balanced order of alternating runs of two programs
 *
 * A fixed order would add the drift within a session to every pair. The order
 * AB BA BA AB, and BA AB AB BA in the next session, cancels drift that is linear. */
#ifndef LIB_VERDICT_CAUSE_PAIR_ORDER_H
#define LIB_VERDICT_CAUSE_PAIR_ORDER_H

#include <stdbool.h>
#include <stddef.h>

/* Returns how many of the pairs run in this session, numbered from 0; the first
 * sessions run one more when the pairs cannot be divided evenly. `sessions` must not be
 * 0. */
size_t pair_order_count(size_t pairs, size_t sessions, size_t session);

/* Returns true when A runs before B in this pair of this session, both from 0. */
bool pair_order_base_first(size_t session, size_t pair);

#endif
