/* allto_all_matmul.c - each rank sends every rank a part of its rows; the parts of all
 * ranks, side by side, are multiplied with x2 */
#include <aclnnop/aclnn_allto_all_matmul.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "ranks.h"

#define SYNC_MS 10000

/* m: rows of the output, so that x1 can be divided among any number of ranks */
static uint32_t m = 16, n = 64, k = 32, launches = 1, type = MATRIX_FP16;

static void launch(const struct rank *rank,
                   struct matrix *x1,
                   struct matrix *x2,
                   struct matrix *output)
{
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;
    void *workspace = NULL;

    NCHECK(aclnnAlltoAllMatmulGetWorkspaceSize(x1->tensor, x2->tensor, NULL, NULL,
                                               rank->group, false, false,
                                               output->tensor, NULL, &size, &executor));
    if (size > 0)
        CHECK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    NCHECK(aclnnAlltoAllMatmul(workspace, size, executor, rank->stream));
    CHECK(aclrtSynchronizeStreamWithTimeout(rank->stream, SYNC_MS));
    if (workspace)
        CHECK(aclrtFree(workspace));
}

/* Columns i x k and following of a row came from rank i. */
static size_t count_wrong(const struct rank *rank, const struct matrix *output)
{
    struct matrix_sum *sums = (struct matrix_sum *)program_alloc(n * sizeof(*sums));
    size_t wrong = 0;

    for (uint32_t row = 0; row < m; row++) {
        memset(sums, 0, n * sizeof(*sums));
        for (uint32_t l = 0; l < k * rank->count; l++) {
            float left = matrix_value(MATRIX_LEFT(l / k), rank->rank * m + row, l % k);

            for (uint32_t j = 0; j < n; j++) {
                float term = left * matrix_value(MATRIX_RIGHT(rank->rank), l, j);

                sums[j].value += term;
                sums[j].size += term < 0 ? -term : term;
            }
        }
        wrong += matrix_count_wrong(output, row, sums, 1);
    }
    free(sums);
    return wrong;
}

static void run(struct rank *rank)
{
    enum matrix_type kind = (enum matrix_type)type;
    struct matrix x1, x2, output;

    matrix_open(&x1, kind, m * rank->count, k, MATRIX_LEFT(rank->rank));
    matrix_open(&x2, kind, k * rank->count, n, MATRIX_RIGHT(rank->rank));
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
        "allto_all_matmul",
        "parts of the rows of all ranks, side by side, x x2; --dtype fp16 or bf16", run,
        describe};

    (void)argc;
    program_word(program.name, "--dtype", matrix_types, &type, argv);
    return ranks_main(&program, rows, sizeof(rows) / sizeof(rows[0]), argv);
}
