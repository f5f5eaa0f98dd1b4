#include "sim/nn/kernels/turns.h"

#include "sim/nn/kernels/area.h"
#include "sim/nn/kernels/product.h"

bool turns_computes(const struct mc2_tiling *tiling)
{
    return tiling->mode == MC2_ALL || tiling->mode == MC2_CUBE_ONLY;
}

bool turns_use_server(const struct mc2_tiling *tiling)
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

/* Returns true for the last block. Without a server the blocks do not wait for each
 * other. */
static bool is_last_block(const struct turns *turns)
{
    return turns_use_server(turns->tiling)
               ? area_is_last_block(turns->context, turns->blocks)
               : turns->block + 1 == turns->blocks;
}

bool turns_produce(const struct turns *turns, const struct mc2_message *message)
{
    bool uses_server = turns_use_server(turns->tiling);

    if (uses_server && turns->block == 0)
        area_prepare(turns->context, message);
    for (uint32_t turn = 0; turn < turns->tiling->turns; turn++) {
        compute(turns, turn);
        if (uses_server && area_is_last_share(turns->context, turn, turns->blocks))
            area_commit(turns->context, turn);
    }
    if (!is_last_block(turns)) {
        if (uses_server)
            area_add_wait_stamps();
        return false;
    }
    for (uint32_t turn = 0; uses_server && turn < turns->tiling->turns; turn++)
        if (!area_wait(turns->context, turn))
            return false;
    return true;
}

bool turns_consume(const struct turns *turns, const struct mc2_message *message)
{
    bool uses_server = turns_use_server(turns->tiling);

    if (uses_server && turns->block == 0) {
        area_prepare(turns->context, message);
        for (uint32_t turn = 0; turn < turns->tiling->turns; turn++)
            area_commit(turns->context, turn);
    }
    for (uint32_t turn = 0; turn < turns->tiling->turns; turn++) {
        if (uses_server && !area_wait(turns->context, turn))
            return false;
        compute(turns, turn);
    }
    return is_last_block(turns);
}

void turns_end(const struct turns *turns)
{
    if (turns_use_server(turns->tiling))
        area_finalize(turns->context);
}
