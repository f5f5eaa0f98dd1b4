/* records.h - the memory layout of the transfer records of an instrumented kernel
 *
 * Packed to 4 bytes. The recorder sets `pc`, `id` and `core`. It replaces an address in
 * local memory by the offset there. */
#ifndef NPU_SIM_RECORDS_H
#define NPU_SIM_RECORDS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NPU_SIM_RECORD_MAGIC 0x5A5A5A5Au

enum npu_sim_record_type {
    NPU_SIM_RECORD_DMA_MOV = 3,
    NPU_SIM_RECORD_MOV_ALIGN = 4,
    NPU_SIM_RECORD_LOAD_2D = 6,
    NPU_SIM_RECORD_ND2NZ = 7,
    NPU_SIM_RECORD_MOV_FP = 10,
};

enum npu_sim_dtype {
    NPU_SIM_B4 = 0,
    NPU_SIM_B8,
    NPU_SIM_B16,
    NPU_SIM_B32,
    NPU_SIM_F16,
    NPU_SIM_BF16,
    NPU_SIM_F32,
    NPU_SIM_S32,
};

#pragma pack(push, 4)

struct npu_sim_record_base {
    uint64_t dst, src, pc, id;
};

struct npu_sim_record_dma_mov {
    struct npu_sim_record_base base;
    uint16_t burst_count;
    uint16_t burst_length; /* this and the gaps: in units of 32 bytes */
    uint16_t src_gap, dst_gap;
    uint16_t core;
    uint8_t dst_memory, src_memory;
    uint8_t pad_mode, byte_mode;
    uint16_t unused;
};

struct npu_sim_record_mov_align {
    struct npu_sim_record_base base;
    uint32_t src_gap, dst_gap; /* GM side: bytes; local side: units of 32 bytes */
    uint32_t burst_length;     /* bytes */
    uint16_t burst_count;
    uint16_t core;
    uint8_t dst_memory, src_memory;
    uint8_t dtype;
    uint8_t left_pad, right_pad; /* elements */
    uint8_t unused[3];
};

struct npu_sim_record_load_2d {
    struct npu_sim_record_base base;
    uint16_t core;
    uint16_t base_index; /* this and the strides: in units of 512 bytes */
    uint16_t src_stride, dst_stride;
    uint8_t repeat;
    uint8_t dst_memory, src_memory;
    uint8_t downwards;
};

struct npu_sim_record_nd2nz {
    struct npu_sim_record_base base;
    uint16_t matrices, rows, columns;
    uint16_t src_matrix_stride, src_row_stride; /* elements */
    uint16_t dst_c0_stride, dst_row_stride;     /* units of 32 bytes */
    uint16_t dst_matrix_stride;                 /* elements */
    uint16_t core;
    uint8_t src_memory, dst_memory;
    uint8_t dtype;
    uint8_t unused[3];
};

struct npu_sim_record_mov_fp {
    struct npu_sim_record_base base;
    uint32_t dst_stride;
    uint16_t src_stride;
    uint16_t columns, rows;
    uint16_t core;
    uint16_t matrices;
    uint16_t dst_matrix_stride, src_matrix_stride;
    uint16_t quant_bits;
    uint8_t unit_flag;
    uint8_t int8_merge, int4_merge, channel_split;
    uint8_t nz_to_nd;
    uint8_t unused[3];
};

#pragma pack(pop)

#ifdef __cplusplus
}
static_assert(sizeof(struct npu_sim_record_dma_mov) == 48, "DMA_MOV");
static_assert(sizeof(struct npu_sim_record_mov_align) == 56, "MOV_ALIGN");
static_assert(sizeof(struct npu_sim_record_load_2d) == 44, "LOAD_2D");
static_assert(sizeof(struct npu_sim_record_nd2nz) == 56, "ND2NZ");
static_assert(sizeof(struct npu_sim_record_mov_fp) == 60, "MOV_FP");
#else
_Static_assert(sizeof(struct npu_sim_record_dma_mov) == 48, "DMA_MOV");
_Static_assert(sizeof(struct npu_sim_record_mov_align) == 56, "MOV_ALIGN");
_Static_assert(sizeof(struct npu_sim_record_load_2d) == 44, "LOAD_2D");
_Static_assert(sizeof(struct npu_sim_record_nd2nz) == 56, "ND2NZ");
_Static_assert(sizeof(struct npu_sim_record_mov_fp) == 60, "MOV_FP");
#endif

#endif
