/* matmul_custom_kernel.c - c = a x b + bias: the cube multiplies, two vector cores add
 *
 * A block has a range of rows, which its cube processes in tiles. Rows become fractals
 * on their way into L1 and are multiplied in L0A and L0B. The sums leave L0C for the
 * work space, where each vector core reads half of the rows. Elements have 32 bits, so
 * a fractal is 16 rows of 8. */
#include <npu_sim/copies.h>
#include <npu_sim/kernel.h>
#include <npu_sim/work.h>

#define TILE   128 /* rows and columns of a tile of c */
#define TILE_K 64
#define L1_B   32768 /* offset of the tile of b in L1 */
#define UB_ROWS                                                                        \
    65536 /* bytes of rows that are processed together in the unified buffer */
#define STAMP_CUBE  0x10000u
#define STAMP_BIAS  0x10001u
#define LEAST(a, b) ((a) < (b) ? (a) : (b))

struct tiling {
    uint32_t m, n, k;
};

struct args {
    const float *a, *b, *bias;
    float *work, *c;
    const struct tiling *tiling;
};

npu_sim_body_fn matmul_custom;

static uint32_t up(uint32_t value, uint32_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static uint64_t row_of(uint64_t block, uint32_t blocks, uint32_t rows)
{
    return (uint64_t)rows * block / blocks;
}

/* Rows of a vector core's half: from the first of sub-block 0 to the last of sub-block
 * 1. */
static uint64_t
half_of(uint32_t block, uint32_t blocks, uint32_t sub, const struct tiling *tiling)
{
    uint64_t from = row_of(block, blocks, tiling->m);
    uint64_t to = row_of(block + 1ull, blocks, tiling->m);

    return from + (to - from) * sub / 2;
}

/* One cube instruction: sums += left x right, all as fractals. */
NPU_SIM_INTRINSIC void multiply(float *sums,
                                const float *left,
                                const float *right,
                                uint32_t rows,
                                uint32_t columns,
                                uint32_t depth)
{
    uint32_t rows16 = up(rows, 16), depth16 = up(depth, 16);

    for (uint32_t j = 0; j < columns; j += 8)
        for (uint32_t i = 0; i < rows; i++) {
            float *sum = sums + ((size_t)(j / 16) * rows16 + i) * 16 + j % 16;
            const float *b = right + (size_t)(j / 8) * depth16 * 8;
            float acc[8];

            memcpy(acc, sum, sizeof(acc));
            for (uint32_t l = 0; l < depth; l++) {
                float a = left[((size_t)(l / 8) * rows16 + i) * 8 + l % 8];

                for (int e = 0; e < 8; e++)
                    acc[e] += a * b[(size_t)l * 8 + (size_t)e];
            }
            memcpy(sum, acc, sizeof(acc));
        }
}

NPU_SIM_INTRINSIC void clear(float *sums, size_t count)
{
    memset(sums, 0, count * sizeof(*sums));
}

struct tile {
    uint64_t row; /* of a and c */
    uint32_t column, rows, columns;
};

/* Adds the part of a tile's sums from the depth tile that begins at `l`. */
static void
add_depth(const struct args *args, const struct tile *tile, uint32_t l, float *sums)
{
    const struct tiling *t = args->tiling;
    uint32_t depth = LEAST(TILE_K, t->k - l);
    uint16_t rows = (uint16_t)tile->rows, columns = (uint16_t)tile->columns;
    uint32_t rows16 = up(tile->rows, 16), depth16 = up(depth, 16);
    uint32_t left = rows16 / 16 * (up(depth, 8) / 8); /* fractals */
    uint32_t right = depth16 / 16 * (up(tile->columns, 8) / 8);
    char *l1 = npu_sim_local(NPU_SIM_L1, 0, 2 * L1_B);
    float *l0a = npu_sim_local(NPU_SIM_L0A, 0, L1_B);
    float *l0b = npu_sim_local(NPU_SIM_L0B, 0, L1_B);

    npu_sim_nd2nz(npu_sim_at(NPU_SIM_L1, l1),
                  npu_sim_at(NPU_SIM_GM, args->a + tile->row * t->k + l), rows,
                  (uint16_t)depth, (uint16_t)t->k, (uint16_t)rows16);
    npu_sim_nd2nz(npu_sim_at(NPU_SIM_L1, l1 + L1_B),
                  npu_sim_at(NPU_SIM_GM, args->b + (uint64_t)l * t->n + tile->column),
                  (uint16_t)depth, columns, (uint16_t)t->n, (uint16_t)depth16);
    npu_sim_set_flag(NPU_SIM_PIPE_MTE2, NPU_SIM_PIPE_MTE1, 0);
    npu_sim_wait_flag(NPU_SIM_PIPE_MTE2, NPU_SIM_PIPE_MTE1, 0);
    npu_sim_load_2d(npu_sim_at(NPU_SIM_L0A, l0a), npu_sim_at(NPU_SIM_L1, l1), 0,
                    (uint8_t)left, 1, 1);
    npu_sim_load_2d(npu_sim_at(NPU_SIM_L0B, l0b), npu_sim_at(NPU_SIM_L1, l1 + L1_B), 0,
                    (uint8_t)right, 1, 1);
    npu_sim_set_flag(NPU_SIM_PIPE_MTE1, NPU_SIM_PIPE_CUBE, 0);
    npu_sim_wait_flag(NPU_SIM_PIPE_MTE1, NPU_SIM_PIPE_CUBE, 0);
    multiply(sums, l0a, l0b, tile->rows, tile->columns, depth);
    npu_sim_cube("MMAD", tile->rows, tile->columns, depth);
}

static void make_tile(const struct args *args, const struct tile *tile)
{
    const struct tiling *t = args->tiling;
    float *sums = npu_sim_local(NPU_SIM_L0C, 0, TILE * TILE * sizeof(float));
    float *out = args->work + tile->row * t->n + tile->column;

    clear(sums, TILE * TILE);
    for (uint32_t l = 0; l < t->k; l += TILE_K)
        add_depth(args, tile, l, sums);
    npu_sim_set_flag(NPU_SIM_PIPE_CUBE, NPU_SIM_PIPE_FIXP, 0);
    npu_sim_wait_flag(NPU_SIM_PIPE_CUBE, NPU_SIM_PIPE_FIXP, 0);
    npu_sim_mov_fp(npu_sim_at(NPU_SIM_GM, out), npu_sim_at(NPU_SIM_L0C, sums),
                   (uint16_t)tile->rows, (uint16_t)tile->columns,
                   (uint16_t)up(tile->rows, 16), t->n);
}

void matmul_custom(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    const struct args *args = bytes;
    const struct tiling *t = args->tiling;
    uint64_t to = row_of(block + 1ull, blocks, t->m);

    (void)size;
    npu_sim_stamp(STAMP_CUBE);
    for (uint64_t row = row_of(block, blocks, t->m); row < to; row += TILE)
        for (uint32_t column = 0; column < t->n; column += TILE) {
            struct tile tile = {row, column, (uint32_t)LEAST(TILE, to - row),
                                LEAST(TILE, t->n - column)};

            make_tile(args, &tile);
        }
    npu_sim_barrier();
    npu_sim_stamp(STAMP_CUBE);
}

NPU_SIM_INTRINSIC void
add_rows(float *rows, const float *bias, uint32_t count, uint32_t n, size_t step)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < n; j++)
            rows[i * step + j] += bias[j];
}

