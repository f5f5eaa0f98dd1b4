/* quant_reduce.c - the sum over all ranks of 8-bit values with a scale for each 128 of
 * them
 *
 * Each rank gets the whole sum, or its part of the rows. The values are whole numbers
 * and the scales multiples of 1/2, so the sums are exact. */
#include <aclnnop/aclnn_quant_all_reduce.h>
#include <aclnnop/aclnn_quant_reduce_scatter.h>
#include <stdio.h>
#include <stdlib.h>

#include "matrix.h"
#include "ranks.h"

#define BLOCK 128 /* values with one scale */

static const char *const forms[] = {"all", "scatter", NULL};
static uint32_t rows = 16, hidden = 1024, launches = 1, form;

static float scale_of(uint32_t rank, uint32_t row, uint32_t column)
{
    return 0.5f * (float)(1 + (rank + row + column / BLOCK) % 3);
}

static uint32_t rows_of_rank(const struct rank *rank)
{
    return form ? rows / rank->count : rows;
}

static void open_values(struct buffer *x, const struct rank *rank)
{
    int8_t *bytes = (int8_t *)program_alloc((size_t)rows * hidden);
    int64_t dims[2];

    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < hidden; j++)
            bytes[(size_t)i * hidden + j] =
                (int8_t)matrix_value(MATRIX_LEFT(rank->rank), i, j);
    dims[0] = rows;
    dims[1] = hidden;
    buffer_open(x, ACL_INT8, 1, dims, 2, bytes);
    free(bytes);
}

static void open_scales(struct buffer *scales, const struct rank *rank)
{
    uint32_t blocks = hidden / BLOCK;
    float *values = (float *)program_alloc((size_t)rows * blocks * sizeof(*values));
    int64_t dims[2];

    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < blocks; j++)
            values[(size_t)i * blocks + j] = scale_of(rank->rank, i, j * BLOCK);
    dims[0] = rows;
    dims[1] = blocks;
    buffer_open(scales, ACL_FLOAT, sizeof(*values), dims, 2, values);
    free(values);
}

static void launch(const struct rank *rank,
                   const struct buffer *x,
                   const struct buffer *scales,
                   struct matrix *out)
{
    aclOpExecutor *executor = NULL;
    void *workspace;
    uint64_t size = 0;

    if (form)
        NCHECK(aclnnQuantReduceScatterGetWorkspaceSize(x->tensor, scales->tensor,
                                                       rank->group, "sum", out->tensor,
                                                       &size, &executor));
    else
        NCHECK(aclnnQuantAllReduceGetWorkspaceSize(x->tensor, scales->tensor,
                                                   rank->group, "sum", out->tensor,
                                                   &size, &executor));
    workspace = ranks_workspace(size);
    if (form)
        NCHECK(aclnnQuantReduceScatter(workspace, size, executor, rank->stream));
    else
        NCHECK(aclnnQuantAllReduce(workspace, size, executor, rank->stream));
    ranks_finish(rank, workspace);
}

static size_t count_wrong(const struct rank *rank, const struct matrix *out)
{
    struct matrix_sum *sums =
        (struct matrix_sum *)program_alloc(hidden * sizeof(*sums));
    uint32_t first = form ? rank->rank * rows_of_rank(rank) : 0;
    size_t wrong = 0;

    for (uint32_t i = 0; i < out->rows; i++) {
        for (uint32_t j = 0; j < hidden; j++) {
            sums[j].value = sums[j].size = 0;
            for (uint32_t r = 0; r < rank->count; r++) {
                double term = (double)matrix_value(MATRIX_LEFT(r), first + i, j) *
                              (double)scale_of(r, first + i, j);

                sums[j].value += term;
                sums[j].size += term < 0 ? -term : term;
            }
        }
        wrong += matrix_count_wrong(out, i, sums, 1);
    }
    free(sums);
    return wrong;
}

static void run(struct rank *rank)
{
    struct buffer x, scales;
    struct matrix out;

    if (hidden % BLOCK || (form && rows % rank->count)) {
        fprintf(stderr,
                "quant_reduce: --hidden must be a multiple of %u, and with "
                "--form scatter --rows one of the number of ranks\n",
                BLOCK);
        exit(2);
    }
    open_values(&x, rank);
    open_scales(&scales, rank);
    matrix_open(&out, MATRIX_FP16, rows_of_rank(rank), hidden, 0);
    for (uint32_t i = 0; i < launches; i++)
        if (ranks_may_launch(rank, i))
            launch(rank, &x, &scales, &out);
    matrix_download(&out);
    rank->wrong = count_wrong(rank, &out);
    rank->checksum = matrix_checksum(&out);
    buffer_close(&x);
    buffer_close(&scales);
    matrix_close(&out);
}

static void describe(char *shape, size_t size)
{
    snprintf(shape, size, "form=%s rows=%u hidden=%u launches=%u", forms[form], rows,
             hidden, launches);
}

int main(int argc, char **argv)
{
    const struct option_row options[] = {
        {"--rows", &rows, 1, 4096, "rows of each rank"},
        {"--hidden", &hidden, 1024, 8192, "width of a row, a multiple of 128"},
        {"--launches", &launches, 1, 1u << 20, "number of launches"},
    };
    const struct ranks_program program = {
        "quant_reduce",
        "sum of 8-bit values with scales; --form all or scatter; needs a 950", run,
        describe};

    (void)argc;
    program_word(program.name, "--form", forms, &form, argv);
    return ranks_main(&program, options, sizeof(options) / sizeof(options[0]), argv);
}
