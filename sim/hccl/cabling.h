/* cabling.h - a connection to each rank of other hosts: the higher rank calls */
#ifndef SIM_HCCL_CABLING_H
#define SIM_HCCL_CABLING_H

#include <hccl/hccl_types.h>
#include <stdint.h>

#include "sim/hccl/desk.h"
#include "sim/hccl/roster.h"

/* All ranks do it at the same time, with the same name. fds: of each rank, -1 for those
 * of the own host. */
HcclResult cabling_lay(int *fds,
                       const char *name,
                       const struct roster *roster,
                       uint32_t rank,
                       struct desk *desk,
                       uint64_t deadline_ms);

#endif
