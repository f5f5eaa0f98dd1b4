/* bandwidth_limits.h - the best bandwidth that was ever measured of one core, by chip
 * and path */
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
    PATH_L0C_TO_UB, /* these three: of the 950 alone */
    PATH_L1_TO_UB,
    PATH_UB_TO_L1,
    PATH_END
};

/* GiB/s; 0 where nobody measured. A maker of memory who has no row of his own gets the
 * default one of the chip. The vendor's tool gives both such makers and such chips the
 * row of the 910B1. */
double bandwidth_limit_of_path(const char *soc,
                               uint32_t hbm_maker,
                               enum path path,
                               bool as_vendor);

/* Bandwidth of the whole card, TB/s: of the main memory and of the L2 cache. */
struct memory_limits {
    double gm;
    double l2;
};
struct memory_limits
bandwidth_limits_of_memory(const char *soc, uint32_t hbm_maker, bool as_vendor);

#endif
