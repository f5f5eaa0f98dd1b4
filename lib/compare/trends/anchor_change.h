/* anchor_change.h - how far the last nights of series are from their anchor
 *
 * The values of the last ANCHOR_NIGHTS nights are compared with the repeats of the
 * anchor by the rule for a cell. The noise of a night is that of the series. The series
 * of one metric are a family. */
#ifndef LIB_COMPARE_TRENDS_ANCHOR_CHANGE_H
#define LIB_COMPARE_TRENDS_ANCHOR_CHANGE_H

#include <stddef.h>

struct series;

enum { ANCHOR_NIGHTS = 5 };

/* Sets the rows' `anchor` of series of one metric. `jobs` is the number of jobs of the
 * anchor. Series without values in the anchor, or with fewer nights than ANCHOR_NIGHTS,
 * keep an anchor without a verdict. */
void anchor_change_judge(struct series *const *series,
                         size_t count,
                         size_t jobs,
                         double tolerance);

#endif
