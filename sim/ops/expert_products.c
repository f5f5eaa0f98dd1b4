/* expert_products.c - rows go to the ranks of their experts, are multiplied there, and
 * return multiplied a second time
 *
 * Two fused operators: an all-to-all of different lengths and grouped products, and the
 * same backwards. Rank r sends expert g (r + g) % 3 x --rows rows, so some experts get
 * none from some ranks. */
#include <aclnnop/aclnn_allto_allv_grouped_mat_mul.h>
#include <aclnnop/aclnn_grouped_mat_mul_allto_allv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "ranks.h"

#define COUNTS (RANKS_MAX * 16)

static uint32_t rows = 4, hidden = 16, inner = 8, experts = 2, launches = 1;

static uint32_t rows_from(uint32_t rank, uint32_t expert)
{
    return (rank + expert) % 3 * rows;
}

/* Rows between this rank and each expert, as both operators want them: [rank][expert].
 */
struct counts {
    int64_t sent[COUNTS], received[COUNTS];
    uint32_t sent_rows, received_rows;
    aclIntArray *sends, *receives;
};

static void count_rows(const struct rank *rank, struct counts *counts)
{
    counts->sent_rows = counts->received_rows = 0;
    for (uint32_t other = 0; other < rank->count; other++)
        for (uint32_t j = 0; j < experts; j++) {
            uint32_t at = other * experts + j;

            counts->sent[at] = rows_from(rank->rank, at);
            counts->received[at] = rows_from(other, rank->rank * experts + j);
            counts->sent_rows += (uint32_t)counts->sent[at];
            counts->received_rows += (uint32_t)counts->received[at];
        }
    counts->sends = aclCreateIntArray(counts->sent, (uint64_t)rank->count * experts);
    counts->receives =
        aclCreateIntArray(counts->received, (uint64_t)rank->count * experts);
}

static void send(const struct rank *rank,
                 struct counts *counts,
                 struct matrix *x,
                 struct stack *weights,
                 struct matrix *y)
{
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;
    void *workspace;

    NCHECK(aclnnAlltoAllvGroupedMatMulGetWorkspaceSize(
        x->tensor, weights->tensor, NULL, NULL, NULL, NULL, rank->group, rank->count,
        counts->sends, counts->receives, false, false, false, y->tensor, NULL, NULL,
        &size, &executor));
    workspace = ranks_workspace(size);
    NCHECK(aclnnAlltoAllvGroupedMatMul(workspace, size, executor, rank->stream));
    ranks_finish(rank, workspace);
}

static void give_back(const struct rank *rank,
                      struct counts *counts,
                      struct matrix *x,
                      struct stack *weights,
                      struct matrix *y)
{
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;
    void *workspace;

    NCHECK(aclnnGroupedMatMulAlltoAllvGetWorkspaceSize(
        x->tensor, weights->tensor, NULL, NULL, NULL, NULL, rank->group, rank->count,
        counts->receives, counts->sends, false, false, y->tensor, NULL, &size,
        &executor));
    workspace = ranks_workspace(size);
    NCHECK(aclnnGroupedMatMulAlltoAllv(workspace, size, executor, rank->stream));
    ranks_finish(rank, workspace);
}

/* The rows of this rank are ordered by rank, then by expert. */
static size_t count_wrong(const struct rank *rank, const struct matrix *out)
{
    struct matrix_sum *sums =
        (struct matrix_sum *)program_alloc((hidden + inner) * sizeof(*sums));
    double *left = (double *)program_alloc((hidden + inner) * sizeof(*left));
    size_t wrong = 0;
    uint32_t row = 0;

    for (uint32_t at = 0; at < rank->count * experts; at++) {
        uint32_t owner = at / experts, j = at % experts;

        for (uint32_t i = 0; i < rows_from(rank->rank, at); i++, row++) {
            for (uint32_t l = 0; l < hidden; l++)
                left[l] = matrix_value(MATRIX_LEFT(rank->rank), row, l);
            memset(sums, 0, inner * sizeof(*sums));
            matrix_add_row(sums, left, hidden, MATRIX_RIGHT(owner), j * hidden, inner);
            for (uint32_t l = 0; l < inner; l++)
                left[l] = sums[l].value;
            memset(sums, 0, hidden * sizeof(*sums));
            matrix_add_row(sums, left, inner, MATRIX_RIGHT(owner) + 1000, j * inner,
                           hidden);
            wrong += matrix_count_wrong(out, row, sums, 2);
        }
    }
    free(sums);
    free(left);
    return wrong;
}

static void run(struct rank *rank)
{
    struct stack first, second;
    struct matrix x, middle, out;
    struct counts counts;

    count_rows(rank, &counts);
    matrix_open(&x, MATRIX_FP16, counts.sent_rows, hidden, MATRIX_LEFT(rank->rank));
    matrix_open(&middle, MATRIX_FP16, counts.received_rows, inner, 0);
    matrix_open(&out, MATRIX_FP16, counts.sent_rows, hidden, 0);
    stack_open(&first, MATRIX_FP16, experts, hidden, inner, MATRIX_RIGHT(rank->rank));
    stack_open(&second, MATRIX_FP16, experts, inner, hidden,
               MATRIX_RIGHT(rank->rank) + 1000);
    for (uint32_t i = 0; i < launches; i++) {
        if (!ranks_may_launch(rank, i))
            continue;
        send(rank, &counts, &x, &first, &middle);
        give_back(rank, &counts, &middle, &second, &out);
    }
    matrix_download(&out);
    rank->wrong = count_wrong(rank, &out);
    rank->checksum = matrix_checksum(&out);
    stack_close(&first);
    stack_close(&second);
    matrix_close(&x);
    matrix_close(&middle);
    matrix_close(&out);
    NCHECK(aclDestroyIntArray(counts.sends));
    NCHECK(aclDestroyIntArray(counts.receives));
}

static void describe(char *shape, size_t size)
{
    snprintf(shape, size, "rows=%u hidden=%u inner=%u experts=%u launches=%u", rows,
             hidden, inner, experts, launches);
}

int main(int argc, char **argv)
{
    const struct option_row options[] = {
        {"--rows", &rows, 1, 256, "rows for an expert, times 0, 1 or 2"},
        {"--hidden", &hidden, 1, 4096, "width of a row"},
        {"--inner", &inner, 1, 4096, "width of a row between the products"},
        {"--experts", &experts, 1, 16, "experts of each rank"},
        {"--launches", &launches, 1, 1u << 20, "number of launches of both"},
    };
    const struct ranks_program program = {
        "expert_products",
        "rows go to their experts, are multiplied, and return; needs an A3", run,
        describe};

    (void)argc;
    return ranks_main(&program, options, sizeof(options) / sizeof(options[0]), argv);
}
