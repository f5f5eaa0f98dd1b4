/* bandwidth_limits.h - highest measured bandwidth of one core, by chip and path */
#ifndef PARSERS_METRICS_BANDWIDTH_LIMITS_H
#define PARSERS_METRICS_BANDWIDTH_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

enum path {
    PATH_NONE,
    PATH_GM_TO_L1,
    PATH_L1_TO_GM,
    PATH_L0C_TO_L1,
    PATH_L0C_TO_GM,
    PATH_GM_TO_UB,
    PATH_UB_TO_GM,
    PATH_MTE_TO_L0A,
    PATH_MTE_TO_L0B,
    PATH_MTE2_WRITE,
    PATH_L0C_TO_UB, /* this and the next two: 950 only */
    PATH_L1_TO_UB,
    PATH_UB_TO_L1,
    PATH_END
};

/* Returns GiB/s by path, 0 for what was not measured. An HBM maker without a row gets
 * the default row of the chip. The vendor's tool (`as_vendor`) uses the row of the
 * 910B1 for unknown makers and unknown chips. */
const double *
bandwidth_limits_of_paths(const char *soc, uint32_t hbm_maker, bool as_vendor);

/* bandwidth of the whole card in TB/s: main memory and L2 cache */
struct memory_limits {
    double gm;
    double l2;
};
struct memory_limits
bandwidth_limits_of_memory(const char *soc, uint32_t hbm_maker, bool as_vendor);

#endif
