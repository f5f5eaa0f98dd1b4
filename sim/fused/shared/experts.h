/* experts.h - rows of several experts on several ranks, and a second product without
 * communication
 *
 * Counts have the index [rank x experts + expert]. A rank holds e experts. Rows are in
 * one of two orders: by rank and then by expert of it (as tokens are sent), or by own
 * expert and then by rank (as an expert computes). One turn moves the rows of expert j
 * of all ranks. */
#ifndef SIM_FUSED_SHARED_EXPERTS_H
#define SIM_FUSED_SHARED_EXPERTS_H

#include "sim/fused/shared/product_steps.h"

enum {
    EXPERTS_MM_X = FACTOR_OWN, /* the second product */
    EXPERTS_MM_WEIGHT,
    EXPERTS_MM_X_SCALE,
    EXPERTS_MM_WEIGHT_SCALE,
    EXPERTS_MM_Y,
    EXPERTS_OWN,
};

struct experts_call {
    struct factors factors; /* x1: rows, x2: (e, k, n) */
    const aclTensor *mm_x, *mm_weight, *mm_x_scale, *mm_weight_scale, *mm_y;
    const aclTensor *absent[3]; /* must be NULL */
    const char *group;
    int64_t ranks;
    const aclIntArray *sends, *receives;
    bool transposes_weight, transposes_mm;
    bool is_quantised;
};

uint32_t experts_of(const struct mc2_tiling *tiling, uint32_t ranks); /* of a rank */
/* Return the number of rows, and the rows before these, in the two orders. */
uint64_t experts_sent(const struct mc2_tiling *tiling,
                      uint32_t rank,
                      uint32_t expert,
                      uint32_t e);
uint64_t experts_received(const struct mc2_tiling *tiling,
                          uint32_t rank,
                          uint32_t expert,
                          uint32_t e);
uint64_t experts_before(const int32_t *counts,
                        uint32_t rank,
                        uint32_t expert,
                        uint32_t ranks,
                        uint32_t e,
                        bool by_rank);
const int32_t *experts_sends(const struct mc2_tiling *tiling);
const int32_t *experts_receives(const struct mc2_tiling *tiling);

/* Checks everything but the outputs. Sets m (rows sent), rows (rows received), n and k.
 */
void experts_check(struct check *check, const struct experts_call *call);
/* Checks the output of the second product, if there is one. */
void experts_check_end(struct check *check,
                       const struct experts_call *call,
                       int32_t type);

/* Multiplies rows `from` to before `to` by the weight of an expert, and stores them
 * from row `into` on. */
void experts_multiply(const struct body *body,
                      uint32_t expert,
                      uint64_t left,
                      uint64_t scales,
                      uint64_t from,
                      uint64_t to,
                      int32_t type,
                      uint64_t into);
/* Computes the second product, on the last block. */
void experts_second(const struct body *body);
void experts_cost(const struct body *body,
                  uint64_t rows,
                  struct npu_sim_block_cost *out);

#endif