static void
add_bias(uint32_t block, uint32_t blocks, uint32_t sub, void *bytes, size_t size)
{
    const struct args *args = bytes;
    const struct tiling *t = args->tiling;
    uint64_t row = half_of(block, blocks, sub, t);
    uint64_t to = half_of(block, blocks, sub + 1, t);
    uint32_t row_bytes = t->n * (uint32_t)sizeof(float), step = up(row_bytes, 32);
    uint32_t at_once = UB_ROWS / step; /* n is at most 8192: two rows fit */
    char *ub = npu_sim_local(NPU_SIM_UB, 0, UB_ROWS + step);
    float *bias = (float *)(void *)(ub + UB_ROWS), *rows = (float *)(void *)ub;

    (void)size;
    if (half_of(block, blocks, 0, t) == half_of(block, blocks, 2, t))
        return; /* more blocks than rows */
    npu_sim_stamp(STAMP_BIAS);
    npu_sim_mov_align(npu_sim_at(NPU_SIM_UB, bias), npu_sim_at(NPU_SIM_GM, args->bias),
                      1, row_bytes, 0, 0);
    for (; row < to; row += at_once) {
        uint16_t count = (uint16_t)LEAST(at_once, to - row);

        npu_sim_mov_align(npu_sim_at(NPU_SIM_UB, rows),
                          npu_sim_at(NPU_SIM_GM, args->work + row * t->n), count,
                          row_bytes, 0, 0);
        npu_sim_set_flag(NPU_SIM_PIPE_MTE2, NPU_SIM_PIPE_VECTOR, 0);
        npu_sim_wait_flag(NPU_SIM_PIPE_MTE2, NPU_SIM_PIPE_VECTOR, 0);
        add_rows(rows, bias, count, t->n, step / sizeof(float));
        npu_sim_vector("VADD", (uint64_t)count * t->n, sizeof(float));
        npu_sim_set_flag(NPU_SIM_PIPE_VECTOR, NPU_SIM_PIPE_MTE3, 0);
        npu_sim_wait_flag(NPU_SIM_PIPE_VECTOR, NPU_SIM_PIPE_MTE3, 0);
        npu_sim_mov_align(npu_sim_at(NPU_SIM_GM, args->c + row * t->n),
                          npu_sim_at(NPU_SIM_UB, rows), count, row_bytes, 0, 0);
    }
    npu_sim_barrier();
    npu_sim_stamp(STAMP_BIAS);
}

