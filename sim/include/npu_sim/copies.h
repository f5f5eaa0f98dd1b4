/* copies.h - the transfer instructions of a core, for kernel bodies
 *
 * Each function moves real bytes and passes a record to the recorder, as the
 * instrumented kernel of a card would. npu_sim_local() returns local memory. Strides
 * and lengths are in the units of the instruction, see records.h. All functions are
 * inlined, so that the program counter of a record leads to the line of the kernel that
 * called them. */
#ifndef NPU_SIM_COPIES_H
#define NPU_SIM_COPIES_H

#include <npu_sim/recorder.h>
#include <npu_sim/records.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

struct npu_sim_place {
    void *address;
    enum npu_sim_memory memory;
};

NPU_SIM_INLINE struct npu_sim_place npu_sim_at(enum npu_sim_memory memory,
                                               const void *address)
{
    struct npu_sim_place place;

    place.address = (void *)(uintptr_t)address;
    place.memory = memory;
    return place;
}

NPU_SIM_INLINE struct npu_sim_record_base npu_sim_base(struct npu_sim_place dst,
                                                       struct npu_sim_place src)
{
    struct npu_sim_record_base base = {0, 0, 0, 0};

    base.dst = (uint64_t)(uintptr_t)dst.address;
    base.src = (uint64_t)(uintptr_t)src.address;
    return base;
}

NPU_SIM_INTRINSIC void npu_sim_rows(char *dst,
                                    const char *src,
                                    uint32_t rows,
                                    size_t bytes,
                                    size_t dst_step,
                                    size_t src_step)
{
    for (uint32_t i = 0; i < rows; i++)
        memcpy(dst + i * dst_step, src + i * src_step, bytes);
}

/* Copies bursts of whole 32-byte units. */
NPU_SIM_INLINE void npu_sim_dma_mov(struct npu_sim_place dst,
                                    struct npu_sim_place src,
                                    uint16_t bursts,
                                    uint16_t length,
                                    uint16_t src_gap,
                                    uint16_t dst_gap)
{
    npu_sim_rows((char *)dst.address, (const char *)src.address, bursts,
                 (size_t)length * 32, (size_t)(length + dst_gap) * 32,
                 (size_t)(length + src_gap) * 32);
    if (npu_sim_is_watched()) {
        struct npu_sim_record_dma_mov record;

        memset(&record, 0, sizeof(record));
        record.base = npu_sim_base(dst, src);
        record.burst_count = bursts;
        record.burst_length = length;
        record.src_gap = src_gap;
        record.dst_gap = dst_gap;
        record.dst_memory = (uint8_t)dst.memory;
        record.src_memory = (uint8_t)src.memory;
        npu_sim_recorder->copy(NPU_SIM_RECORD_DMA_MOV, &record);
        NPU_SIM_CALLED();
    }
}

NPU_SIM_INLINE size_t npu_sim_step(enum npu_sim_memory memory, size_t bytes, size_t gap)
{
    return memory == NPU_SIM_GM ? bytes + gap : (bytes + 31) / 32 * 32 + gap * 32;
}

/* Copies bursts of any number of bytes. Gaps are in bytes on the GM side and in 32-byte
 * units on the side of local memory. */
NPU_SIM_INLINE void npu_sim_mov_align(struct npu_sim_place dst,
                                      struct npu_sim_place src,
                                      uint16_t bursts,
                                      uint32_t bytes,
                                      uint32_t src_gap,
                                      uint32_t dst_gap)
{
    npu_sim_rows((char *)dst.address, (const char *)src.address, bursts, bytes,
                 npu_sim_step(dst.memory, bytes, dst_gap),
                 npu_sim_step(src.memory, bytes, src_gap));
    if (npu_sim_is_watched()) {
        struct npu_sim_record_mov_align record;

        memset(&record, 0, sizeof(record));
        record.base = npu_sim_base(dst, src);
        record.src_gap = src_gap;
        record.dst_gap = dst_gap;
        record.burst_length = bytes;
        record.burst_count = bursts;
        record.dst_memory = (uint8_t)dst.memory;
        record.src_memory = (uint8_t)src.memory;
        record.dtype = NPU_SIM_B8;
        npu_sim_recorder->copy(NPU_SIM_RECORD_MOV_ALIGN, &record);
        NPU_SIM_CALLED();
    }
}

