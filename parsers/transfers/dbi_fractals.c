/* dbi_fractals.c - the instructions that know of fractals: 512 bytes that the cube
 * takes at once, and the matrices that become such */
#include "lib/base/mem.h"
#include "parsers/transfers/dbi_expand.h"

#define FRACTAL 512ull
#define PIECE   32ull

void dbi_expand_load_2d(struct dbi_record *r)
{
    uint64_t base = dbi_u16(r, 34) * FRACTAL, step = dbi_u16(r, 36) * FRACTAL;
    uint64_t repeat = dbi_u8(r, 40);
    bool downwards = dbi_u8(r, 43);

    dbi_memories(r, dbi_u8(r, 42), dbi_u8(r, 41));
    if (!dbi_claim(r, repeat, 1, 1))
        return;
    r->src = dbi_add(r->src, base);
    for (uint64_t i = 0; i < repeat; i++) {
        uint64_t start = r->src, way = i * step;

        if (downwards) {
            r->src = start > way ? start - way : 0;
            way = 0;
        }
        dbi_give(r, way, i * dbi_u16(r, 38) * FRACTAL, FRACTAL, FRACTAL);
        r->src = start;
    }
}

void dbi_expand_nd2nz(struct dbi_record *r)
{
    uint64_t matrices = dbi_u16(r, 32), rows = dbi_u16(r, 34);
    unsigned bits = dbi_bits(dbi_u8(r, 52));

    dbi_memories(r, dbi_u8(r, 50), dbi_u8(r, 51));
    if (!dbi_claim(r, matrices, rows, 1))
        return;
    for (uint64_t m = 0; m < matrices; m++)
        for (uint64_t n = 0; n < rows; n++)
            dbi_give(r, (m * dbi_u16(r, 38) + n * dbi_u16(r, 40)) * bits / 8,
                     m * dbi_u16(r, 46) * bits / 8 + n * dbi_u16(r, 44) * PIECE,
                     (uint64_t)dbi_u16(r, 36) * bits / 8, PIECE);
}

/* Rows of the result, and what each has; the two types differ in which is which. */
static void expand_nz_a5(struct dbi_record *r, uint64_t rows, uint64_t columns)
{
    uint64_t matrices = dbi_u16(r, 54), element = dbi_bits(dbi_u8(r, 67)) / 8;
    bool small = dbi_u8(r, 64);

    element = element ? element : 1;
    dbi_memories(r, dbi_u8(r, 65), dbi_u8(r, 66));
    if (!dbi_claim(r, matrices, rows, 1))
        return;
    for (uint64_t h = 0; h < matrices; h++)
        for (uint64_t j = 0; j < rows; j++) {
            uint64_t src =
                dbi_add(dbi_mul(h, dbi_u64(r, 32)), dbi_mul(j, dbi_u64(r, 40)));
            uint64_t dst = h * dbi_u16(r, 60) * PIECE +
                           (small ? j * 4 * element : j * dbi_u16(r, 56) * PIECE);

            dbi_give(r, src, dst, columns * element,
                     small ? 4 * element : dbi_up32(rows * element));
        }
}

void dbi_expand_dn2nz_a5(struct dbi_record *r)
{
    expand_nz_a5(r, dbi_u32(r, 48), dbi_u16(r, 52));
}

void dbi_expand_nd2nz_a5(struct dbi_record *r)
{
    expand_nz_a5(r, dbi_u16(r, 52), dbi_u32(r, 48));
}

/* what the two fix-pipe records have in common, at different places */
struct fix_pipe {
    uint64_t dst_stride, src_stride, n, m, matrices, dst_matrix_stride;
    unsigned quant_bits;
    bool int8, int4, split, nz2nd;
};

static bool makes_sense(const struct fix_pipe *fix)
{
    unsigned unit = fix->int4 ? 64 : fix->split ? 8 : 16;

    if (fix->int8 + fix->int4 + fix->split + fix->nz2nd > 1 || fix->src_stride % 16)
        return false;
    return fix->nz2nd || fix->n % unit == 0;
}

static void give_rows(struct dbi_record *r, const struct fix_pipe *fix)
{
    uint64_t row = fix->n * fix->quant_bits / 8;

    if (!dbi_claim(r, fix->matrices, fix->m, 1))
        return;
    for (uint64_t d = 0; d < fix->matrices; d++)
        for (uint64_t i = 0; i < fix->m; i++)
            dbi_give(r, 0,
                     (d * fix->dst_matrix_stride + i * fix->dst_stride) *
                         fix->quant_bits / 8,
                     row, row);
}

static void give_columns(struct dbi_record *r, const struct fix_pipe *fix)
{
    uint64_t plain = (fix->n + 15) / 16, count = plain, size = fix->m * PIECE;
    bool odd = fix->int8 && plain % 2;

    if (fix->split)
        count = (fix->n + 7) / 8;
    else if (fix->int4)
        count = plain / 4;
    else if (fix->int8)
        count = plain / 2;
    else /* a column of 16 elements of so many bits */
        size = size * fix->quant_bits / 16;
    if (!dbi_claim(r, count + odd, 1, 1))
        return;
    for (uint64_t i = 0; i < count; i++)
        dbi_give(r, 0, i * fix->dst_stride * PIECE, size, size);
    if (odd)
        dbi_give(r, 0, count * fix->dst_stride * PIECE, size / 2, size / 2);
}

