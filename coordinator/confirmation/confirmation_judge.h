/* confirmation_judge.h - the causes of the suspects of a confirmation that has ended */
#ifndef COORDINATOR_CONFIRMATION_CONFIRMATION_JUDGE_H
#define COORDINATOR_CONFIRMATION_CONFIRMATION_JUDGE_H

#include "lib/base/err.h"

struct store;
struct store_confirmation;
struct text;

/* Reads the figures of the confirmation and of its base, and stores the cause of each
 * suspect. Appends one line per suspect to `summary`. Returns -1 when the store failed.
 */
int confirmation_judge(struct store *store,
                       const struct store_confirmation *confirmation,
                       struct text *summary,
                       struct err *err);

#endif
