/* talk.h - the AI Core half's side of the talk with the server
 *
 * Blocks run in any order, one after the other or at once: the last one to have done
 * its share of a tile hands it over, and the last one of all waits for the end. */
#ifndef SIM_NN_KERNELS_TALK_H
#define SIM_NN_KERNELS_TALK_H

#include <stdbool.h>

#include "sim/nn/mc2.h"

/* The first block to come describes the transfer. */
void talk_prepare(const struct npu_sim_comm_context *context,
                  const struct mc2_message *message);
void talk_commit(const struct npu_sim_comm_context *context, uint32_t turn);
/* True for the one block that was the last to do its share of the tile. */
bool talk_is_last(const struct npu_sim_comm_context *context,
                  uint32_t turn,
                  uint32_t blocks);
/* False when it failed: the kernel returns then. */
bool talk_wait(const struct npu_sim_comm_context *context, uint32_t turn);
/* For the blocks that need not wait because the last one does: on a card all wait. */
void talk_waits_too(void);
/* True for the last block of all, which then may finalize. */
bool talk_leaves_last(const struct npu_sim_comm_context *context, uint32_t blocks);
/* Comes back when the area is clear for the next operation. */
void talk_finalize(const struct npu_sim_comm_context *context);

#endif
