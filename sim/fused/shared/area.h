/* area.h - communication of the AI Core half with the server
 *
 * Blocks run in any order, sequentially or in parallel. The last block to finish its
 * share of a tile hands the tile over, and the last of all blocks waits for the end. */
#ifndef SIM_FUSED_SHARED_AREA_H
#define SIM_FUSED_SHARED_AREA_H

#include <stdbool.h>

#include "sim/nn/mc2.h"

/* Describes the transfer; only the first block has an effect. */
void area_prepare(const struct npu_sim_comm_context *context,
                  const struct mc2_message *message);
void area_commit(const struct npu_sim_comm_context *context, uint32_t turn);
/* Returns true for the last block to finish its share of the tile. */
bool area_is_last_share(const struct npu_sim_comm_context *context,
                        uint32_t turn,
                        uint32_t blocks);
/* Waits for the tile. Returns false after a failure; the kernel must then return. */
bool area_wait(const struct npu_sim_comm_context *context, uint32_t turn);
/* Writes the stamps of a wait for blocks that do not wait here, because the last one
 * does. On a card all blocks wait. */
void area_add_wait_stamps(void);
/* Returns true for the last of all blocks, which then may finalize. */
bool area_is_last_block(const struct npu_sim_comm_context *context, uint32_t blocks);
/* Flips this rank's flag in the windows of all ranks, and waits for the flags of all
 * ranks in its own window. The flags are in two banks that are used in turn, and the
 * value of a bank flips each time. No rank therefore writes a bank again before all
 * ranks have read it. A change of this memory on one rank alone, or an extra run on one
 * rank, breaks the hand-shake. Returns false after a failure. */
bool area_flip(const struct npu_sim_comm_context *context);
/* Returns when the server has cleared the area for the next operation. */
void area_finalize(const struct npu_sim_comm_context *context);

#endif
