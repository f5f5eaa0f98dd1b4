/* dispatch_rows.c - the rows that a rank sends to the experts of each rank */
#include <math.h>
#include <string.h>

#include "sim/fused/moe/dispatch.h"

/* Returns the number of a pair's row in the output of a Setup: first the pairs of the
 * tokens, then the tokens of each shared expert. */
uint64_t dispatch_pair(const struct mc2_tiling *t, uint64_t token, uint64_t k)
{
    uint64_t count = (uint64_t)t->number[TOKENS_COUNT];
    uint64_t pairs = (uint64_t)t->number[TOKENS_K];

    return k < pairs ? token * pairs + k : count * k + token;
}

/* Returns true when a pair, or for k >= K the token, is sent. */
static bool is_sent(const struct mc2_tiling *t, uint64_t token, uint64_t k)
{
    const struct mc2_tensor *sent = &t->tensor[DISPATCH_SENT];

    if (!sent->dims)
        return tokens_is_active(t, DISPATCH_MASK, token, k);
    return ((const int32_t *)(uintptr_t)
                sent->address)[dispatch_pair(t, token, k) * DISPATCH_SENT_STEP] != 0;
}

/* Returns the first element of the row that a pair sends. */
static uint64_t row_at(const struct mc2_tiling *t, uint64_t token, uint64_t k)
{
    return t->number[DISPATCH_PITCH]
               ? dispatch_pair(t, token, k) * (uint64_t)t->number[DISPATCH_PITCH]
               : token * (uint64_t)t->number[TOKENS_WIDTH];
}

/* Writes a row as whole numbers. scale_row: of `scales`. Returns the factor that gives
 * the value back. */
static float
quantise_row(const struct mc2_tiling *t, uint64_t first, uint64_t scale_row, char *into)
{
    const struct mc2_tensor *x = &t->tensor[DISPATCH_X],
                            *scales = &t->tensor[DISPATCH_SCALES];
    uint64_t width = (uint64_t)t->number[TOKENS_WIDTH];
    float most = 0, factor;

    for (int pass = 0; pass < 2; pass++) {
        factor = most > 0 ? 127 / most : 1;
        for (uint64_t i = 0; i < width; i++) {
            float value = number_get(x->type, x->address, first + i);

            if (scales->dims)
                value *=
                    number_get(scales->type, scales->address, scale_row * width + i);
            if (pass == 0)
                most = fmaxf(most, fabsf(value));
            else
                ((int8_t *)into)[i] = (int8_t)rintf(value * factor);
        }
    }
    return 1 / factor;
}

uint64_t dispatch_row_bytes(const struct mc2_tiling *t)
{
    return number_bytes(t->tensor[DISPATCH_EXPAND_X].type,
                        (uint64_t)t->number[TOKENS_WIDTH]);
}

/* A sent row is numbered by its token and k. */
static uint64_t number_of(const struct mc2_tiling *t, uint64_t token, uint64_t k)
{
    return token * (uint64_t)(t->number[TOKENS_K] + t->number[TOKENS_SHARED]) + k;
}

/* Returns the row of `scales` for a pair. */
static uint64_t scale_row(const struct mc2_tiling *t, uint64_t token, uint64_t k)
{
    uint64_t count = (uint64_t)t->number[TOKENS_K];

    if (k >= count)
        return k - count;
    return (uint64_t)(t->number[TOKENS_SHARED] +
                      tokens_id(t, DISPATCH_IDS, token * count + k));
}

static const char *
send(struct token_flow *flow, uint64_t number, struct token_head *head)
{
    const struct mc2_tiling *t = flow->body.tiling;
    const struct mc2_tensor *weights = &t->tensor[DISPATCH_EXPERT_SCALES];
    const struct mc2_tensor *x = &t->tensor[DISPATCH_X];
    uint64_t count = (uint64_t)t->number[TOKENS_K];
    uint64_t all = count + (uint64_t)t->number[TOKENS_SHARED];
    uint64_t token = flow->rows[number] / all, k = flow->rows[number] % all;

    head->token = (int32_t)token;
    head->k = (int32_t)k;
    head->dynamic_scale = 1;
    if (weights->dims && k < count)
        head->expert_scale =
            number_get(weights->type, weights->address, token * count + k);
    if (t->number[DISPATCH_QUANT_MODE] == 0)
        return (const char *)(uintptr_t)x->address +
               number_bytes(x->type, row_at(t, token, k));
    head->dynamic_scale =
        quantise_row(t, row_at(t, token, k), scale_row(t, token, k), flow->scratch);
    return flow->scratch;
}

static uint64_t
add_expert(struct token_flow *flow, int64_t expert, uint32_t *count, uint64_t at)
{
    const struct mc2_tiling *t = flow->body.tiling;
    uint64_t k = (uint64_t)t->number[TOKENS_K];

    for (uint64_t pair = 0; pair < (uint64_t)t->number[TOKENS_COUNT] * k; pair++) {
        if (tokens_id(t, DISPATCH_IDS, pair) != expert ||
            !is_sent(t, pair / k, pair % k))
            continue;
        flow->rows[at++] = number_of(t, pair / k, pair % k);
        ++*count;
    }
    return at;
}

static uint64_t
add_shared(struct token_flow *flow, uint32_t rank, uint32_t *count, uint64_t at)
{
    const struct mc2_tiling *t = flow->body.tiling;
    uint64_t copies =
        (uint64_t)(t->number[TOKENS_SHARED_RANKS] / t->number[TOKENS_SHARED]);
    uint64_t k = (uint64_t)t->number[TOKENS_K] + rank / copies;

    for (uint64_t token = 0; token < (uint64_t)t->number[TOKENS_COUNT]; token++) {
        if (!tokens_go_to_shared(t, (uint32_t)t->number[TOKENS_RANK], rank) ||
            !is_sent(t, token, k))
            continue;
        flow->rows[at++] = number_of(t, token, k);
        ++*count;
    }
    return at;
}

const struct token_flow_way dispatch_way = {send, dispatch_count, dispatch_place};

void dispatch_open(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;
    struct token_flow *flow =
        token_flow_open(body, &dispatch_way, dispatch_row_bytes(t));
    uint32_t shared = (uint32_t)t->number[TOKENS_SHARED_RANKS], *counts = flow->counts;
    uint64_t at = 0;

    for (uint32_t rank = 0; rank < body->context->ranks; rank++) {
        uint32_t e = tokens_experts_of(t, rank);

        for (uint32_t j = 0; j < e; j++, counts++)
            at = rank < shared
                     ? add_shared(flow, rank, counts, at)
                     : add_expert(flow, (int64_t)(rank - shared) * e + j, counts, at);
        flow->first[rank + 1] = at;
    }
}
