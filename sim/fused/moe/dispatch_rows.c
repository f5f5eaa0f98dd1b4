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

/* Writes a row as the receiver gets it. scale_row: of `scales`. Returns the factor that
 * gives the value back. */
static float
store_row(const struct mc2_tiling *t, uint64_t first, uint64_t scale_row, char *into)
{
    const struct mc2_tensor *x = &t->tensor[DISPATCH_X],
                            *scales = &t->tensor[DISPATCH_SCALES];
    uint64_t width = (uint64_t)t->number[TOKENS_WIDTH];
    float most = 0, factor;

    if (t->number[DISPATCH_QUANT_MODE] == 0) {
        memcpy(into, (const char *)(uintptr_t)x->address + number_bytes(x->type, first),
               number_bytes(x->type, width));
        return 1;
    }
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

static char *add_row(const struct mc2_tiling *t,
                     uint64_t token,
                     uint64_t k,
                     uint64_t scale_row,
                     char *at)
{
    const struct mc2_tensor *weights = &t->tensor[DISPATCH_EXPERT_SCALES];
    struct tokens_row *row = (struct tokens_row *)(void *)at;
    uint64_t count = (uint64_t)t->number[TOKENS_K];

    row->token = (int32_t)token;
    row->k = (int32_t)k;
    row->expert_scale =
        weights->dims && k < count
            ? number_get(weights->type, weights->address, token * count + k)
            : 0;
    row->dynamic_scale =
        store_row(t, row_at(t, token, k), scale_row, at + sizeof(*row));
    return at + tokens_entry(dispatch_row_bytes(t));
}

static char *
pack_expert(const struct mc2_tiling *t, int64_t expert, uint32_t *count, char *at)
{
    uint64_t k = (uint64_t)t->number[TOKENS_K];

    for (uint64_t pair = 0; pair < (uint64_t)t->number[TOKENS_COUNT] * k; pair++) {
        if (tokens_id(t, DISPATCH_IDS, pair) != expert ||
            !is_sent(t, pair / k, pair % k))
            continue;
        at = add_row(t, pair / k, pair % k,
                     (uint64_t)(t->number[TOKENS_SHARED] + expert), at);
        ++*count;
    }
    return at;
}

static char *
pack_shared(const struct mc2_tiling *t, uint32_t rank, uint32_t *count, char *at)
{
    uint64_t copies =
        (uint64_t)(t->number[TOKENS_SHARED_RANKS] / t->number[TOKENS_SHARED]);
    uint64_t k = (uint64_t)t->number[TOKENS_K];

    for (uint64_t token = 0; token < (uint64_t)t->number[TOKENS_COUNT]; token++) {
        if (!tokens_go_to_shared(t, (uint32_t)t->number[TOKENS_RANK], rank) ||
            !is_sent(t, token, k + rank / copies))
            continue;
        at = add_row(t, token, k + rank / copies, rank / copies, at);
        ++*count;
    }
    return at;
}

void dispatch_pack(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;
    uint32_t ranks = body->context->ranks;
    uint32_t shared = (uint32_t)t->number[TOKENS_SHARED_RANKS];
    struct tokens_message *messages = tokens_messages(body);
    char *at = (char *)(messages + ranks);

    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint32_t e = tokens_experts_of(t, rank), *counts = (uint32_t *)(void *)at;
        char *row = at + tokens_head(t, rank);

        memset(at, 0, tokens_head(t, rank));
        for (uint32_t j = 0; j < e; j++)
            row = rank < shared ? pack_shared(t, rank, &counts[j], row)
                                : pack_expert(t, (int64_t)(rank - shared) * e + j,
                                              &counts[j], row);
        messages[rank] = (struct tokens_message){(uintptr_t)at, (uint64_t)(row - at)};
        at = row;
    }
}
