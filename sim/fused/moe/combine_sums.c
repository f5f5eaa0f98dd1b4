/* combine_sums.c - adds the returned rows of each token */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/fused/moe/combine.h"

enum { RETURNED_AT = TOKEN_FLOW_OWN }; /* index of workspace_at */

static uint64_t rows_per_token(const struct mc2_tiling *t)
{
    return (uint64_t)(t->number[TOKENS_K] + t->number[TOKENS_SHARED]);
}

void combine_check_returned(struct check *check)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t rows = (uint64_t)t->number[TOKENS_COUNT] * rows_per_token(t);

    t->workspace_at[RETURNED_AT] =
        check_workspace(check, rows * (combine_row_bytes(t) + sizeof(uint8_t)));
}

struct combine_returned combine_returned(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;
    struct combine_returned returned = {
        .rows = (char *)(uintptr_t)(body->workspace + t->workspace_at[RETURNED_AT]),
        .per_token = rows_per_token(t),
    };

    returned.count = (uint64_t)t->number[TOKENS_COUNT] * returned.per_token;
    returned.is_there =
        (uint8_t *)returned.rows + returned.count * combine_row_bytes(t);
    return returned;
}

/* Adds a returned row; `row` has room for its elements. */
static void add_row(const struct mc2_tiling *t,
                    const char *bytes,
                    float factor,
                    float *row,
                    float *sums)
{
    uint64_t width = combine_width(t);
    int32_t type = t->tensor[COMBINE_EXPAND_X].type;

    numbers_get(t->number[COMBINE_IS_CODED] ? ACL_INT8 : type, (uintptr_t)bytes, 0, 1,
                width, row);
    for (uint64_t i = 0; t->number[COMBINE_IS_CODED] && i < width; i++)
        row[i] *= number_get(type, (uintptr_t)bytes + width, i / COMBINE_NEIGHBOURS);
    for (uint64_t i = 0; i < width; i++)
        sums[i] += factor * row[i];
}

static uint64_t find_pair(const struct mc2_tiling *t, int32_t expert, int32_t index)
{
    uint64_t k = (uint64_t)t->number[TOKENS_K];
    uint64_t pairs = (uint64_t)t->number[TOKENS_COUNT] * k;

    for (uint64_t pair = 0; pair < pairs; pair++)
        if (tokens_id(t, COMBINE_IDS, pair) == expert &&
            combine_int(&t->tensor[COMBINE_ASSIST], pair) == index &&
            tokens_is_active(t, COMBINE_MASK, pair / k, pair % k))
            return pair;
    return UINT64_MAX;
}

char *
combine_place(struct token_flow *flow, uint32_t rank, const struct token_head *head)
{
    const struct mc2_tiling *t = flow->body.tiling;
    struct combine_returned returned = combine_returned(&flow->body);
    uint64_t k = (uint64_t)t->number[TOKENS_K];
    uint64_t token = (uint64_t)head->token, place = (uint64_t)head->k, at;

    (void)rank;
    if (t->number[TOKENS_IS_INDEXED]) {
        uint64_t pair = find_pair(t, head->token, head->k);

        token = pair / k;
        place = pair % k;
    }
    if (token >= (uint64_t)t->number[TOKENS_COUNT] || place >= returned.per_token)
        return NULL;
    at = token * returned.per_token + place;
    returned.is_there[at] = 1;
    return returned.rows + at * flow->row_bytes;
}

static float weight_at(const struct mc2_tiling *t, uint64_t pair)
{
    const struct mc2_tensor *weights = &t->tensor[COMBINE_EXPERT_SCALES];

    return weights->address ? number_get(weights->type, weights->address, pair) : 1;
}

static void add(float *sums, float factor, const float *row, uint64_t width)
{
    for (uint64_t i = 0; i < width; i++)
        sums[i] += factor * row[i];
}