static uint64_t tiles(uint64_t count, uint32_t tile)
{
    return (count + tile - 1) / tile;
}

/* Returns `count` with its last, incomplete tile rounded up to whole fractals. */
static uint64_t rounded(uint64_t count, uint32_t tile, uint32_t unit)
{
    return count / tile * tile + up((uint32_t)(count % tile), unit);
}

static void cost_of_cube(uint64_t from,
                         uint64_t rows,
                         const struct args *args,
                         struct npu_sim_core_cost *core)
{
    const struct tiling *t = args->tiling;
    uint64_t left = rows * t->k * 4, right = (uint64_t)t->k * t->n * 4;
    uint32_t row_tiles = (uint32_t)tiles(rows, TILE);
    uint32_t column_tiles = (uint32_t)tiles(t->n, TILE);

    core->cube_fp_ops = 2 * rows * t->n * t->k;
    core->l1_to_l0a_bytes =
        rounded(rows, TILE, 16) * rounded(t->k, TILE_K, 8) * 4 * column_tiles;
    core->l1_to_l0b_bytes =
        rounded(t->k, TILE_K, 16) * rounded(t->n, TILE, 8) * 4 * row_tiles;
    core->scalar_instructions = 600;
    core->access_count = 3;
    core->access[0] = (struct npu_sim_access){args->a + from * t->k, left, column_tiles,
                                              NPU_SIM_GM_TO_L1};
    core->access[1] =
        (struct npu_sim_access){args->b, right, row_tiles, NPU_SIM_GM_TO_L1};
    core->access[2] = (struct npu_sim_access){args->work + from * t->n, rows * t->n * 4,
                                              1, NPU_SIM_L0C_TO_GM};
}

static void cost_of_vector(uint64_t from,
                           uint64_t rows,
                           const struct args *args,
                           struct npu_sim_core_cost *core)
{
    uint64_t n = args->tiling->n, moved = rows * n * 4;

    core->vector_fp32 = rows * n;
    core->scalar_instructions = 200;
    core->access_count = 3;
    core->access[0] =
        (struct npu_sim_access){args->work + from * n, moved, 1, NPU_SIM_GM_TO_UB};
    core->access[1] = (struct npu_sim_access){args->bias, n * 4, 1, NPU_SIM_GM_TO_UB};
    core->access[2] =
        (struct npu_sim_access){args->c + from * n, moved, 1, NPU_SIM_UB_TO_GM};
}

static void cost(uint32_t block,
                 uint32_t blocks,
                 const void *bytes,
                 size_t size,
                 struct npu_sim_block_cost *out)
{
    const struct args *args = bytes;
    uint64_t from = half_of(block, blocks, 0, args->tiling);
    uint64_t middle = half_of(block, blocks, 1, args->tiling);
    uint64_t to = half_of(block, blocks, 2, args->tiling);

    (void)size;
    if (from == to) /* more blocks than rows */
        return;
    cost_of_cube(from, to - from, args, &out->cube);
    cost_of_vector(from, middle - from, args, &out->vector[0]);
    cost_of_vector(middle, to - middle, args, &out->vector[1]);
}

/* The counted part: the multiplications, and on the vector cores the additions. */
static void cost_of_compute(uint32_t block,
                            uint32_t blocks,
                            const void *bytes,
                            size_t size,
                            struct npu_sim_block_cost *out)
{
    const struct args *args = bytes;
    uint64_t from = half_of(block, blocks, 0, args->tiling);
    uint64_t middle = half_of(block, blocks, 1, args->tiling);
    uint64_t to = half_of(block, blocks, 2, args->tiling);
    uint64_t n = args->tiling->n;

    (void)size;
    out->cube.cube_fp_ops = 2 * (to - from) * n * args->tiling->k;
    out->vector[0].vector_fp32 = (middle - from) * n;
    out->vector[1].vector_fp32 = (to - middle) * n;
}

npu_sim_cost_fn *const matmul_custom_counted = cost_of_compute;

const struct npu_sim_kernel matmul_custom_sim = {
    .size = sizeof(struct npu_sim_kernel),
    .kind = NPU_SIM_MIX,
    .cost = cost,
    .vector = add_bias,
};
