#include "sim/nn/kernels/turns.h"

#include "sim/nn/kernels/product.h"
#include "sim/nn/kernels/talk.h"

bool turns_computes(const struct mc2_tiling *tiling)
{
    return tiling->mode == MC2_ALL || tiling->mode == MC2_CUBE_ONLY;
}

bool turns_talks(const struct mc2_tiling *tiling)
{
    return tiling->mode == MC2_ALL || tiling->mode == MC2_AICPU_ONLY;
}

uint64_t turns_rows(const struct turns *turns, uint32_t turn)
{
    uint64_t from = turn * turns->tiling->tile, left = turns->rows - from;

    return left < turns->tiling->tile ? left : turns->tiling->tile;
}

static void compute(const struct turns *turns, uint32_t turn)
{
    uint64_t first = turn * turns->tiling->tile, rows = turns_rows(turns, turn);

    if (turns->data)
        turns->compute(turns->data,
                       first + product_share(rows, turns->block, turns->blocks),
                       first + product_share(rows, turns->block + 1, turns->blocks));
}

/* The last one to leave; without a talk nobody waits for anybody. */
static bool leaves_last(const struct turns *turns)
{
    return turns_talks(turns->tiling) ? talk_leaves_last(turns->context, turns->blocks)
                                      : turns->block + 1 == turns->blocks;
}

bool turns_produce(const struct turns *turns, const struct mc2_message *message)
{
    bool talks = turns_talks(turns->tiling);

    if (talks && turns->block == 0)
        talk_prepare(turns->context, message);
    for (uint32_t turn = 0; turn < turns->tiling->turns; turn++) {
        compute(turns, turn);
        if (talks && talk_is_last(turns->context, turn, turns->blocks))
            talk_commit(turns->context, turn);
    }
    if (!leaves_last(turns)) {
        if (talks)
            talk_waits_too();
        return false;
    }
    for (uint32_t turn = 0; talks && turn < turns->tiling->turns; turn++)
        if (!talk_wait(turns->context, turn))
            return false;
    return true;
}

bool turns_consume(const struct turns *turns, const struct mc2_message *message)
{
    bool talks = turns_talks(turns->tiling);

    if (talks && turns->block == 0) {
        talk_prepare(turns->context, message);
        for (uint32_t turn = 0; turn < turns->tiling->turns; turn++)
            talk_commit(turns->context, turn);
    }
    for (uint32_t turn = 0; turn < turns->tiling->turns; turn++) {
        if (talks && !talk_wait(turns->context, turn))
            return false;
        compute(turns, turn);
    }
    return leaves_last(turns);
}

void turns_end(const struct turns *turns)
{
    if (turns_talks(turns->tiling))
        talk_finalize(turns->context);
}
