/* matmul_reduce_scatter.c - output = this rank's rows of the sum over all ranks of x1 x
 * x2 */
#include <aclnnop/aclnn_matmul_reduce_scatter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "ranks.h"

#define SYNC_MS 10000

/* m: rows of the output, so that x1 can be divided among any number of ranks */
static uint32_t m = 16, n = 128, k = 64, launches = 1, type = MATRIX_FP16;

static void launch(const struct rank *rank,
                   struct matrix *x1,
                   struct matrix *x2,
                   struct matrix *output)
{
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;
    void *workspace = NULL;

    NCHECK(aclnnMatmulReduceScatterGetWorkspaceSize(x1->tensor, x2->tensor, NULL,
                                                    rank->group, "sum", 0, 1,
                                                    output->tensor, &size, &executor));
    if (size > 0)
        CHECK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    NCHECK(aclnnMatmulReduceScatter(workspace, size, executor, rank->stream));
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
            matrix_add_product(sums, other, rank->rank * m + row, other, k, n);
        wrong += matrix_count_wrong(output, row, sums, 2);
    }
    free(sums);
    return wrong;
}

static void run(struct rank *rank)
{
    enum matrix_type kind = (enum matrix_type)type;
    struct matrix x1, x2, output;

    matrix_open(&x1, kind, m * rank->count, k, MATRIX_LEFT(rank->rank));
    matrix_open(&x2, kind, k, n, MATRIX_RIGHT(rank->rank));
    matrix_open(&output, kind, m, n, 0);
    for (uint32_t i = 0; i < launches; i++)
        if (ranks_may_launch(rank, i))
            launch(rank, &x1, &x2, &output);
    matrix_download(&output);
    rank->wrong = count_wrong(rank, &output);
    rank->checksum = matrix_checksum(&output);
    matrix_close(&x1);
    matrix_close(&x2);
    matrix_close(&output);
}

static void describe(char *shape, size_t size)
{
    snprintf(shape, size, "m=%u n=%u k=%u dtype=%s launches=%u", m, n, k,
             matrix_types[type], launches);
}

int main(int argc, char **argv)
{
    const struct option_row rows[] = {
        {"--m", &m, 1, 8192, "rows of the output"},
        {"--n", &n, 1, 8192, "columns of x2"},
        {"--k", &k, 1, 8192, "columns of x1"},
        {"--launches", &launches, 1, 1u << 20, "number of launches"},
    };
    const struct ranks_program program = {
        "matmul_reduce_scatter",
        "a rank's rows of the sum of x1 x x2; --dtype fp16 or bf16", run, describe};

    (void)argc;
    program_word(program.name, "--dtype", matrix_types, &type, argv);
    return ranks_main(&program, rows, sizeof(rows) / sizeof(rows[0]), argv);
}
