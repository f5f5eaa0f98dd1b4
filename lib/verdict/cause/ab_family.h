/* ab_family.h - judges the alternating runs of all suspects of a confirmation
 *
 * A is the program of the baseline, B that of the night; both ran in pairs on up to
 * three cards. The suspects are one family: their probabilities are adjusted together.
 * ab_cause.h has the table that turns the answers into a cause. */
#ifndef LIB_VERDICT_CAUSE_AB_FAMILY_H
#define LIB_VERDICT_CAUSE_AB_FAMILY_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/verdict/cause/ab_cause.h"
#include "lib/verdict/night_noise.h"

struct verdict_limits;

enum ab_place { AB_SUSPECT, AB_NEIGHBOUR, AB_OTHER, AB_PLACES };

struct ab_answered {
    enum ab_answer answer;
    double shift; /* a natural logarithm, positive is worse; NaN: no value */
};

/* One card. The values are borrowed. */
struct ab_card {
    const double *base, *fresh; /* A and B of each pair; NaN: no value */
    size_t pairs;               /* 0: the fleet has no such card */
    const double *before;       /* A in the baseline */
    size_t before_count;
    struct ab_answered code;  /* result: B against A today */
    struct ab_answered drift; /* result: A today against A in the baseline */
};

struct ab_suspect {
    struct ab_card cards[AB_PLACES];
    bool more_is_better;
    double tolerance; /* share: 0.02 */
    double tick;      /* resolution of the metric, in its unit; 0: none */
    struct night_noise nights;
    /* The program of the baseline has been replaced, so that A is not what the baseline
     * ran; or it does not run any more. */
    bool base_is_gone;
    /* The ranks were rotated over their cards, because the fleet has no neighbour. The
     * neighbour's pairs are those of the rank on another of these cards. */
    bool rotated;
    enum cause rotated_code;  /* CAUSE_CARD: B is slower than A on one card only */
    enum cause rotated_drift; /* CAUSE_CARD or CAUSE_LINK: alone slower than before */
    struct causes causes;     /* result */
};

void ab_family_judge(struct ab_suspect *suspects,
                     size_t count,
                     const struct verdict_limits *limits);

#endif
