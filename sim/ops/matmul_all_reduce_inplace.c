/* matmul_all_reduce_inplace.c - residual += sum over all ranks of x1 x x2, and its norm
 *
 * The residual is input and output, so an extra run of a launch makes the result wrong.
 * With --marked each launch is in a range "step", between two in-place sums over all
 * ranks. */
#include <aclnnop/aclnn_inplace_matmul_all_reduce_add_rms_norm.h>
#include <math.h>
#include <mstx/ms_tools_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "ranks.h"

#define SYNC_MS       10000
#define EPSILON       1e-5
#define RESIDUAL_SALT 1001
#define GAMMA_SALT    1003

static uint32_t m = 32, n = 128, k = 64, launches = 1, marked, type = MATRIX_FP16;

struct operands {
    struct matrix x1, x2, residual, gamma, norm;
    void *sum; /* a number that each in-place sum multiplies by the number of ranks */
};

static void add_up(const struct rank *rank, const struct operands *all)
{
    HCHECK(HcclAllReduce(all->sum, all->sum, 1, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM,
                         rank->comm, rank->stream));
}

static void launch(const struct rank *rank, struct operands *all)
{
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;
    void *workspace = NULL;
    mstxRangeId range = 0;

    NCHECK(aclnnInplaceMatmulAllReduceAddRmsNormGetWorkspaceSize(
        all->x1.tensor, all->x2.tensor, NULL, all->residual.tensor, all->gamma.tensor,
        EPSILON, rank->group, "sum", 0, 1, all->norm.tensor, &size, &executor));
    if (size > 0)
        CHECK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    if (marked) {
        range = mstxRangeStartA("step", rank->stream);
        add_up(rank, all);
    }
    NCHECK(
        aclnnInplaceMatmulAllReduceAddRmsNorm(workspace, size, executor, rank->stream));
    if (marked) {
        add_up(rank, all);
        mstxRangeEnd(range);
    }
    CHECK(aclrtSynchronizeStreamWithTimeout(rank->stream, SYNC_MS));
    if (workspace)
        CHECK(aclrtFree(workspace));
}

/* Checks the norm of the actual residual; errors of the residual itself are already
 * counted. */
static size_t count_wrong_norm(const struct operands *all, uint32_t row)
{
    double squares = 0, scale;
    size_t wrong = 0;

    for (uint32_t j = 0; j < n; j++)
        squares += (double)matrix_at(&all->residual, row, j) *
                   matrix_at(&all->residual, row, j);
    scale = 1 / sqrt(squares / n + EPSILON);
    for (uint32_t j = 0; j < n; j++) {
        double exact =
            matrix_at(&all->residual, row, j) * scale * matrix_at(&all->gamma, 0, j);

        wrong += !matrix_is_close(all->norm.type, matrix_at(&all->norm, row, j), exact,
                                  fabs(exact) + 1e-6, 2);
    }
    return wrong;
}

static size_t count_wrong(const struct operands *all, uint32_t ranks)
{
    struct matrix_sum *sums = (struct matrix_sum *)program_alloc(n * sizeof(*sums));
    size_t wrong = 0;

    for (uint32_t row = 0; row < m; row++) {
        memset(sums, 0, n * sizeof(*sums));
        for (uint32_t rank = 0; rank < ranks; rank++)
            matrix_add_product(sums, rank, row, rank, k, n);
        for (uint32_t j = 0; j < n; j++) {
            sums[j].value =
                sums[j].value * launches + matrix_value(RESIDUAL_SALT, row, j);
            sums[j].size = sums[j].size * launches + 2;
        }
        wrong += matrix_count_wrong(&all->residual, row, sums, 2 + launches);
        wrong += count_wrong_norm(all, row);
    }
    free(sums);
    return wrong;
}

static size_t is_wrong_sum(const struct operands *all, uint32_t ranks)
{
    float sum, wanted = 1;

    for (uint32_t i = 0; marked && i < 2 * launches; i++)
        wanted *= (float)ranks;
    program_download(&sum, all->sum, sizeof(sum));
    return sum != wanted;
}

static void run(struct rank *rank)
{
    const float one = 1;
    enum matrix_type kind = (enum matrix_type)type;
    struct operands all;
    int64_t length = n;

    matrix_open(&all.x1, kind, m, k, MATRIX_LEFT(rank->rank));
    matrix_open(&all.x2, kind, k, n, MATRIX_RIGHT(rank->rank));
    matrix_open(&all.residual, kind, m, n, RESIDUAL_SALT);
    matrix_open(&all.gamma, kind, 1, n, GAMMA_SALT);
    matrix_open(&all.norm, kind, m, n, 0);
    aclDestroyTensor(all.gamma.tensor); /* gamma is a vector, not a matrix of one row */
    all.gamma.tensor =
        aclCreateTensor(&length, 1, type == MATRIX_BF16 ? ACL_BF16 : ACL_FLOAT16, NULL,
                        0, ACL_FORMAT_ND, &length, 1, all.gamma.device);
    all.sum = program_upload(&one, sizeof(one));
    for (uint32_t i = 0; i < launches; i++)
        if (ranks_may_launch(rank, i))
            launch(rank, &all);
    matrix_download(&all.residual);
    matrix_download(&all.norm);
    rank->wrong = count_wrong(&all, rank->count) + is_wrong_sum(&all, rank->count);
    rank->checksum = matrix_checksum(&all.residual) ^ matrix_checksum(&all.norm);
    matrix_close(&all.x1);
    matrix_close(&all.x2);
    matrix_close(&all.residual);
    matrix_close(&all.gamma);
    matrix_close(&all.norm);
    CHECK(aclrtFree(all.sum));
}

static void describe(char *shape, size_t size)
{
    snprintf(shape, size, "m=%u n=%u k=%u dtype=%s launches=%u", m, n, k,
             matrix_types[type], launches);
}

int main(int argc, char **argv)
{
    const struct option_row rows[] = {
        {"--m", &m, 1, 8192, "rows of x1"},
        {"--n", &n, 1, 8192, "columns of x2"},
        {"--k", &k, 1, 8192, "columns of x1"},
        {"--launches", &launches, 1, 1u << 20, "number of launches"},
        {"--marked", &marked, 0, 1, "1: put each launch into a range, between sums"},
    };
    const struct ranks_program program = {
        "matmul_all_reduce_inplace",
        "residual += the sum over all ranks of x1 x x2; --dtype fp16 or bf16", run,
        describe};

    (void)argc;
    program_word(program.name, "--dtype", matrix_types, &type, argv);
    return ranks_main(&program, rows, sizeof(rows) / sizeof(rows[0]), argv);
}
