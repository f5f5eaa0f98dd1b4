/* night_findings.h - points of a night that later nights need
 *
 * The store keeps them, so that a new level or a quarantine can follow from several
 * nights. Each list has each point once, by its key. */
#ifndef LIB_GATE_NIGHT_FINDINGS_H
#define LIB_GATE_NIGHT_FINDINGS_H

#include "lib/gate/gate.h"

enum { NIGHT_FINDINGS_MOST = 500 }; /* points of a list; the others are left out */

struct point_list {
    const char **points; /* "*": a job without a sweep has one point */
    size_t count;
};

struct night_findings {
    struct point_list improved;
    struct point_list not_reproduced; /* fresh runs did not show their suspects */
    struct point_list noisy; /* most cells differ between nights by more than margin */
};

/* The texts belong to the gate. */
void night_findings_init(struct night_findings *findings, const struct gate *gate);
void night_findings_clear(struct night_findings *findings);

#endif
