/* rank_table.h - reads the JSON file with host and card of each rank
 *
 * Supported: versions 1.0 and 1.2 (servers with their devices), 2.0 (a list of ranks
 * with their levels), and the older form without a version (groups of instances, ranks
 * in order). Card numbers in it are physical.
 *
 * The address of a rank is its server's host_ip, or the server_id when that is an
 * address, or its device_ip; in 2.0 the address of its highest level. The port is
 * host_port or device_port, else the base port plus the card. Only a table of several
 * hosts needs addresses. */
#ifndef SIM_HCCL_RANKS_RANK_TABLE_H
#define SIM_HCCL_RANKS_RANK_TABLE_H

#include <hccl/hccl_types.h>
#include <stdint.h>

#include "sim/hccl/ranks/roster.h"

/* Reads the file. Returns HCCL_E_AGAIN while its status is "initializing". *hash
 * differs for different contents. The token of the roster is not set. */
HcclResult rank_table_read(struct roster *roster,
                           uint64_t *hash,
                           struct token *token,
                           const char *path,
                           uint16_t base_port);
HcclResult
rank_table_parse(struct roster *roster, const char *text, uint16_t base_port);

#endif
