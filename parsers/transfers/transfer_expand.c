/* transfer_expand.c - the plain moves, and what all ways of taking a record apart share
 */
#include "lib/base/mem.h"
#include "lib/capture/format/format.h"
#include "parsers/transfers/transfer_internal.h"

uint64_t saturating_add(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

uint64_t saturating_mul(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t round_up_32(uint64_t bytes)
{
    return saturating_add(bytes, 31) & ~31ull;
}

unsigned element_bits(unsigned dtype)
{
    static const uint8_t bits[] = {4, 8, 16, 32, 16, 16, 32, 32};

    return dtype < COUNT(bits) ? bits[dtype] : 8;
}

unsigned record_u8(const struct transfer_record *record, size_t at)
{
    return record->bytes[at];
}

unsigned record_u16(const struct transfer_record *record, size_t at)
{
    return load_u16(record->bytes + at);
}

uint32_t record_u32(const struct transfer_record *record, size_t at)
{
    return load_u32(record->bytes + at);
}

uint64_t record_u64(const struct transfer_record *record, size_t at)
{
    return load_u64(record->bytes + at);
}

bool record_reserve(struct transfer_record *record, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t count = saturating_mul(saturating_mul(a, b), c);

    if (count > record->reader->room) {
        record->reader->too_large++;
        return false;
    }
    record->reader->room -= count;
    return count > 0; /* loops around nothing are not gone through either */
}

void record_reject(struct transfer_record *record)
{
    record->reader->senseless++;
}

void record_emit(struct transfer_record *record,
                 uint64_t src,
                 uint64_t dst,
                 uint64_t src_bytes,
                 uint64_t dst_bytes)
{
    record->t.src = saturating_add(record->src, src);
    record->t.dst = saturating_add(record->dst, dst);
    record->t.src_bytes = src_bytes;
    record->t.dst_bytes = dst_bytes;
    record->reader->take(record->reader->arg, &record->t);
}

void record_set_memories(struct transfer_record *record, unsigned src, unsigned dst)
{
    record->t.src_memory = (uint8_t)src;
    record->t.dst_memory = (uint8_t)dst;
}

/* Bursts; a gap lies behind each piece. */
static void give_bursts(struct transfer_record *r,
                        uint64_t count,
                        uint64_t src_bytes,
                        uint64_t src_gap,
                        uint64_t dst_bytes,
                        uint64_t dst_gap)
{
    if (!record_reserve(r, count, 1, 1))
        return;
    for (uint64_t i = 0; i < count; i++)
        record_emit(r, saturating_mul(i, saturating_add(src_bytes, src_gap)),
                    saturating_mul(i, saturating_add(dst_bytes, dst_gap)), src_bytes,
                    dst_bytes);
}

/* Elements grow on their way, or are picked out of 32 bytes. */
static uint64_t padded(uint64_t bytes, unsigned mode)
{
    static const uint8_t grow[] = {1, 32, 16, 8, 4, 2};
    static const uint8_t keep[] = {4, 8, 16};

    if (mode < COUNT(grow))
        return saturating_mul(bytes, grow[mode]);
    return mode - 6 < COUNT(keep) ? saturating_mul(bytes / 32, keep[mode - 6]) : bytes;
}

static void expand_mov(struct transfer_record *r)
{
    uint64_t bytes = record_u16(r, 38) * 32ull;

    r->t.sub_block = (uint16_t)record_u16(r, 32);
    record_set_memories(r, record_u8(r, 45), record_u8(r, 44));
    give_bursts(r, record_u16(r, 36), bytes, record_u16(r, 40) * 32ull, bytes,
                record_u16(r, 42) * 32ull);
}

static void expand_mov_v2(struct transfer_record *r)
{
    uint64_t bytes = record_u32(r, 40) * 32ull;

    record_set_memories(r, record_u8(r, 52), record_u8(r, 51));
    give_bursts(r, record_u32(r, 44), bytes, record_u32(r, 32) * 32ull,
                padded(bytes, record_u8(r, 54)), record_u32(r, 36) * 32ull);
}

static void expand_dma_mov(struct transfer_record *r)
{
    uint64_t bytes = record_u16(r, 34) * 32ull, out = padded(bytes, record_u8(r, 44));

    record_set_memories(r, record_u8(r, 43), record_u8(r, 42));
    if (record_u8(r, 45)) { /* the length is in bytes */
        out = record_u16(r, 34);
        bytes = round_up_32(out);
    }
    give_bursts(r, record_u16(r, 32), bytes, record_u16(r, 36) * 32ull, out,
                record_u16(r, 38) * 32ull);
}

static void expand_mov_align(struct transfer_record *r)
{
    unsigned dst = record_u8(r, 48), src = record_u8(r, 49);
    uint64_t bytes = record_u32(r, 40), src_bytes = bytes, dst_bytes = bytes;
    uint64_t src_gap = record_u32(r, 32), dst_gap = record_u32(r, 36);

    record_set_memories(r, src, dst);
    if (src != MEMORY_GM) {
        src_bytes = round_up_32(bytes);
        src_gap *= 32;
    }
    if (dst != MEMORY_GM) {
        uint64_t pads = record_u8(r, 51) + record_u8(r, 52);

        dst_bytes = round_up_32(bytes + pads * element_bits(record_u8(r, 50)) / 8);
        dst_gap *= 32;
    }
    give_bursts(r, record_u16(r, 44), src_bytes, src_gap, dst_bytes, dst_gap);
}

/* The nested form of the 950: strides count from start to start. */
static void expand_mov_align_v2(struct transfer_record *r)
{
    unsigned dst = record_u8(r, 96), src = record_u8(r, 97);
    uint64_t bytes = record_u32(r, 88), count = record_u16(r, 92);
    uint64_t loop1 = record_u32(r, 80), loop2 = record_u32(r, 84);
    bool loops = loop1 >= 1 && loop2 >= 1;
    uint64_t pads = loops ? 0
                          : (record_u8(r, 99) + record_u8(r, 100)) *
                                (uint64_t)element_bits(record_u8(r, 98)) / 8;
    uint64_t local_stride = record_u64(r, dst == MEMORY_GM ? 40 : 32);
    uint64_t local;

    record_set_memories(r, src, dst);
    if (!loops)
        loop1 = loop2 = 1;
    if (local_stride == bytes) { /* the core's side has no gaps: one piece */
        bytes = saturating_mul(bytes, count);
        count = count ? 1 : 0;
    }
    local = round_up_32(saturating_add(bytes, pads));
    if (!record_reserve(r, loop1, loop2, count))
        return;
    for (uint64_t k = 0; k < loop2; k++)
        for (uint64_t j = 0; j < loop1; j++)
            for (uint64_t i = 0; i < count; i++)
                record_emit(
                    r,
                    saturating_add(saturating_add(saturating_mul(k, record_u64(r, 72)),
                                                  saturating_mul(j, record_u64(r, 64))),
                                   saturating_mul(i, record_u64(r, 40))),
                    saturating_add(saturating_add(saturating_mul(k, record_u64(r, 56)),
                                                  saturating_mul(j, record_u64(r, 48))),
                                   saturating_mul(i, record_u64(r, 32))),
                    src == MEMORY_GM ? bytes : local, dst == MEMORY_GM ? bytes : local);
}

enum { ND_LOOPS = 5, ND_LOOP_BYTES = 20 };

struct nd_loop {
    uint64_t src_stride, dst_stride; /* elements */
    uint64_t size, left, all;        /* of the source; padding before; all in all */
};

/* An element at a time: the innermost loop comes first in the record. Padding has no
 * source. */
static void expand_nd_dma(struct transfer_record *r)
{
    uint64_t element = element_bits(record_u8(r, 134)) / 8, total = 1,
             at[ND_LOOPS] = {0};
    struct nd_loop loops[ND_LOOPS];

    element = element ? element : 1;
    for (int i = 0; i < ND_LOOPS; i++) {
        size_t from = 32 + (size_t)i * ND_LOOP_BYTES;

        loops[i] = (struct nd_loop){
            .src_stride = record_u64(r, from),
            .dst_stride = record_u32(r, from + 8),
            .size = record_u32(r, from + 12),
            .left = record_u8(r, from + 16),
        };
        loops[i].all = loops[i].left + loops[i].size + record_u8(r, from + 17);
        total = saturating_mul(total, loops[i].all);
    }
    record_set_memories(r, MEMORY_GM, MEMORY_UB);
    if (!record_reserve(r, total, 1, 1))
        return;
    for (uint64_t n = 0; n < total; n++) {
        uint64_t src = 0, dst = 0;
        bool is_padding = false;

        for (int i = 0; i < ND_LOOPS; i++) {
            const struct nd_loop *loop = &loops[i];

            is_padding |= at[i] < loop->left || at[i] - loop->left >= loop->size;
            dst = saturating_add(dst, saturating_mul(at[i], loop->dst_stride));
            if (at[i] > loop->left)
                src = saturating_add(
                    src, saturating_mul(at[i] - loop->left, loop->src_stride));
        }
        record_emit(r, is_padding ? 0 : saturating_mul(src, element),
                    saturating_mul(dst, element), is_padding ? 0 : element, element);
        for (int i = 0; i < ND_LOOPS && ++at[i] == loops[i].all; i++)
            at[i] = 0;
    }
}

enum simt_kind { SIMT_LOAD_LAST = 7, SIMT_ATOM = 9 };

static void expand_simt(struct transfer_record *r)
{
    unsigned kind = record_u8(r, 59);
    bool loads = kind <= SIMT_LOAD_LAST && kind % 2 == 1;
    uint64_t bytes = record_u64(r, 48);

    if (!record_reserve(r, 1, 1, 1))
        return;
    r->src = record_u64(r, loads ? 40 : 32);
    r->dst = record_u64(r, loads ? 32 : 40);
    record_set_memories(r, loads ? record_u8(r, 58) : MEMORY_REG,
                        loads ? MEMORY_REG : record_u8(r, 58));
    record_emit(r, 0, 0, bytes, bytes);
}

static void expand_simt_atom(struct transfer_record *r)
{
    bool gives_back = record_u8(r, 52) == SIMT_ATOM;
    uint64_t bytes = record_u64(r, 32);

    if (!record_reserve(r, gives_back ? 2 : 1, 1, 1))
        return;
    r->src = record_u64(r, 44);
    r->dst = 0;
    record_set_memories(r, record_u8(r, 42), MEMORY_REG);
    record_emit(r, 0, 0, bytes, bytes);
    if (!gives_back)
        return;
    r->src = 0;
    r->dst = record_u64(r, 44);
    record_set_memories(r, MEMORY_REG, record_u8(r, 42));
    record_emit(r, 0, 0, bytes, bytes);
}

const struct transfer_record_type transfer_record_types[TRANSFER_RECORD_TYPES] = {
    [1] = {48, expand_mov},
    [2] = {56, expand_mov_v2},
    [3] = {48, expand_dma_mov},
    [4] = {56, expand_mov_align},
    [5] = {104, expand_mov_align_v2},
    [6] = {44, transfer_expand_load_2d},
    [7] = {56, transfer_expand_nd2nz},
    [8] = {68, transfer_expand_dn2nz_a5},
    [9] = {68, transfer_expand_nd2nz_a5},
    [10] = {60, transfer_expand_mov_fp},
    [11] = {44, transfer_expand_load_2d_transpose},
    [12] = {48, transfer_expand_load_2d_v2},
    [13] = {48, transfer_expand_load_2d_dec},
    [14] = {48, transfer_expand_load_mx_2d},
    [15] = {44, transfer_expand_set_2d},
    [16] = {72, transfer_expand_fix_pipe},
    [17] = {136, expand_nd_dma},
    [18] = {64, expand_simt},
    [19] = {56, expand_simt_atom},
};
