#include "sim/instrument/transfer.h"

#include <npu_sim/recorder.h>
#include <stddef.h>
#include <string.h>

#include "sim/instrument/local_memory.h"

#define PLACES(name)                                                                   \
    offsetof(struct npu_sim_record_##name, core),                                      \
        offsetof(struct npu_sim_record_##name, dst_memory),                            \
        offsetof(struct npu_sim_record_##name, src_memory)
#define SIZE(name) sizeof(struct npu_sim_record_##name)

static const struct transfer_type types[] = {
    {NPU_SIM_RECORD_DMA_MOV, SIZE(dma_mov), PLACES(dma_mov), 0, 0, "DMA_MOV"},
    {NPU_SIM_RECORD_MOV_ALIGN, SIZE(mov_align), PLACES(mov_align), 0, 0, "MOV_ALIGN"},
    {NPU_SIM_RECORD_LOAD_2D, SIZE(load_2d), PLACES(load_2d), 0, 0, "LOAD_2D"},
    {NPU_SIM_RECORD_ND2NZ, SIZE(nd2nz), PLACES(nd2nz), 0, 0, "ND2NZ"},
    {NPU_SIM_RECORD_MOV_FP, SIZE(mov_fp), offsetof(struct npu_sim_record_mov_fp, core),
     0, 0, NPU_SIM_GM, NPU_SIM_L0C, "FIX_L0C_TO_OUT"},
};

const struct transfer_type *transfer_type_of(uint32_t type)
{
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (types[i].type == type)
            return &types[i];
    return NULL;
}

static uint8_t memory_of(const uint8_t *record, uint32_t at, uint8_t fixed)
{
    return at ? record[at] : fixed;
}

void transfer_complete(const struct transfer_type *type,
                       void *record,
                       uint64_t pc,
                       uint64_t number,
                       uint32_t core)
{
    struct npu_sim_record_base base;
    uint8_t *bytes = record;
    uint16_t id = (uint16_t)core;

    memcpy(&base, bytes, sizeof(base));
    base.dst = local_memory_offset(
        memory_of(bytes, type->dst_memory_at, type->dst_memory), base.dst);
    base.src = local_memory_offset(
        memory_of(bytes, type->src_memory_at, type->src_memory), base.src);
    base.pc = pc;
    base.id = number;
    memcpy(bytes, &base, sizeof(base));
    memcpy(bytes + type->core_at, &id, sizeof(id));
}

static enum npu_sim_pipe pipe_of(enum npu_sim_memory from, enum npu_sim_memory to)
{
    if (from == NPU_SIM_L0C)
        return NPU_SIM_PIPE_FIXP;
    if (from == NPU_SIM_GM)
        return NPU_SIM_PIPE_MTE2;
    if (from == NPU_SIM_L1 && to != NPU_SIM_GM)
        return NPU_SIM_PIPE_MTE1;
    return NPU_SIM_PIPE_MTE3;
}

/* Reads the counts at the bit positions of the card's instructions, listed at each
 * type. */
static void look_at_shape(uint32_t type, const void *record, struct transfer_view *view)
{
    struct npu_sim_record_dma_mov mov;
    struct npu_sim_record_mov_align align;
    struct npu_sim_record_load_2d load;
    struct npu_sim_record_nd2nz nz;
    struct npu_sim_record_mov_fp fp;

    switch (type) {
    case NPU_SIM_RECORD_DMA_MOV: /* bursts 4..15, length 16..31, gaps 32..47, 48..63 */
        memcpy(&mov, record, sizeof(mov));
        view->bytes = (uint64_t)mov.burst_count * mov.burst_length * 32;
        view->setting = (uint64_t)(mov.burst_count & 0xFFF) << 4 |
                        (uint64_t)mov.burst_length << 16 | (uint64_t)mov.src_gap << 32 |
                        (uint64_t)mov.dst_gap << 48;
        break;
    case NPU_SIM_RECORD_MOV_ALIGN: /* bursts 4..15, bytes 16..36 */
        memcpy(&align, record, sizeof(align));
        view->bytes = (uint64_t)align.burst_count * align.burst_length;
        view->setting = (uint64_t)(align.burst_count & 0xFFF) << 4 |
                        (uint64_t)(align.burst_length & 0x1FFFFF) << 16;
        break;
    case NPU_SIM_RECORD_LOAD_2D: /* base 0..15, repeat 16..23, source stride 24..39 */
        memcpy(&load, record, sizeof(load));
        view->bytes = load.repeat * 512ull;
        view->setting = load.base_index | (uint64_t)load.repeat << 16 |
                        (uint64_t)load.src_stride << 24;
        break;
    case NPU_SIM_RECORD_ND2NZ: /* matrices 4..15, rows 16..31, columns 32..47 */
        memcpy(&nz, record, sizeof(nz));
        view->bytes = (uint64_t)nz.matrices * nz.rows * nz.columns * 4;
        view->setting = (uint64_t)(nz.matrices & 0xFFF) << 4 | (uint64_t)nz.rows << 16 |
                        (uint64_t)nz.columns << 32;
        break;
    case NPU_SIM_RECORD_MOV_FP: /* columns 4..15, rows 16..31, stride 32..63 */
        memcpy(&fp, record, sizeof(fp));
        view->bytes = (uint64_t)fp.matrices * fp.rows * fp.columns * fp.quant_bits / 8;
        view->setting = (uint64_t)(fp.columns & 0xFFF) << 4 | (uint64_t)fp.rows << 16 |
                        (uint64_t)fp.dst_stride << 32;
        break;
    }
}

void transfer_look(const struct transfer_type *type,
                   const void *record,
                   struct transfer_view *view)
{
    struct npu_sim_record_base base;

    memset(view, 0, sizeof(*view));
    memcpy(&base, record, sizeof(base));
    view->dst = base.dst;
    view->src = base.src;
    view->to =
        (enum npu_sim_memory)memory_of(record, type->dst_memory_at, type->dst_memory);
    view->from =
        (enum npu_sim_memory)memory_of(record, type->src_memory_at, type->src_memory);
    view->pipe = pipe_of(view->from, view->to);
    look_at_shape(type->type, record, view);
}
