/* combine_rows.c - the rows that the experts of a rank return */
#include <math.h>
#include <string.h>

#include "sim/fused/moe/combine.h"

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

struct packing {
    const struct mc2_tiling *tiling;
    uint32_t rank, ranks, experts, first_expert;
    char *at;
};

static void add_row(struct packing *packing, uint64_t row, int32_t token, int32_t k)
{
    const struct mc2_tiling *t = packing->tiling;
    const struct mc2_tensor *x = &t->tensor[COMBINE_EXPAND_X];
    struct tokens_row *head = (struct tokens_row *)(void *)packing->at;
    char *into = packing->at + sizeof(*head);

    *head = (struct tokens_row){.token = token, .k = k};
    if (t->number[COMBINE_IS_CODED])
        encode(x, row * combine_width(t), combine_width(t), into);
    else
        memcpy(into, (const char *)(uintptr_t)x->address + row * combine_row_bytes(t),
               combine_row_bytes(t));
    packing->at += tokens_entry(combine_row_bytes(t));
}

/* Adds the rows of this rank's experts that came from one rank. */
static void pack_rows(struct packing *packing, uint32_t to)
{
    const struct mc2_tiling *t = packing->tiling;
    uint64_t limit = t->tensor[COMBINE_EXPAND_X].dim[0];

    for (uint32_t j = 0; j < packing->experts; j++) {
        uint64_t block = (uint64_t)j * packing->ranks + to;
        int32_t from =
            block ? combine_int(&t->tensor[COMBINE_SEND_COUNTS], block - 1) : 0;
        int32_t end = combine_int(&t->tensor[COMBINE_SEND_COUNTS], block);

        for (int32_t row = from < 0 ? 0 : from; row < end && (uint64_t)row < limit;
             row++) {
            if (t->number[TOKENS_IS_INDEXED])
                add_row(packing, (uint64_t)row, (int32_t)(packing->first_expert + j),
                        row - from);
            else
                add_row(packing, (uint64_t)row,
                        combine_int(&t->tensor[COMBINE_ASSIST], 3 * (uint64_t)row + 1),
                        combine_int(&t->tensor[COMBINE_ASSIST], 3 * (uint64_t)row + 2));
        }
    }
}

void combine_pack(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;
    uint32_t own = body->context->rank, ranks = body->context->ranks;
    uint32_t shared = (uint32_t)t->number[TOKENS_SHARED_RANKS];
    uint32_t experts = tokens_experts_of(t, own);
    struct tokens_message *messages = tokens_messages(body);
    struct packing packing = {
        .tiling = t,
        .rank = own,
        .ranks = ranks,
        .experts = experts,
        .first_expert = own < shared ? 0 : (own - shared) * experts,
        .at = (char *)(messages + ranks),
    };

    for (uint32_t rank = 0; rank < ranks; rank++) {
        char *first = packing.at;

        pack_rows(&packing, rank);
        messages[rank] =
            (struct tokens_message){(uintptr_t)first, (uint64_t)(packing.at - first)};
    }
}