static void add_token(const struct mc2_tensor *x,
                      uint64_t token,
                      float factor,
                      uint64_t width,
                      float *row,
                      float *sums)
{
    numbers_get(x->type, x->address, token * width, 1, width, row);
    add(sums, factor, row, width);
}

/* row: room for the elements of a row. */
static void sum_token(const struct mc2_tiling *t,
                      const struct combine_returned *returned,
                      uint64_t token,
                      float *row,
                      float *sums)
{
    uint64_t k = (uint64_t)t->number[TOKENS_K], width = combine_width(t);
    int64_t first_copy = t->number[TOKENS_EXPERTS] + t->number[COMBINE_ZERO_EXPERTS];

    memset(sums, 0, width * sizeof(*sums));
    for (uint64_t place = 0; place < returned->per_token; place++) {
        uint64_t at = token * returned->per_token + place;

        if (returned->is_there[at])
            add_row(t, returned->rows + at * combine_row_bytes(t),
                    place < k ? weight_at(t, token * k + place) : 1, row, sums);
    }
    if (t->tensor[COMBINE_SHARED_X].dims)
        add_token(&t->tensor[COMBINE_SHARED_X], token, 1, width, row, sums);
    for (uint64_t place = 0; t->number[COMBINE_COPY_EXPERTS] && place < k; place++) {
        int64_t expert = tokens_id(t, COMBINE_IDS, token * k + place);

        if (expert >= first_copy &&
            expert < first_copy + t->number[COMBINE_COPY_EXPERTS] &&
            tokens_is_active(t, COMBINE_MASK, token, place))
            add_token(&t->tensor[COMBINE_ORIGINAL_X], token,
                      weight_at(t, token * k + place), width, row, sums);
    }
}

static void add_and_norm(const struct mc2_tiling *t, uint64_t token, float *row)
{
    const struct mc2_tensor *residual = &t->tensor[COMBINE_RESIDUAL],
                            *gamma = &t->tensor[COMBINE_GAMMA];
    const struct mc2_tensor *y = &t->tensor[COMBINE_Y];
    uint64_t width = combine_width(t), first = token * width;
    float squares = 0, scale;

    for (uint64_t i = 0; i < width; i++) {
        row[i] += number_get(residual->type, residual->address, first + i);
        squares += row[i] * row[i];
    }
    scale = 1.0f / sqrtf(squares / (float)width + (float)t->epsilon);
    number_put(ACL_FLOAT, t->tensor[COMBINE_RSTD].address, token, scale);
    for (uint64_t i = 0; i < width; i++)
        number_put(y->type, y->address, first + i,
                   number_round(y->type, row[i] * scale) *
                       number_get(gamma->type, gamma->address, i));
}

/* Adds the rows of all tokens. */
static void sum_tokens(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *out = &t->tensor[COMBINE_OUT];
    uint64_t count = (uint64_t)t->number[TOKENS_COUNT], width = combine_width(t);
    const struct combine_returned returned = combine_returned(body);
    float *sums = malloc((2 * width + 1) * sizeof(*sums));

    for (uint64_t token = 0; sums && token < count; token++) {
        if (!tokens_is_active(t, COMBINE_MASK, token, (uint64_t)t->number[TOKENS_K]))
            continue;
        sum_token(t, &returned, token, sums + width, sums);
        if (t->tensor[COMBINE_Y].dims)
            add_and_norm(t, token, sums);
        numbers_put(out->type, out->address, token * width, width, sums);
    }
    free(sums);
}

static void cost(const struct body *body, struct npu_sim_block_cost *out)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t rows = (uint64_t)(t->number[TOKENS_COUNT] * t->number[TOKENS_K]);

    body_vector_cost(body, t->tensor[COMBINE_EXPAND_X].address,
                     2 * rows * combine_row_bytes(t), rows * combine_row_bytes(t), out);
}

const struct fused_steps combine_steps = {
    .before = combine_open,
    .parts = token_flow_parts,
    .stream = token_flow_stream,
    .after = sum_tokens,
    .cost = cost,
};
