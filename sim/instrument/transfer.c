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
    {NPU_SIM_RECORD_DMA_MOV, SIZE(dma_mov), PLACES(dma_mov), 0, 0},
    {NPU_SIM_RECORD_MOV_ALIGN, SIZE(mov_align), PLACES(mov_align), 0, 0},
    {NPU_SIM_RECORD_LOAD_2D, SIZE(load_2d), PLACES(load_2d), 0, 0},
    {NPU_SIM_RECORD_ND2NZ, SIZE(nd2nz), PLACES(nd2nz), 0, 0},
    {NPU_SIM_RECORD_MOV_FP, SIZE(mov_fp), offsetof(struct npu_sim_record_mov_fp, core),
     0, 0, NPU_SIM_GM, NPU_SIM_L0C},
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
