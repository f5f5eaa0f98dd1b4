/* cube_pipes.h - bandwidth of MTE1 and MTE2 of a cube core while they are active
 *
 * The counters of A2 and A3 do not separate the bytes from GM and the bytes from L1;
 * the transfer records do. Both functions return VALUE_NONE without records. */
#ifndef PARSERS_METRICS_CUBE_PIPES_H
#define PARSERS_METRICS_CUBE_PIPES_H

#include "parsers/metrics/measure.h"

/* MTE1 moves data from L1 to L0A and L0B. */
struct value cube_pipes_mte1(const struct measure *measure, const struct pmu_row *row);
/* MTE2 moves data from GM to L1, L0A and L0B. */
struct value cube_pipes_mte2(const struct measure *measure, const struct pmu_row *row);

#endif
