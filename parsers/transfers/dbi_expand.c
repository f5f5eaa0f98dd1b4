/* dbi_expand.c - the plain moves, and what all ways of taking a record apart share */
#include "parsers/transfers/dbi_expand.h"

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"

uint64_t dbi_add(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

uint64_t dbi_mul(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t dbi_up32(uint64_t bytes)
{
    return dbi_add(bytes, 31) & ~31ull;
}

unsigned dbi_bits(unsigned dtype)
{
    static const uint8_t bits[] = {4, 8, 16, 32, 16, 16, 32, 32};

    return dtype < COUNT(bits) ? bits[dtype] : 8;
}

unsigned dbi_u8(const struct dbi_record *record, size_t at)
{
    return record->bytes[at];
}

unsigned dbi_u16(const struct dbi_record *record, size_t at)
{
    return load_u16(record->bytes + at);
}

uint32_t dbi_u32(const struct dbi_record *record, size_t at)
{
    return load_u32(record->bytes + at);
}

uint64_t dbi_u64(const struct dbi_record *record, size_t at)
{
    return load_u64(record->bytes + at);
}

bool dbi_claim(struct dbi_record *record, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t count = dbi_mul(dbi_mul(a, b), c);

    if (count > record->reader->room) {
        record->reader->too_large++;
        return false;
    }
    record->reader->room -= count;
    return count > 0; /* loops around nothing are not gone through either */
}

void dbi_senseless(struct dbi_record *record)
{
    record->reader->senseless++;
}

void dbi_give(struct dbi_record *record,
              uint64_t src,
              uint64_t dst,
              uint64_t src_bytes,
              uint64_t dst_bytes)
{
    record->t.src = dbi_add(record->src, src);
    record->t.dst = dbi_add(record->dst, dst);
    record->t.src_bytes = src_bytes;
    record->t.dst_bytes = dst_bytes;
    record->reader->take(record->reader->arg, &record->t);
}

void dbi_memories(struct dbi_record *record, unsigned src, unsigned dst)
{
    record->t.src_memory = (uint8_t)src;
    record->t.dst_memory = (uint8_t)dst;
}

/* Bursts; a gap lies behind each piece. */
static void give_bursts(struct dbi_record *r,
                        uint64_t count,
                        uint64_t src_bytes,
                        uint64_t src_gap,
                        uint64_t dst_bytes,
                        uint64_t dst_gap)
{
    if (!dbi_claim(r, count, 1, 1))
        return;
    for (uint64_t i = 0; i < count; i++)
        dbi_give(r, dbi_mul(i, dbi_add(src_bytes, src_gap)),
                 dbi_mul(i, dbi_add(dst_bytes, dst_gap)), src_bytes, dst_bytes);
}

/* Elements grow on their way, or are picked out of 32 bytes. */
static uint64_t padded(uint64_t bytes, unsigned mode)
{
    static const uint8_t grow[] = {1, 32, 16, 8, 4, 2};
    static const uint8_t keep[] = {4, 8, 16};

    if (mode < COUNT(grow))
        return dbi_mul(bytes, grow[mode]);
    return mode - 6 < COUNT(keep) ? dbi_mul(bytes / 32, keep[mode - 6]) : bytes;
}

static void expand_mov(struct dbi_record *r)
{
    uint64_t bytes = dbi_u16(r, 38) * 32ull;

    r->t.sub_block = (uint16_t)dbi_u16(r, 32);
    dbi_memories(r, dbi_u8(r, 45), dbi_u8(r, 44));
    give_bursts(r, dbi_u16(r, 36), bytes, dbi_u16(r, 40) * 32ull, bytes,
                dbi_u16(r, 42) * 32ull);
}

static void expand_mov_v2(struct dbi_record *r)
{
    uint64_t bytes = dbi_u32(r, 40) * 32ull;

    dbi_memories(r, dbi_u8(r, 52), dbi_u8(r, 51));
    give_bursts(r, dbi_u32(r, 44), bytes, dbi_u32(r, 32) * 32ull,
                padded(bytes, dbi_u8(r, 54)), dbi_u32(r, 36) * 32ull);
}

static void expand_dma_mov(struct dbi_record *r)
{
    uint64_t bytes = dbi_u16(r, 34) * 32ull, out = padded(bytes, dbi_u8(r, 44));

    dbi_memories(r, dbi_u8(r, 43), dbi_u8(r, 42));
    if (dbi_u8(r, 45)) { /* the length is in bytes */
        out = dbi_u16(r, 34);
        bytes = dbi_up32(out);
    }
    give_bursts(r, dbi_u16(r, 32), bytes, dbi_u16(r, 36) * 32ull, out,
                dbi_u16(r, 38) * 32ull);
}

static void expand_mov_align(struct dbi_record *r)
{
    unsigned dst = dbi_u8(r, 48), src = dbi_u8(r, 49);
    uint64_t bytes = dbi_u32(r, 40), src_bytes = bytes, dst_bytes = bytes;
    uint64_t src_gap = dbi_u32(r, 32), dst_gap = dbi_u32(r, 36);

    dbi_memories(r, src, dst);
    if (src != DBI_GM) {
        src_bytes = dbi_up32(bytes);
        src_gap *= 32;
    }
    if (dst != DBI_GM) {
        uint64_t pads = dbi_u8(r, 51) + dbi_u8(r, 52);

        dst_bytes = dbi_up32(bytes + pads * dbi_bits(dbi_u8(r, 50)) / 8);
        dst_gap *= 32;
    }
    give_bursts(r, dbi_u16(r, 44), src_bytes, src_gap, dst_bytes, dst_gap);
}

/* The nested form of the 950: strides count from start to start. */
static void expand_mov_align_v2(struct dbi_record *r)
{
    unsigned dst = dbi_u8(r, 96), src = dbi_u8(r, 97);
    uint64_t bytes = dbi_u32(r, 88), count = dbi_u16(r, 92);
    uint64_t loop1 = dbi_u32(r, 80), loop2 = dbi_u32(r, 84);
    bool loops = loop1 >= 1 && loop2 >= 1;
    uint64_t pads = loops ? 0
                          : (dbi_u8(r, 99) + dbi_u8(r, 100)) *
                                (uint64_t)dbi_bits(dbi_u8(r, 98)) / 8;
    uint64_t local_stride = dbi_u64(r, dst == DBI_GM ? 40 : 32);
    uint64_t local;

    dbi_memories(r, src, dst);
    if (!loops)
        loop1 = loop2 = 1;
    if (local_stride == bytes) { /* the core's side has no gaps: one piece */
        bytes = dbi_mul(bytes, count);
        count = count ? 1 : 0;
    }
    local = dbi_up32(dbi_add(bytes, pads));
    if (!dbi_claim(r, loop1, loop2, count))
        return;
    for (uint64_t k = 0; k < loop2; k++)
        for (uint64_t j = 0; j < loop1; j++)
            for (uint64_t i = 0; i < count; i++)
                dbi_give(r,
                         dbi_add(dbi_add(dbi_mul(k, dbi_u64(r, 72)),
                                         dbi_mul(j, dbi_u64(r, 64))),
                                 dbi_mul(i, dbi_u64(r, 40))),
                         dbi_add(dbi_add(dbi_mul(k, dbi_u64(r, 56)),
                                         dbi_mul(j, dbi_u64(r, 48))),
                                 dbi_mul(i, dbi_u64(r, 32))),
                         src == DBI_GM ? bytes : local, dst == DBI_GM ? bytes : local);
}

enum { ND_LOOPS = 5, ND_LOOP_BYTES = 20 };

struct nd_loop {
    uint64_t src_stride, dst_stride; /* elements */
    uint64_t size, left, all;        /* of the source; padding before; all in all */
};

/* An element at a time: the innermost loop comes first in the record. Padding has no
 * source. */
static void expand_nd_dma(struct dbi_record *r)
{
    uint64_t element = dbi_bits(dbi_u8(r, 134)) / 8, total = 1, at[ND_LOOPS] = {0};
    struct nd_loop loops[ND_LOOPS];

    element = element ? element : 1;
    for (int i = 0; i < ND_LOOPS; i++) {
        size_t from = 32 + (size_t)i * ND_LOOP_BYTES;

        loops[i] = (struct nd_loop){
            .src_stride = dbi_u64(r, from),
            .dst_stride = dbi_u32(r, from + 8),
            .size = dbi_u32(r, from + 12),
            .left = dbi_u8(r, from + 16),
        };
        loops[i].all = loops[i].left + loops[i].size + dbi_u8(r, from + 17);
        total = dbi_mul(total, loops[i].all);
    }
    dbi_memories(r, DBI_GM, DBI_UB);
    if (!dbi_claim(r, total, 1, 1))
        return;
    for (uint64_t n = 0; n < total; n++) {
        uint64_t src = 0, dst = 0;
        bool is_padding = false;

        for (int i = 0; i < ND_LOOPS; i++) {
            const struct nd_loop *loop = &loops[i];

            is_padding |= at[i] < loop->left || at[i] - loop->left >= loop->size;
            dst = dbi_add(dst, dbi_mul(at[i], loop->dst_stride));
            if (at[i] > loop->left)
                src = dbi_add(src, dbi_mul(at[i] - loop->left, loop->src_stride));
        }
        dbi_give(r, is_padding ? 0 : dbi_mul(src, element), dbi_mul(dst, element),
                 is_padding ? 0 : element, element);
        for (int i = 0; i < ND_LOOPS && ++at[i] == loops[i].all; i++)
            at[i] = 0;
    }
}

enum simt_kind { SIMT_LOAD_LAST = 7, SIMT_ATOM = 9 };

static void expand_simt(struct dbi_record *r)
{
    unsigned kind = dbi_u8(r, 59);
    bool loads = kind <= SIMT_LOAD_LAST && kind % 2 == 1;
    uint64_t bytes = dbi_u64(r, 48);

    if (!dbi_claim(r, 1, 1, 1))
        return;
    r->src = dbi_u64(r, loads ? 40 : 32);
    r->dst = dbi_u64(r, loads ? 32 : 40);
    dbi_memories(r, loads ? dbi_u8(r, 58) : DBI_REG, loads ? DBI_REG : dbi_u8(r, 58));
    dbi_give(r, 0, 0, bytes, bytes);
}

static void expand_simt_atom(struct dbi_record *r)
{
    bool gives_back = dbi_u8(r, 52) == SIMT_ATOM;
    uint64_t bytes = dbi_u64(r, 32);

    if (!dbi_claim(r, gives_back ? 2 : 1, 1, 1))
        return;
    r->src = dbi_u64(r, 44);
    r->dst = 0;
    dbi_memories(r, dbi_u8(r, 42), DBI_REG);
    dbi_give(r, 0, 0, bytes, bytes);
    if (!gives_back)
        return;
    r->src = 0;
    r->dst = dbi_u64(r, 44);
    dbi_memories(r, DBI_REG, dbi_u8(r, 42));
    dbi_give(r, 0, 0, bytes, bytes);
}

const struct dbi_type dbi_types[DBI_TYPES] = {
    [1] = {48, expand_mov},
    [2] = {56, expand_mov_v2},
    [3] = {48, expand_dma_mov},
    [4] = {56, expand_mov_align},
    [5] = {104, expand_mov_align_v2},
    [6] = {44, dbi_expand_load_2d},
    [7] = {56, dbi_expand_nd2nz},
    [8] = {68, dbi_expand_dn2nz_a5},
    [9] = {68, dbi_expand_nd2nz_a5},
    [10] = {60, dbi_expand_mov_fp},
    [11] = {44, dbi_expand_load_2d_transpose},
    [12] = {48, dbi_expand_load_2d_v2},
    [13] = {48, dbi_expand_load_2d_dec},
    [14] = {48, dbi_expand_load_mx_2d},
    [15] = {44, dbi_expand_set_2d},
    [16] = {72, dbi_expand_fix_pipe},
    [17] = {136, expand_nd_dma},
    [18] = {64, expand_simt},
    [19] = {56, expand_simt_atom},
};
