/* group_summary.h - points, cards and hosts whose cells changed together, as lines */
#ifndef CLI_COMPARE_GROUP_SUMMARY_H
#define CLI_COMPARE_GROUP_SUMMARY_H

#include <stdbool.h>

#include "lib/compare/comparison.h"

struct group_summary {
    /* "by card: 1 regressed: SN0013 of host node-1 (+6.0 %)\n" for each level with a
     * group of several cells that regressed or improved; "": there is none */
    char *text;
    bool regressed; /* such a group regressed */
};

/* Reads a judged comparison. */
void group_summary_init(struct group_summary *summary,
                        const struct comparison *comparison);
void group_summary_clear(struct group_summary *summary);

#endif
