/* transfer_fractals.c - expands the records of instructions that move fractals
 *
 * A fractal is a tile of 512 bytes, the unit that the cube processes. Some instructions
 * copy fractals, others convert between plain matrices and fractals. */

#include "lib/base/mem.h"
#include "parsers/transfers/transfer_internal.h"

#define FRACTAL_BYTES 512ull
#define LINE_BYTES    32ull

void transfer_expand_load_2d(struct transfer_record *r)
{
    uint64_t base = record_u16(r, 34) * FRACTAL_BYTES,
             step = record_u16(r, 36) * FRACTAL_BYTES;
    uint64_t repeat = record_u8(r, 40);
    bool descends = record_u8(r, 43);

    record_set_memories(r, record_u8(r, 42), record_u8(r, 41));
    if (!record_reserve(r, repeat, 1, 1))
        return;
    r->src = saturating_add(r->src, base);
    for (uint64_t i = 0; i < repeat; i++) {
        uint64_t start = r->src, distance = i * step;

        if (descends) {
            r->src = start > distance ? start - distance : 0;
            distance = 0;
        }
        record_emit(r, distance, i * record_u16(r, 38) * FRACTAL_BYTES, FRACTAL_BYTES,
                    FRACTAL_BYTES);
        r->src = start;
    }
}

void transfer_expand_nd2nz(struct transfer_record *r)
{
    uint64_t matrices = record_u16(r, 32), rows = record_u16(r, 34);
    unsigned bits = element_bits(record_u8(r, 52));

    record_set_memories(r, record_u8(r, 50), record_u8(r, 51));
    if (!record_reserve(r, matrices, rows, 1))
        return;
    for (uint64_t m = 0; m < matrices; m++)
        for (uint64_t n = 0; n < rows; n++)
            record_emit(r, (m * record_u16(r, 38) + n * record_u16(r, 40)) * bits / 8,
                        m * record_u16(r, 46) * bits / 8 +
                            n * record_u16(r, 44) * LINE_BYTES,
                        (uint64_t)record_u16(r, 36) * bits / 8, LINE_BYTES);
}

/* Expands the matrix conversions of the 950. ND2NZ and DN2NZ have the same layout and
 * differ only in which field counts the rows. */
static void expand_nz_a5(struct transfer_record *r, uint64_t rows, uint64_t columns)
{
    uint64_t matrices = record_u16(r, 54), element = element_bits(record_u8(r, 67)) / 8;
    bool small = record_u8(r, 64);

    element = element ? element : 1;
    record_set_memories(r, record_u8(r, 65), record_u8(r, 66));
    if (!record_reserve(r, matrices, rows, 1))
        return;
    for (uint64_t h = 0; h < matrices; h++)
        for (uint64_t j = 0; j < rows; j++) {
            uint64_t src = saturating_add(saturating_mul(h, record_u64(r, 32)),
                                          saturating_mul(j, record_u64(r, 40)));
            uint64_t dst =
                h * record_u16(r, 60) * LINE_BYTES +
                (small ? j * 4 * element : j * record_u16(r, 56) * LINE_BYTES);

            record_emit(r, src, dst, columns * element,
                        small ? 4 * element : round_up_32(rows * element));
        }
}

void transfer_expand_dn2nz_a5(struct transfer_record *r)
{
    expand_nz_a5(r, record_u32(r, 48), record_u16(r, 52));
}

void transfer_expand_nd2nz_a5(struct transfer_record *r)
{
    expand_nz_a5(r, record_u16(r, 52), record_u32(r, 48));
}

/* fields of both fix-pipe records, which have them at different offsets */
struct fix_pipe {
    uint64_t dst_stride, src_stride, n, m, matrices, dst_matrix_stride;
    unsigned quant_bits;
    bool int8, int4, split, nz2nd;
};

static bool is_consistent(const struct fix_pipe *fix)
{
    unsigned unit = fix->int4 ? 64 : fix->split ? 8 : 16;

    if (fix->int8 + fix->int4 + fix->split + fix->nz2nd > 1 || fix->src_stride % 16)
        return false;
    return fix->nz2nd || fix->n % unit == 0;
}

static void emit_rows(struct transfer_record *r, const struct fix_pipe *fix)
{
    uint64_t row = fix->n * fix->quant_bits / 8;

    if (!record_reserve(r, fix->matrices, fix->m, 1))
        return;
    for (uint64_t d = 0; d < fix->matrices; d++)
        for (uint64_t i = 0; i < fix->m; i++)
            record_emit(r, 0,
                        (d * fix->dst_matrix_stride + i * fix->dst_stride) *
                            fix->quant_bits / 8,
                        row, row);
}

static void emit_columns(struct transfer_record *r, const struct fix_pipe *fix)
{
    uint64_t plain = (fix->n + 15) / 16, count = plain, size = fix->m * LINE_BYTES;
    bool has_odd_column = fix->int8 && plain % 2;

    if (fix->split)
        count = (fix->n + 7) / 8;
    else if (fix->int4)
        count = plain / 4;
    else if (fix->int8)
        count = plain / 2;
    else /* a column has 16 elements of quant_bits */
        size = size * fix->quant_bits / 16;
    if (!record_reserve(r, count + has_odd_column, 1, 1))
        return;
    for (uint64_t i = 0; i < count; i++)
        record_emit(r, 0, i * fix->dst_stride * LINE_BYTES, size, size);
    if (has_odd_column)
        record_emit(r, 0, count * fix->dst_stride * LINE_BYTES, size / 2, size / 2);
}

