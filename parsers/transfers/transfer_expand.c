/* transfer_expand.c - expands move records; the table of all record types
 *
 * The numbers are byte offsets of the fields in the record, after type and magic. */
#include "lib/base/mem.h"
#include "parsers/transfers/transfer_internal.h"

/* Emits `count` bursts of equal size. The gaps lie between the end of one burst and the
 * start of the next. */
static void emit_bursts(struct transfer_record *r,
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

/* Returns the destination bytes of a move with a pad mode. Modes 1 to 5 expand each
 * element, modes 6 to 8 keep a part of each 32 bytes; 0 and unknown modes copy. */
static uint64_t padded_bytes(uint64_t bytes, unsigned mode)
{
    static const uint8_t factors[] = {1, 32, 16, 8, 4, 2};
    static const uint8_t kept_bytes[] = {4, 8, 16};

    if (mode < COUNT(factors))
        return saturating_mul(bytes, factors[mode]);
    return mode - 6 < COUNT(kept_bytes)
               ? saturating_mul(bytes / 32, kept_bytes[mode - 6])
               : bytes;
}

static void expand_mov(struct transfer_record *r)
{
    uint64_t bytes = record_u16(r, 38) * 32ull;

    r->t.sub_block = (uint16_t)record_u16(r, 32);
    record_set_memories(r, record_u8(r, 45), record_u8(r, 44));
    emit_bursts(r, record_u16(r, 36), bytes, record_u16(r, 40) * 32ull, bytes,
                record_u16(r, 42) * 32ull);
}

static void expand_mov_v2(struct transfer_record *r)
{
    uint64_t bytes = record_u32(r, 40) * 32ull;

    record_set_memories(r, record_u8(r, 52), record_u8(r, 51));
    emit_bursts(r, record_u32(r, 44), bytes, record_u32(r, 32) * 32ull,
                padded_bytes(bytes, record_u8(r, 54)), record_u32(r, 36) * 32ull);
}

static void expand_dma_mov(struct transfer_record *r)
{
    uint64_t bytes = record_u16(r, 34) * 32ull,
             out = padded_bytes(bytes, record_u8(r, 44));

    record_set_memories(r, record_u8(r, 43), record_u8(r, 42));
    if (record_u8(r, 45)) { /* byte mode: the length is in bytes, not in 32 bytes */
        out = record_u16(r, 34);
        bytes = round_up_32(out);
    }
    emit_bursts(r, record_u16(r, 32), bytes, record_u16(r, 36) * 32ull, out,
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
    emit_bursts(r, record_u16(r, 44), src_bytes, src_gap, dst_bytes, dst_gap);
}

/* Expands the nested move of the 950. Its strides are from start to start, while the
 * gaps of the other moves are from end to start. */
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
    if (local_stride == bytes) { /* no gaps in local memory: all bursts are one */
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

enum { ND_LOOPS = 5, ND_LOOPS_AT = 32, ND_LOOP_BYTES = 20 };

struct nd_loop {
    uint64_t src_stride, dst_stride; /* elements */
    uint64_t left;                   /* padding elements before the source elements */
    uint64_t size;                   /* source elements */
    uint64_t total;                  /* with the padding on both sides */
};

/* Reads the loops, the innermost first, and returns how many elements they visit. */
static uint64_t read_nd_loops(const struct transfer_record *r,
                              struct nd_loop loops[ND_LOOPS])
{
    uint64_t elements = 1;

    for (size_t i = 0; i < ND_LOOPS; i++) {
        size_t at = ND_LOOPS_AT + i * ND_LOOP_BYTES;
        uint64_t left = record_u8(r, at + 16), right = record_u8(r, at + 17);
        uint64_t size = record_u32(r, at + 12);

        loops[i] = (struct nd_loop){
            .src_stride = record_u64(r, at),
            .dst_stride = record_u32(r, at + 8),
            .left = left,
            .size = size,
            .total = left + size + right,
        };
        elements = saturating_mul(elements, loops[i].total);
    }
    return elements;
}

/* Computes the distance of an element in elements. Returns false for padding, which has
 * no source. */
static bool locate_nd_element(const struct nd_loop loops[ND_LOOPS],
                              const uint64_t index[ND_LOOPS],
                              uint64_t *src,
                              uint64_t *dst)
{
    bool has_source = true;

    *src = *dst = 0;
    for (size_t i = 0; i < ND_LOOPS; i++) {
        const struct nd_loop *loop = &loops[i];

        *dst = saturating_add(*dst, saturating_mul(index[i], loop->dst_stride));
        if (index[i] < loop->left || index[i] - loop->left >= loop->size)
            has_source = false;
        else
            *src = saturating_add(
                *src, saturating_mul(index[i] - loop->left, loop->src_stride));
    }
    return has_source;
}

/* Moves the index to the next element, as an odometer does. */
static void advance_nd_index(const struct nd_loop loops[ND_LOOPS],
                             uint64_t index[ND_LOOPS])
{
    for (size_t i = 0; i < ND_LOOPS && ++index[i] == loops[i].total; i++)
        index[i] = 0;
}

/* Emits one transfer per element, since each can be padding. */
static void expand_nd_dma(struct transfer_record *r)
{
    uint64_t element = element_bits(record_u8(r, 134)) / 8, src, dst;
    uint64_t index[ND_LOOPS] = {0};
    struct nd_loop loops[ND_LOOPS];
    uint64_t elements = read_nd_loops(r, loops);

    element = element ? element : 1;
    record_set_memories(r, MEMORY_GM, MEMORY_UB);
    if (!record_reserve(r, elements, 1, 1))
        return;
    for (uint64_t n = 0; n < elements; n++) {
        bool has_source = locate_nd_element(loops, index, &src, &dst);

        record_emit(r, has_source ? saturating_mul(src, element) : 0,
                    saturating_mul(dst, element), has_source ? element : 0, element);
        advance_nd_index(loops, index);
    }
}

enum simt_kind { SIMT_LOAD_LAST = 7, SIMT_ATOM = 9 }; /* loads have odd numbers */

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
    bool returns_old_value = record_u8(r, 52) == SIMT_ATOM;
    uint64_t bytes = record_u64(r, 32);

    if (!record_reserve(r, returns_old_value ? 2 : 1, 1, 1))
        return;
    r->src = record_u64(r, 44);
    r->dst = 0;
    record_set_memories(r, record_u8(r, 42), MEMORY_REG);
    record_emit(r, 0, 0, bytes, bytes);
    if (!returns_old_value)
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
