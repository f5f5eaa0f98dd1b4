/* rank_table.h - the JSON file that tells which card is which rank
 *
 * Version 1.0 with one server: there is nothing between hosts yet. */
#ifndef SIM_HCCL_RANK_TABLE_H
#define SIM_HCCL_RANK_TABLE_H

#include <hccl/hccl_types.h>
#include <stdint.h>

#include "sim/hccl/group.h"

struct rank_table {
    uint32_t ranks;
    uint32_t cards[GROUP_RANKS_MAX]; /* of each rank */
    uint64_t hash;                   /* of the file */
};

/* HCCL_E_AGAIN while the file says that it is still being written. */
HcclResult rank_table_read(struct rank_table *table, const char *path);
HcclResult rank_table_parse(struct rank_table *table, const char *text);

#endif
