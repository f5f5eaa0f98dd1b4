/* combine_rows.c - the rows that the experts of a rank return */
#include <math.h>
#include <string.h>

#include "sim/fused/moe/combine.h"

/* The number of a sent row: row x TABLE + its place among the running sums. */
#define TABLE (1u << 20)

uint64_t combine_row_bytes(const struct mc2_tiling *t)
{
    uint64_t scales = (combine_width(t) + COMBINE_NEIGHBOURS - 1) / COMBINE_NEIGHBOURS;

    return t->number[COMBINE_IS_CODED]
               ? combine_width(t) +
                     number_bytes(t->tensor[COMBINE_EXPAND_X].type, scales)
               : number_bytes(t->tensor[COMBINE_EXPAND_X].type, combine_width(t));
}

/* Writes a row as whole numbers, and behind it the scales of its neighbours. */
static void
encode(const struct mc2_tensor *x, uint64_t first, uint64_t width, char *into)
{
    for (uint64_t i = 0; i < width; i += COMBINE_NEIGHBOURS) {
        uint64_t end = i + COMBINE_NEIGHBOURS < width ? i + COMBINE_NEIGHBOURS : width;
        float most = 0, scale;

        for (uint64_t k = i; k < end; k++)
            most = fmaxf(most, fabsf(number_get(x->type, x->address, first + k)));
        scale = number_round(x->type, most / 127);
        number_put(x->type, (uintptr_t)into + width, i / COMBINE_NEIGHBOURS, scale);
        for (uint64_t k = i; k < end; k++) {
            float value = number_get(x->type, x->address, first + k);

            number_put(ACL_INT8, (uintptr_t)into, k, scale > 0 ? value / scale : 0);
        }
    }
}

static const char *
send(struct token_flow *flow, uint64_t number, struct token_head *head)
{
    const struct mc2_tiling *t = flow->body.tiling;
    const struct mc2_tensor *x = &t->tensor[COMBINE_EXPAND_X];
    uint32_t ranks = (uint32_t)t->number[TOKENS_RANKS];
    uint64_t row = flow->rows[number] / TABLE, block = flow->rows[number] % TABLE;

    if (t->number[TOKENS_IS_INDEXED]) {
        const struct mc2_tensor *sums = &t->tensor[COMBINE_SEND_COUNTS];
        uint32_t own = (uint32_t)t->number[TOKENS_RANK];
        uint32_t shared = (uint32_t)t->number[TOKENS_SHARED_RANKS];
        uint32_t first = own < shared ? 0 : (own - shared) * tokens_experts_of(t, own);

        head->token = (int32_t)(first + block / ranks);
        head->k = (int32_t)row - (block ? combine_int(sums, block - 1) : 0);
    } else {
        head->token = combine_int(&t->tensor[COMBINE_ASSIST], 3 * row + 1);
        head->k = combine_int(&t->tensor[COMBINE_ASSIST], 3 * row + 2);
    }
    if (!t->number[COMBINE_IS_CODED])
        return (const char *)(uintptr_t)x->address + row * flow->row_bytes;
    encode(x, row * combine_width(t), combine_width(t), flow->scratch);
    return flow->scratch;
}

/* Adds the rows of this rank's experts that came from one rank. */
static uint64_t add_rows(struct token_flow *flow, uint32_t to, uint64_t at)
{
    const struct mc2_tiling *t = flow->body.tiling;
    uint64_t limit = t->tensor[COMBINE_EXPAND_X].dim[0];
    uint64_t ranks = (uint64_t)t->number[TOKENS_RANKS];

    for (uint32_t j = 0; j < tokens_experts_of(t, (uint32_t)t->number[TOKENS_RANK]);
         j++) {
        uint64_t block = j * ranks + to;
        int32_t from =
            block ? combine_int(&t->tensor[COMBINE_SEND_COUNTS], block - 1) : 0;
        int32_t end = combine_int(&t->tensor[COMBINE_SEND_COUNTS], block);

        for (int32_t row = from < 0 ? 0 : from;
             row < end && (uint64_t)row < limit && at < limit; row++)
            flow->rows[at++] = (uint64_t)row * TABLE + block;
    }
    return at;
}

static const struct token_flow_way way = {send, NULL, combine_place};

void combine_open(const struct body *body)
{
    struct token_flow *flow =
        token_flow_open(body, &way, combine_row_bytes(body->tiling));

    struct combine_returned returned = combine_returned(body);

    memset(returned.is_there, 0, returned.count);
    for (uint32_t rank = 0; rank < body->context->ranks; rank++)
        flow->first[rank + 1] = add_rows(flow, rank, flow->first[rank]);
}
