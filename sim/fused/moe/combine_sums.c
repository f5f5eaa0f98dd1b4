/* combine_sums.c - adds the returned rows of each token */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/fused/moe/combine.h"

/* Reads a returned row. */
static void load_row(const struct mc2_tiling *t, const char *entry, float *out)
{
    uint64_t row = (uintptr_t)entry + sizeof(struct tokens_row),
             width = combine_width(t);
    int32_t type = t->tensor[COMBINE_EXPAND_X].type;

    numbers_get(t->number[COMBINE_IS_CODED] ? ACL_INT8 : type, row, 0, 1, width, out);
    for (uint64_t i = 0; t->number[COMBINE_IS_CODED] && i < width; i++)
        out[i] *= number_get(type, row + width, i / COMBINE_NEIGHBOURS);
}

/* The rows of this rank's tokens: entry [token x (K + S) + k], or NULL. */
struct returned {
    const char **rows;
    uint64_t per_token;
};

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

static void sort_rows(const struct body *body, struct returned *returned)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t entry = tokens_entry(combine_row_bytes(t)),
             k = (uint64_t)t->number[TOKENS_K];

    for (uint32_t rank = 0; rank < body->context->ranks; rank++) {
        const char *at = tokens_received(body, rank);
        const char *end = at + mc2_parts(body->context, 0)[rank].into_bytes;

        for (; at < end; at += entry) {
            const struct tokens_row *row = (const struct tokens_row *)(const void *)at;
            uint64_t token = (uint64_t)row->token, place = (uint64_t)row->k;

            if (t->number[TOKENS_IS_INDEXED]) {
                uint64_t pair = find_pair(t, row->token, row->k);

                token = pair / k;
                place = pair % k;
            }
            if (token < (uint64_t)t->number[TOKENS_COUNT] &&
                place < returned->per_token)
                returned->rows[token * returned->per_token + place] = at;
        }
    }
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
                      const struct returned *returned,
                      uint64_t token,
                      float *row,
                      float *sums)
{
    uint64_t k = (uint64_t)t->number[TOKENS_K], width = combine_width(t);
    int64_t first_copy = t->number[TOKENS_EXPERTS] + t->number[COMBINE_ZERO_EXPERTS];

    memset(sums, 0, width * sizeof(*sums));
    for (uint64_t place = 0; place < returned->per_token; place++) {
        const char *entry = returned->rows[token * returned->per_token + place];

        if (!entry)
            continue;
        load_row(t, entry, row);
        add(sums, place < k ? weight_at(t, token * k + place) : 1, row, width);
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

void combine_unpack(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *out = &t->tensor[COMBINE_OUT];
    uint64_t count = (uint64_t)t->number[TOKENS_COUNT], width = combine_width(t);
    struct returned returned = {
        .per_token = (uint64_t)(t->number[TOKENS_K] + t->number[TOKENS_SHARED])};
    float *sums = malloc((2 * width + 1) * sizeof(*sums));

    returned.rows = calloc(count * returned.per_token + 1, sizeof(*returned.rows));
    if (sums && returned.rows)
        sort_rows(body, &returned);
    for (uint64_t token = 0; sums && returned.rows && token < count; token++) {
        if (!tokens_is_active(t, COMBINE_MASK, token, (uint64_t)t->number[TOKENS_K]))
            continue;
        sum_token(t, &returned, token, sums + width, sums);
        if (t->tensor[COMBINE_Y].dims)
            add_and_norm(t, token, sums);
        for (uint64_t i = 0; i < width; i++)
            number_put(out->type, out->address, token * width + i, sums[i]);
    }
    free(returned.rows);
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
    .before = combine_pack,
    .parts = tokens_parts,
    .is_packed = true,
    .after = combine_unpack,
    .cost = cost,
};