static void expand_fix_pipe(struct transfer_record *r, const struct fix_pipe *fix)
{
    if (fix->m == 0 || fix->n == 0 || (fix->nz2nd && fix->matrices == 0))
        return;
    if (!is_consistent(fix))
        record_reject(r);
    else if (fix->nz2nd)
        emit_rows(r, fix);
    else
        emit_columns(r, fix);
}

void transfer_expand_mov_fp(struct transfer_record *r)
{
    struct fix_pipe fix = {
        .dst_stride = record_u32(r, 32),
        .src_stride = record_u16(r, 36),
        .n = record_u16(r, 38),
        .m = record_u16(r, 40),
        .matrices = record_u16(r, 44),
        .dst_matrix_stride = record_u16(r, 46),
        .quant_bits = record_u16(r, 50),
        .int8 = record_u8(r, 53),
        .int4 = record_u8(r, 54),
        .split = record_u8(r, 55),
        .nz2nd = record_u8(r, 56),
    };

    record_set_memories(r, MEMORY_L0C, MEMORY_GM);
    expand_fix_pipe(r, &fix);
}

void transfer_expand_fix_pipe(struct transfer_record *r)
{
    struct fix_pipe fix = {
        .dst_stride = record_u32(r, 32),
        .src_stride = record_u32(r, 36),
        .n = record_u16(r, 40),
        .m = record_u16(r, 42),
        .matrices = record_u16(r, 46),
        .dst_matrix_stride = record_u16(r, 56),
        .quant_bits = record_u16(r, 60),
        .int8 = record_u8(r, 63),
        .int4 = record_u8(r, 64),
        .split = record_u8(r, 65),
        .nz2nd = record_u8(r, 66),
    };

    record_set_memories(r, record_u8(r, 69), record_u8(r, 68));
    expand_fix_pipe(r, &fix);
}

void transfer_expand_load_2d_transpose(struct transfer_record *r)
{
    uint64_t repeat = record_u8(r, 40);
    uint64_t src = record_u16(r, 38) * FRACTAL_BYTES,
             dst = record_u16(r, 36) * FRACTAL_BYTES;

    record_set_memories(r, record_u8(r, 42), record_u8(r, 41));
    if (!record_reserve(r, repeat, 1, 1))
        return;
    for (uint64_t i = 0; i < repeat; i++)
        record_emit(r, record_u16(r, 34) * FRACTAL_BYTES + i * src, i * dst, src, dst);
}

/* Returns the fractals from one column of fractals to the next. */
static uint64_t column_stride(const struct transfer_record *r)
{
    int stride = (int16_t)record_u16(r, 40);

    return (uint64_t)(stride < 0 ? -stride : stride);
}

void transfer_expand_load_2d_v2(struct transfer_record *r)
{
    uint64_t bytes = (uint64_t)record_u8(r, 42) * record_u8(r, 43) * FRACTAL_BYTES;

    record_set_memories(r, record_u8(r, 45), record_u8(r, 44));
    if (record_reserve(r, 1, 1, 1))
        record_emit(r,
                    (column_stride(r) * record_u16(r, 36) + record_u16(r, 34)) *
                        FRACTAL_BYTES,
                    0, bytes, bytes);
}

/* Expands a load of compressed fractals, which have fewer bytes in the source. */
void transfer_expand_load_2d_dec(struct transfer_record *r)
{
    static const uint16_t sizes[] = {512, 128, 192, 256, 128};
    unsigned mode = record_u8(r, 44);
    uint64_t rows = record_u8(r, 42), columns = record_u8(r, 43);
    uint64_t size = mode < COUNT(sizes) ? sizes[mode] : FRACTAL_BYTES;

    record_set_memories(r, record_u8(r, 46), record_u8(r, 45));
    if (!record_reserve(r, rows, columns, 1))
        return;
    for (uint64_t k = 0; k < columns; k++)
        for (uint64_t m = 0; m < rows; m++)
            record_emit(
                r,
                (column_stride(r) * (record_u16(r, 36) + k) + record_u16(r, 34) + m) *
                    size,
                (k * record_u16(r, 38) + m) * FRACTAL_BYTES, size, FRACTAL_BYTES);
}

void transfer_expand_load_mx_2d(struct transfer_record *r)
{
    uint64_t bytes = (uint64_t)record_u8(r, 42) * record_u8(r, 43) * LINE_BYTES;

    record_set_memories(r, record_u8(r, 45), record_u8(r, 44));
    if (record_reserve(r, 1, 1, 1))
        record_emit(
            r,
            ((uint64_t)record_u16(r, 40) * record_u16(r, 34) + record_u16(r, 36)) *
                LINE_BYTES,
            0, bytes, bytes);
}

void transfer_expand_set_2d(struct transfer_record *r)
{
    uint64_t repeat = record_u16(r, 34),
             bytes = (record_u16(r, 38) + record_u16(r, 36)) * LINE_BYTES;

    record_set_memories(r, record_u8(r, 41), record_u8(r, 40));
    if (!record_reserve(r, repeat, 1, 1))
        return;
    for (uint64_t i = 0; i < repeat; i++)
        record_emit(r, 0, i * bytes, 0, bytes);
}
