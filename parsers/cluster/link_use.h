/* link_use.h - how much of the standard bandwidth of its chip a rank uses
 *
 * The rule for each collective of a rank: of the transports that took most of its time,
 * one below 80 % of the standard bandwidth carries too many small packages or, when
 * most packages are large, has a problem of its link or its configuration. */
#ifndef PARSERS_CLUSTER_LINK_USE_H
#define PARSERS_CLUSTER_LINK_USE_H

#include <stddef.h>

#include "parsers/framework/comm_ops.h"

/* The collectives of a rank by one transport, with at least 1 MB each. */
struct link_use {
    size_t ops;
    size_t small_packages, slow_links; /* collectives below 80 %, by cause */
    double low_size_mb, low_time_ms;   /* of these collectives */
};

/* Returns the bandwidth of a transport in GB/s; 0 when none is known for the chip. */
double link_use_standard(const char *chip, enum comm_transport transport);
void link_use_count(struct link_use use[COMM_TRANSPORT_COUNT],
                    const struct comm_ops *ops,
                    const char *chip);

#endif
