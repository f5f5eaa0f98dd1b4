/* join.h - becoming a member: all ranks come together under one key
 *
 * Those of a host meet on it (meeting.h); then each is connected with the ranks of
 * other hosts (cabling.h). */
#ifndef SIM_HCCL_JOIN_H
#define SIM_HCCL_JOIN_H

#include <hccl/hccl_types.h>
#include <stdint.h>

#include "sim/hccl/comm.h"
#include "sim/hccl/roster.h"

struct joining {
    const char *key;  /* the same on all ranks */
    const char *name; /* of the communicator, unless the settings have one */
    const struct roster *roster;
    uint32_t rank;
    const struct place *place;
    const struct settings *settings;
    struct desk *desk; /* borrowed; NULL where all are on this host */
    uint64_t deadline_ms;
};

HcclResult join(const struct joining *joining, struct comm **comm);
/* All ranks on this host. */
void join_one_host(struct roster *roster, uint32_t ranks);
uint64_t join_deadline(const struct settings *settings);

#endif
