/* dispatch_sort.c - sorts the received rows by experts and counts them */
#include <string.h>

#include "sim/fused/moe/dispatch.h"

static void put_int(const struct mc2_tensor *tensor, uint64_t at, int64_t value)
{
    if (tensor->type == ACL_INT64)
        ((int64_t *)(uintptr_t)tensor->address)[at] = value;
    else
        ((int32_t *)(uintptr_t)tensor->address)[at] = (int32_t)value;
}

static void
unpack_row(const struct mc2_tiling *t, uint32_t source, const char *entry, uint64_t at)
{
    const struct tokens_row *row = (const struct tokens_row *)(const void *)entry;
    const struct mc2_tensor *tensor = t->tensor;
    uint64_t bytes = dispatch_row_bytes(t);

    memcpy((char *)(uintptr_t)tensor[DISPATCH_EXPAND_X].address + at * bytes,
           entry + sizeof(*row), bytes);
    if (t->number[DISPATCH_QUANT_MODE])
        number_put(ACL_FLOAT, tensor[DISPATCH_DYNAMIC_SCALES].address, at,
                   row->dynamic_scale);
    if (tensor[DISPATCH_EXPERT_SCALES].dims && tensor[DISPATCH_EXPAND_SCALES].address)
        number_put(ACL_FLOAT, tensor[DISPATCH_EXPAND_SCALES].address, at,
                   row->expert_scale);
    if (!t->number[TOKENS_IS_INDEXED] && tensor[DISPATCH_ASSIST].dims) {
        put_int(&tensor[DISPATCH_ASSIST], 3 * at, source);
        put_int(&tensor[DISPATCH_ASSIST], 3 * at + 1, row->token);
        put_int(&tensor[DISPATCH_ASSIST], 3 * at + 2, row->k);
    }
}

void dispatch_unpack(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;
    uint32_t own = body->context->rank, ranks = body->context->ranks;
    uint64_t at = 0, entry = tokens_entry(dispatch_row_bytes(t));
    const char *next[NPU_SIM_COMM_RANKS];

    for (uint32_t source = 0; source < ranks; source++)
        next[source] = tokens_received(body, source) + tokens_head(t, own);
    for (uint32_t j = 0; j < tokens_experts_of(t, own); j++) {
        uint64_t first = at;

        for (uint32_t source = 0; source < ranks; source++) {
            const uint32_t *counts =
                (const uint32_t *)(const void *)tokens_received(body, source);

            for (uint32_t i = 0;
                 i < counts[j] && at < t->tensor[DISPATCH_EXPAND_X].dim[0]; i++) {
                unpack_row(t, source, next[source], at++);
                next[source] += entry;
            }
            put_int(&t->tensor[DISPATCH_RECV_COUNTS], j * ranks + source, (int64_t)at);
        }
        put_int(&t->tensor[DISPATCH_TOKEN_NUMS], j,
                (int64_t)(t->number[DISPATCH_COUNTS_ARE_SINGLE] ? at - first : at));
    }
    for (uint64_t pair = 0;
         t->number[TOKENS_IS_INDEXED] &&
         pair < (uint64_t)(t->number[TOKENS_COUNT] * t->number[TOKENS_K]);
         pair++)
        put_int(&t->tensor[DISPATCH_ASSIST], pair,
                (int64_t)tokens_index(t, DISPATCH_IDS, DISPATCH_MASK, pair));
}

static void cost(const struct body *body, struct npu_sim_block_cost *out)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t rows = (uint64_t)(t->number[TOKENS_COUNT] *
                               (t->number[TOKENS_K] + t->number[TOKENS_SHARED]));

    body_vector_cost(body, t->tensor[DISPATCH_X].address, rows * dispatch_row_bytes(t),
                     rows * dispatch_row_bytes(t), out);
}

const struct fused_steps dispatch_steps = {
    .before = dispatch_pack,
    .parts = tokens_parts,
    .is_packed = true,
    .after = dispatch_unpack,
    .cost = cost,
};