static void expand_fix(struct dbi_record *r, const struct fix_pipe *fix)
{
    if (fix->m == 0 || fix->n == 0 || (fix->nz2nd && fix->matrices == 0))
        return;
    if (!makes_sense(fix))
        dbi_senseless(r);
    else if (fix->nz2nd)
        give_rows(r, fix);
    else
        give_columns(r, fix);
}

void dbi_expand_mov_fp(struct dbi_record *r)
{
    struct fix_pipe fix = {
        .dst_stride = dbi_u32(r, 32),
        .src_stride = dbi_u16(r, 36),
        .n = dbi_u16(r, 38),
        .m = dbi_u16(r, 40),
        .matrices = dbi_u16(r, 44),
        .dst_matrix_stride = dbi_u16(r, 46),
        .quant_bits = dbi_u16(r, 50),
        .int8 = dbi_u8(r, 53),
        .int4 = dbi_u8(r, 54),
        .split = dbi_u8(r, 55),
        .nz2nd = dbi_u8(r, 56),
    };

    dbi_memories(r, DBI_L0C, DBI_GM);
    expand_fix(r, &fix);
}

void dbi_expand_fix_pipe(struct dbi_record *r)
{
    struct fix_pipe fix = {
        .dst_stride = dbi_u32(r, 32),
        .src_stride = dbi_u32(r, 36),
        .n = dbi_u16(r, 40),
        .m = dbi_u16(r, 42),
        .matrices = dbi_u16(r, 46),
        .dst_matrix_stride = dbi_u16(r, 56),
        .quant_bits = dbi_u16(r, 60),
        .int8 = dbi_u8(r, 63),
        .int4 = dbi_u8(r, 64),
        .split = dbi_u8(r, 65),
        .nz2nd = dbi_u8(r, 66),
    };

    dbi_memories(r, dbi_u8(r, 69), dbi_u8(r, 68));
    expand_fix(r, &fix);
}

void dbi_expand_load_2d_transpose(struct dbi_record *r)
{
    uint64_t repeat = dbi_u8(r, 40);
    uint64_t src = dbi_u16(r, 38) * FRACTAL, dst = dbi_u16(r, 36) * FRACTAL;

    dbi_memories(r, dbi_u8(r, 42), dbi_u8(r, 41));
    if (!dbi_claim(r, repeat, 1, 1))
        return;
    for (uint64_t i = 0; i < repeat; i++)
        dbi_give(r, dbi_u16(r, 34) * FRACTAL + i * src, i * dst, src, dst);
}

/* Fractals between one column of them and the next. */
static uint64_t column_stride(const struct dbi_record *r)
{
    int stride = (int16_t)dbi_u16(r, 40);

    return (uint64_t)(stride < 0 ? -stride : stride);
}

void dbi_expand_load_2d_v2(struct dbi_record *r)
{
    uint64_t bytes = (uint64_t)dbi_u8(r, 42) * dbi_u8(r, 43) * FRACTAL;

    dbi_memories(r, dbi_u8(r, 45), dbi_u8(r, 44));
    if (dbi_claim(r, 1, 1, 1))
        dbi_give(r, (column_stride(r) * dbi_u16(r, 36) + dbi_u16(r, 34)) * FRACTAL, 0,
                 bytes, bytes);
}

/* The source is compressed: a fractal takes less there. */
void dbi_expand_load_2d_dec(struct dbi_record *r)
{
    static const uint16_t sizes[] = {512, 128, 192, 256, 128};
    unsigned mode = dbi_u8(r, 44);
    uint64_t rows = dbi_u8(r, 42), columns = dbi_u8(r, 43);
    uint64_t size = mode < COUNT(sizes) ? sizes[mode] : FRACTAL;

    dbi_memories(r, dbi_u8(r, 46), dbi_u8(r, 45));
    if (!dbi_claim(r, rows, columns, 1))
        return;
    for (uint64_t k = 0; k < columns; k++)
        for (uint64_t m = 0; m < rows; m++)
            dbi_give(r,
                     (column_stride(r) * (dbi_u16(r, 36) + k) + dbi_u16(r, 34) + m) *
                         size,
                     (k * dbi_u16(r, 38) + m) * FRACTAL, size, FRACTAL);
}

void dbi_expand_load_mx_2d(struct dbi_record *r)
{
    uint64_t bytes = (uint64_t)dbi_u8(r, 42) * dbi_u8(r, 43) * PIECE;

    dbi_memories(r, dbi_u8(r, 45), dbi_u8(r, 44));
    if (dbi_claim(r, 1, 1, 1))
        dbi_give(r,
                 ((uint64_t)dbi_u16(r, 40) * dbi_u16(r, 34) + dbi_u16(r, 36)) * PIECE,
                 0, bytes, bytes);
}

void dbi_expand_set_2d(struct dbi_record *r)
{
    uint64_t repeat = dbi_u16(r, 34), bytes = (dbi_u16(r, 38) + dbi_u16(r, 36)) * PIECE;

    dbi_memories(r, dbi_u8(r, 41), dbi_u8(r, 40));
    if (!dbi_claim(r, repeat, 1, 1))
        return;
    for (uint64_t i = 0; i < repeat; i++)
        dbi_give(r, 0, i * bytes, 0, bytes);
}
