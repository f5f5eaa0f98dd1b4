/* verdict.h - the rule that turns a measured shift into one of four verdicts
 *
 * All shifts and margins are natural logarithms of ratios new/base, with the sign
 * turned where more is better: positive is always worse. `same` is proved: the whole
 * interval of the shift lies inside the margin. Lack of evidence is `inconclusive`. */
#ifndef LIB_VERDICT_VERDICT_H
#define LIB_VERDICT_VERDICT_H

#include <stdbool.h>

#include "lib/verdict/repeats_needed.h"

struct margin;
struct shift;

enum verdict_kind {
    VERDICT_INCONCLUSIVE,
    VERDICT_SAME,
    VERDICT_IMPROVED,
    VERDICT_REGRESSED,
};

/* Why a verdict is inconclusive; the first reason that fits. */
enum verdict_reason {
    REASON_NONE,               /* the verdict is not inconclusive */
    REASON_MEASURED_OTHERWISE, /* the two sides cannot be compared */
    REASON_NOT_MEASURED,       /* values are missing or not positive numbers */
    REASON_FEW,                /* too few repeats for any verdict */
    REASON_NIGHTS,             /* nights of the baseline differ by as much */
    REASON_FAMILY,             /* too many comparisons for this probability */
    REASON_SPREAD,             /* the repeats differ too much */
};

enum verdict_side {
    SIDE_NONE,
    SIDE_WORSE,
    SIDE_BETTER,
};

struct verdict_limits {
    double alpha;       /* highest probability of one comparison: 0.01 */
    double discoveries; /* highest adjusted probability in the family: 0.05 */
};

extern const struct verdict_limits verdict_limits_default;

struct verdict {
    enum verdict_kind kind;
    enum verdict_reason reason;
    /* Inconclusive, but the estimate lies on this side and beyond the margin. */
    enum verdict_side leaning;
    /* The sides differ (probability at most alpha), by whatever amount. */
    enum verdict_side differs;
    bool nights_unknown; /* the margin does not contain the noise between nights */
    struct repeats_needed more; /* set when more repeats can help */
};

/* Returns the verdict. `p_worse_adjusted` and `p_better_adjusted` are the probabilities
 * of the shift after the adjustment for its family; a family of one has the same. */
struct verdict verdict_judge(const struct shift *shift,
                             const struct margin *margin,
                             const struct verdict_limits *limits,
                             double p_worse_adjusted,
                             double p_better_adjusted);

const char *verdict_kind_name(enum verdict_kind kind);       /* "regressed" */
const char *verdict_reason_name(enum verdict_reason reason); /* "few"; "" for none */
const char *verdict_side_name(enum verdict_side side);       /* "worse"; "" for none */

#endif