/* Copies fractals of 512 bytes from L1 or GM into L0A or L0B. */
NPU_SIM_INLINE void npu_sim_load_2d(struct npu_sim_place dst,
                                    struct npu_sim_place src,
                                    uint16_t base_index,
                                    uint8_t repeat,
                                    uint16_t src_stride,
                                    uint16_t dst_stride)
{
    npu_sim_rows((char *)dst.address, (const char *)src.address + base_index * 512u,
                 repeat, 512, dst_stride * 512u, src_stride * 512u);
    if (npu_sim_is_watched()) {
        struct npu_sim_record_load_2d record;

        memset(&record, 0, sizeof(record));
        record.base = npu_sim_base(dst, src);
        record.base_index = base_index;
        record.src_stride = src_stride;
        record.dst_stride = dst_stride;
        record.repeat = repeat;
        record.dst_memory = (uint8_t)dst.memory;
        record.src_memory = (uint8_t)src.memory;
        npu_sim_recorder->copy(NPU_SIM_RECORD_LOAD_2D, &record);
        NPU_SIM_CALLED();
    }
}

NPU_SIM_INTRINSIC void npu_sim_nd2nz_matrix(char *dst,
                                            const char *src,
                                            const struct npu_sim_record_nd2nz *shape,
                                            size_t element)
{
    size_t row_bytes = shape->columns * element;

    for (uint32_t row = 0; row < shape->rows; row++)
        for (size_t at = 0; at < row_bytes; at += 32)
            memcpy(dst + at * shape->dst_c0_stride +
                       (size_t)row * shape->dst_row_stride * 32,
                   src + row * shape->src_row_stride * element + at,
                   row_bytes - at < 32 ? row_bytes - at : 32);
}

/* Converts a matrix in rows into columns of 32-byte units. Unit c of row r goes to
 * dst + 32 x (c x c0_stride + r). Elements have 32 bits. */
NPU_SIM_INLINE void npu_sim_nd2nz(struct npu_sim_place dst,
                                  struct npu_sim_place src,
                                  uint16_t rows,
                                  uint16_t columns,
                                  uint16_t src_row_stride,
                                  uint16_t c0_stride)
{
    struct npu_sim_record_nd2nz record;

    memset(&record, 0, sizeof(record));
    record.base = npu_sim_base(dst, src);
    record.matrices = 1;
    record.rows = rows;
    record.columns = columns;
    record.src_row_stride = src_row_stride;
    record.dst_c0_stride = c0_stride;
    record.dst_row_stride = 1;
    record.src_memory = (uint8_t)src.memory;
    record.dst_memory = (uint8_t)dst.memory;
    record.dtype = NPU_SIM_F32;
    npu_sim_nd2nz_matrix((char *)dst.address, (const char *)src.address, &record, 4);
    if (npu_sim_is_watched()) {
        npu_sim_recorder->copy(NPU_SIM_RECORD_ND2NZ, &record);
        NPU_SIM_CALLED();
    }
}

NPU_SIM_INTRINSIC void npu_sim_nz2nd_matrix(char *dst,
                                            const char *src,
                                            const struct npu_sim_record_mov_fp *shape)
{
    size_t row_bytes = shape->columns * (size_t)4;

    for (uint32_t row = 0; row < shape->rows; row++)
        for (size_t at = 0; at < row_bytes; at += 64)
            memcpy(dst + row * shape->dst_stride * (size_t)4 + at,
                   src + at * shape->src_stride + row * (size_t)64,
                   row_bytes - at < 64 ? row_bytes - at : 64);
}

/* Copies L0C, in columns of 16 accumulators, to rows in GM. dst_stride is in elements
 * of 32 bits, src_stride in rows of a column. */
NPU_SIM_INLINE void npu_sim_mov_fp(struct npu_sim_place dst,
                                   struct npu_sim_place src,
                                   uint16_t rows,
                                   uint16_t columns,
                                   uint16_t src_stride,
                                   uint32_t dst_stride)
{
    struct npu_sim_record_mov_fp record;

    memset(&record, 0, sizeof(record));
    record.base = npu_sim_base(dst, src);
    record.dst_stride = dst_stride;
    record.src_stride = src_stride;
    record.columns = columns;
    record.rows = rows;
    record.matrices = 1;
    record.quant_bits = 32;
    record.nz_to_nd = 1;
    npu_sim_nz2nd_matrix((char *)dst.address, (const char *)src.address, &record);
    if (npu_sim_is_watched()) {
        npu_sim_recorder->copy(NPU_SIM_RECORD_MOV_FP, &record);
        NPU_SIM_CALLED();
    }
}

#ifdef __cplusplus
}
#endif

#endif
