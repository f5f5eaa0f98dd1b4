/* rank_table.h - the JSON file that tells where each rank is
 *
 * Versions 1.0 and 1.2 (servers with their devices), 2.0 (a list of ranks with their
 * levels), and the older form without a version (groups of instances, ranks in their
 * order). The card's number in it is the physical one.
 *
 * Other hosts call a rank at its server's host_ip, or at the server_id where that is an
 * address, or at the device_ip; in 2.0 at the address of its highest level. The port is
 * the one given there (host_port, device_port), else the base port plus the card. Only
 * a table of several hosts needs addresses. */
#ifndef SIM_HCCL_RANK_TABLE_H
#define SIM_HCCL_RANK_TABLE_H

#include <hccl/hccl_types.h>
#include <stdint.h>

#include "sim/hccl/roster.h"

/* HCCL_E_AGAIN while the file says that it is still being written. *hash tells files
 * with other contents apart; the roster's token is not set. */
HcclResult rank_table_read(struct roster *roster,
                           uint64_t *hash,
                           struct token *token,
                           const char *path,
                           uint16_t base_port);
HcclResult
rank_table_parse(struct roster *roster, const char *text, uint16_t base_port);

#endif
