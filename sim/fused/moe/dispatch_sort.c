/* dispatch_sort.c - sorts the received rows by experts and counts them */
#include "sim/fused/moe/dispatch.h"

static void put_int(const struct mc2_tensor *tensor, uint64_t at, int64_t value)
{
    if (tensor->type == ACL_INT64)
        ((int64_t *)(uintptr_t)tensor->address)[at] = value;
    else
        ((int32_t *)(uintptr_t)tensor->address)[at] = (int32_t)value;
}

/* Rows lie by expert, then by the rank that sent them. next: the place of the next row
 * of an expert from a rank. */
void dispatch_count(struct token_flow *flow)
{
    const struct mc2_tiling *t = flow->body.tiling;
    uint32_t ranks = (uint32_t)t->number[TOKENS_RANKS];
    uint32_t e = tokens_experts_of(t, (uint32_t)t->number[TOKENS_RANK]);
    uint64_t at = 0;

    for (uint32_t j = 0; j < e; j++)
        for (uint32_t rank = 0; rank < ranks; rank++) {
            flow->next[(size_t)rank * e + j] = at;
            at += flow->received[(size_t)rank * e + j];
        }
}

/* Returns the place of the next row from a rank, whose rows come expert by expert. */
static uint64_t next_place(struct token_flow *flow, uint32_t rank)
{
    const struct mc2_tiling *t = flow->body.tiling;
    uint32_t ranks = (uint32_t)t->number[TOKENS_RANKS];
    uint32_t e = tokens_experts_of(t, (uint32_t)t->number[TOKENS_RANK]);

    for (uint32_t j = 0; j < e; j++) {
        uint64_t *next = &flow->next[(size_t)rank * e + j], end = 0;

        for (uint32_t before = 0; before <= j; before++)
            for (uint32_t from = 0; from < (before < j ? ranks : rank + 1); from++)
                end += flow->received[(size_t)from * e + before];
        if (*next < end)
            return (*next)++;
    }
    return UINT64_MAX;
}

char *
dispatch_place(struct token_flow *flow, uint32_t rank, const struct token_head *head)
{
    const struct mc2_tiling *t = flow->body.tiling;
    const struct mc2_tensor *tensor = t->tensor;
    uint64_t at = next_place(flow, rank);

    if (at >= tensor[DISPATCH_EXPAND_X].dim[0])
        return NULL;
    if (t->number[DISPATCH_QUANT_MODE])
        number_put(ACL_FLOAT, tensor[DISPATCH_DYNAMIC_SCALES].address, at,
                   head->dynamic_scale);
    if (tensor[DISPATCH_EXPERT_SCALES].dims && tensor[DISPATCH_EXPAND_SCALES].address)
        number_put(ACL_FLOAT, tensor[DISPATCH_EXPAND_SCALES].address, at,
                   head->expert_scale);
    if (!t->number[TOKENS_IS_INDEXED] && tensor[DISPATCH_ASSIST].dims) {
        put_int(&tensor[DISPATCH_ASSIST], 3 * at, rank);
        put_int(&tensor[DISPATCH_ASSIST], 3 * at + 1, head->token);
        put_int(&tensor[DISPATCH_ASSIST], 3 * at + 2, head->k);
    }
    return (char *)(uintptr_t)tensor[DISPATCH_EXPAND_X].address + at * flow->row_bytes;
}

/* Writes the running sums of rows, and the indexes of the pairs. */
static void write_counts(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;
    const struct token_flow *flow = token_flow_of(body);
    uint32_t ranks = body->context->ranks;
    uint32_t e = tokens_experts_of(t, body->context->rank);
    uint64_t limit = t->tensor[DISPATCH_EXPAND_X].dim[0], at = 0;

    for (uint32_t j = 0; j < e; j++) {
        uint64_t first = at;

        for (uint32_t source = 0; source < ranks; source++) {
            at += flow->received[(size_t)source * e + j];
            at = at < limit ? at : limit;
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
    .before = dispatch_open,
    .parts = token_flow_parts,
    .stream = token_flow_stream,
    .after = write_counts,
    .cost = cost,
};
