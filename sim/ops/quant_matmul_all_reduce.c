/* quant_matmul_all_reduce.c - the sum over all ranks of x1 x x2, with 16-bit factors,
 * 8-bit weights, or 8 bits in both
 *
 * The values are whole numbers and the scales powers of two, so all forms have the same
 * result; their costs differ. */
#include <aclnnop/aclnn_matmul_all_reduce.h>
#include <aclnnop/aclnn_quant_matmul_all_reduce.h>
#include <aclnnop/aclnn_weight_quant_matmul_all_reduce.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "ranks.h"

#define SYNC_MS 10000

enum quant { QUANT_NONE, QUANT_WEIGHT, QUANT_FULL };

static const char *const quants[] = {"none", "weight", "full", NULL};
static uint32_t m = 32, n = 64, k = 128, launches = 1, quant;

static void
open_bytes(struct buffer *factor, uint32_t rows, uint32_t columns, uint32_t salt)
{
    int64_t dims[2];
    int8_t *bytes = (int8_t *)program_alloc((size_t)rows * columns);

    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++)
            bytes[(size_t)i * columns + j] = (int8_t)matrix_value(salt, i, j);
    dims[0] = rows;
    dims[1] = columns;
    buffer_open(factor, ACL_INT8, 1, dims, 2, bytes);
    free(bytes);
}

/* Scales of 1 for each column, in the type that the operator requires. */
static void open_scales(struct buffer *factor)
{
    int64_t count = n;
    uint64_t *wide = (uint64_t *)program_alloc(n * sizeof(*wide));
    uint16_t *half = (uint16_t *)(void *)wide;

    for (uint32_t j = 0; j < n; j++) {
        if (quant == QUANT_FULL)
            wide[j] = 0x3F800000; /* a float in the low half */
        else
            half[j] = 0x3C00;
    }
    if (quant == QUANT_FULL)
        buffer_open(factor, ACL_UINT64, sizeof(*wide), &count, 1, wide);
    else
        buffer_open(factor, ACL_FLOAT16, sizeof(*half), &count, 1, half);
    free(wide);
}

struct product {
    struct matrix left, right, output;
    struct buffer bytes_left, bytes_right, scales;
};

static void open_product(const struct rank *rank, struct product *product)
{
    matrix_open(&product->output, MATRIX_FP16, m, n, 0);
    if (quant == QUANT_FULL)
        open_bytes(&product->bytes_left, m, k, MATRIX_LEFT(rank->rank));
    else
        matrix_open(&product->left, MATRIX_FP16, m, k, MATRIX_LEFT(rank->rank));
    if (quant == QUANT_NONE) {
        matrix_open(&product->right, MATRIX_FP16, k, n, MATRIX_RIGHT(rank->rank));
        return;
    }
    open_bytes(&product->bytes_right, k, n, MATRIX_RIGHT(rank->rank));
    open_scales(&product->scales);
}

static void close_product(struct product *product)
{
    matrix_close(&product->output);
    if (quant == QUANT_FULL)
        buffer_close(&product->bytes_left);
    else
        matrix_close(&product->left);
    if (quant == QUANT_NONE) {
        matrix_close(&product->right);
        return;
    }
    buffer_close(&product->bytes_right);
    buffer_close(&product->scales);
}

static void prepare(const struct rank *rank,
                    struct product *p,
                    uint64_t *size,
                    aclOpExecutor **executor)
{
    if (quant == QUANT_NONE)
        NCHECK(aclnnMatmulAllReduceGetWorkspaceSize(p->left.tensor, p->right.tensor,
                                                    NULL, rank->group, "sum", 0, 1,
                                                    p->output.tensor, size, executor));
    else if (quant == QUANT_WEIGHT)
        NCHECK(aclnnWeightQuantMatmulAllReduceGetWorkspaceSize(
            p->left.tensor, p->bytes_right.tensor, NULL, p->scales.tensor, NULL, NULL,
            rank->group, "sum", 0, 1, 0, p->output.tensor, size, executor));
    else
        NCHECK(aclnnQuantMatmulAllReduceGetWorkspaceSize(
            p->bytes_left.tensor, p->bytes_right.tensor, NULL, NULL, p->scales.tensor,
            rank->group, "sum", 0, 1, p->output.tensor, size, executor));
}

static void launch(const struct rank *rank, struct product *product)
{
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;
    void *workspace = NULL;

    prepare(rank, product, &size, &executor);
    if (size > 0)
        CHECK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    if (quant == QUANT_NONE)
        NCHECK(aclnnMatmulAllReduce(workspace, size, executor, rank->stream));
    else if (quant == QUANT_WEIGHT)
        NCHECK(
            aclnnWeightQuantMatmulAllReduce(workspace, size, executor, rank->stream));
    else
        NCHECK(aclnnQuantMatmulAllReduce(workspace, size, executor, rank->stream));
    CHECK(aclrtSynchronizeStreamWithTimeout(rank->stream, SYNC_MS));
    if (workspace)
        CHECK(aclrtFree(workspace));
}

static size_t count_wrong(const struct rank *rank, const struct matrix *output)
{
    struct matrix_sum *sums = (struct matrix_sum *)program_alloc(n * sizeof(*sums));
    size_t wrong = 0;

    for (uint32_t row = 0; row < m; row++) {
        memset(sums, 0, n * sizeof(*sums));
        for (uint32_t other = 0; other < rank->count; other++)
            matrix_add_product(sums, other, row, other, k, n);
        wrong += matrix_count_wrong(output, row, sums, 1 + rank->count);
    }
    free(sums);
    return wrong;
}

static void run(struct rank *rank)
{
    struct product product;

    open_product(rank, &product);
    for (uint32_t i = 0; i < launches; i++)
        if (ranks_may_launch(rank, i))
            launch(rank, &product);
    matrix_download(&product.output);
    rank->wrong = count_wrong(rank, &product.output);
    rank->checksum = matrix_checksum(&product.output);
    close_product(&product);
}

static void describe(char *shape, size_t size)
{
    snprintf(shape, size, "m=%u n=%u k=%u quant=%s launches=%u", m, n, k, quants[quant],
             launches);
}

int main(int argc, char **argv)
{
    const struct option_row rows[] = {
        {"--m", &m, 1, 8192, "rows of x1"},
        {"--n", &n, 1, 8192, "columns of x2"},
        {"--k", &k, 1, 8192, "columns of x1"},
        {"--launches", &launches, 1, 1u << 20, "number of launches"},
    };
    const struct ranks_program program = {
        "quant_matmul_all_reduce",
        "sum over all ranks of x1 x x2; --quant none, weight (8-bit x2) or full", run,
        describe};

    (void)argc;
    program_word(program.name, "--quant", quants, &quant, argv);
    return ranks_main(&program, rows, sizeof(rows) / sizeof(rows[0]), argv);
}
