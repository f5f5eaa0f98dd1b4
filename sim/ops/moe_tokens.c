/* moe_tokens.c - a mixture of experts: tokens go to the ranks of their experts, each
 * expert doubles its rows, and each rank adds the returned rows with their weights
 *
 * --choice even, skewed or one: how the tokens choose their experts. The figures of the
 * tokens are printed for each rank with --figures 1: rows per expert, imbalance, and
 * bytes for each peer. */
#include <aclnnop/aclnn_moe_distribute_combine_v2.h>
#include <aclnnop/aclnn_moe_distribute_dispatch_v2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "ranks.h"

static const char *const choices[] = {"even", "skewed", "one", NULL};
static uint32_t tokens = 16, experts = 2, top_k = 2, hidden = 256, launches = 1;
static uint32_t choice, figures;

/* Without columns the tensor has one dimension. */
static void open_buffer(struct buffer *buffer,
                        aclDataType type,
                        size_t size,
                        int64_t rows,
                        int64_t columns,
                        const void *host)
{
    int64_t dims[2];

    dims[0] = rows;
    dims[1] = columns;
    buffer_open(buffer, type, size, dims, columns > 0 ? 2 : 1, host);
}

static int32_t expert_of(const struct rank *rank, uint32_t token, uint32_t k)
{
    uint32_t all = experts * rank->count;
    uint32_t value = rank->rank * 7 + token * top_k + k;

    if (choice == 2)
        return (int32_t)k; /* the first experts get everything */
    if (choice == 1 && token % 2)
        return (int32_t)k;
    return (int32_t)(value % all);
}

struct model {
    struct buffer x, ids, weights, rows, dynamic, assist, counts, sums, tp, scales, out;
    int32_t *choices;
    uint64_t capacity;
};

static void open_model(const struct rank *rank, struct model *model)
{
    uint64_t pairs = (uint64_t)tokens * top_k;
    int32_t *ids = (int32_t *)program_alloc(pairs * sizeof(*ids));
    float *weights = (float *)program_alloc(pairs * sizeof(*weights));
    uint32_t own = experts < top_k ? experts : top_k;

    for (uint32_t i = 0; i < pairs; i++) {
        ids[i] = expert_of(rank, i / top_k, i % top_k);
        weights[i] = 0.25f * (float)(1 + i % 2);
    }
    model->capacity = (uint64_t)rank->count * tokens * own;
    open_buffer(&model->ids, ACL_INT32, 4, tokens, top_k, ids);
    open_buffer(&model->weights, ACL_FLOAT, 4, tokens, top_k, weights);
    open_buffer(&model->rows, ACL_BF16, 2, (int64_t)model->capacity, hidden, NULL);
    open_buffer(&model->dynamic, ACL_FLOAT, 4, (int64_t)model->capacity, 0, NULL);
    open_buffer(&model->assist, ACL_INT32, 4, (int64_t)(model->capacity * 128), 0,
                NULL);
    open_buffer(&model->counts, ACL_INT64, 8, experts, 0, NULL);
    open_buffer(&model->sums, ACL_INT32, 4, (int64_t)experts * rank->count, 0, NULL);
    open_buffer(&model->tp, ACL_INT32, 4, 1, 0, NULL);
    open_buffer(&model->scales, ACL_FLOAT, 4, (int64_t)model->capacity, 0, NULL);
    model->choices = ids;
    free(weights);
}

static void close_model(struct model *model)
{
    buffer_close(&model->ids);
    buffer_close(&model->weights);
    buffer_close(&model->rows);
    buffer_close(&model->dynamic);
    buffer_close(&model->assist);
    buffer_close(&model->counts);
    buffer_close(&model->sums);
    buffer_close(&model->tp);
    buffer_close(&model->scales);
    free(model->choices);
}

static void dispatch(const struct rank *rank, struct matrix *x, struct model *model)
{
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;
    void *workspace;

    NCHECK(aclnnMoeDistributeDispatchV2GetWorkspaceSize(
        x->tensor, model->ids.tensor, NULL, NULL, model->weights.tensor, rank->group,
        rank->count, rank->rank, (int64_t)experts * rank->count, NULL, 0, 0, 0, 0, 0, 0,
        0, 1, "", model->rows.tensor, model->dynamic.tensor, model->assist.tensor,
        model->counts.tensor, model->sums.tensor, model->tp.tensor,
        model->scales.tensor, &size, &executor));
    workspace = ranks_workspace(size);
    NCHECK(aclnnMoeDistributeDispatchV2(workspace, size, executor, rank->stream));
    ranks_finish(rank, workspace);
}

static void combine(const struct rank *rank, struct model *model, struct matrix *out)
{
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;
    void *workspace;

    NCHECK(aclnnMoeDistributeCombineV2GetWorkspaceSize(
        model->rows.tensor, model->ids.tensor, model->assist.tensor, model->sums.tensor,
        model->weights.tensor, model->tp.tensor, NULL, NULL, NULL, NULL,
        model->scales.tensor, NULL, rank->group, rank->count, rank->rank,
        (int64_t)experts * rank->count, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, "",
        out->tensor, &size, &executor));
    workspace = ranks_workspace(size);
    NCHECK(aclnnMoeDistributeCombineV2(workspace, size, executor, rank->stream));
    ranks_finish(rank, workspace);
}

/* The experts: each doubles its rows, on the host. bfloats double by their exponent. */
static void work(struct model *model)
{
    uint16_t *rows = (uint16_t *)program_alloc(model->rows.bytes);

    program_download(rows, model->rows.device, model->rows.bytes);
    for (size_t i = 0; i < model->rows.bytes / 2; i++)
        if (rows[i] & 0x7F80)
            rows[i] = (uint16_t)(rows[i] + 0x80);
    CHECK(aclrtMemcpy(model->rows.device, model->rows.bytes, rows, model->rows.bytes,
                      ACL_MEMCPY_HOST_TO_DEVICE));
    free(rows);
}

static void print_figures(const struct rank *rank, struct model *model)
{
    int64_t *counts = (int64_t *)program_alloc(model->counts.bytes);
    uint64_t bytes[RANKS_MAX] = {0};
    int64_t most = 0, sum = 0;
    char line[1024];
    int at;

    program_download(counts, model->counts.device, model->counts.bytes);
    for (uint32_t i = 0; i < tokens * top_k; i++)
        bytes[(uint32_t)model->choices[i] / experts] += 2u * hidden;
    at = snprintf(line, sizeof(line), "tokens rank=%u rows_of_experts=", rank->rank);
    for (uint32_t j = 0; j < experts; j++) {
        at += snprintf(line + at, sizeof(line) - (size_t)at, "%s%lld", j ? "," : "",
                       (long long)counts[j]);
        sum += counts[j];
        if (counts[j] > most)
            most = counts[j];
    }
    at += snprintf(line + at, sizeof(line) - (size_t)at,
                   " rows=%lld imbalance=%.2f bytes_to=", (long long)sum,
                   sum ? (double)most * (double)experts / (double)sum : 0);
    for (uint32_t r = 0; r < rank->count && at < (int)sizeof(line) - 24; r++)
        at += snprintf(line + at, sizeof(line) - (size_t)at, "%s%llu", r ? "," : "",
                       (unsigned long long)bytes[r]);
    puts(line);
    free(counts);
}

static size_t count_wrong(const struct rank *rank, const struct matrix *out)
{
    size_t wrong = 0;

    for (uint32_t token = 0; token < tokens; token++) {
        double factor = 0;

        for (uint32_t k = 0; k < top_k; k++)
            factor += 2 * 0.25 * (1 + (token * top_k + k) % 2);
        for (uint32_t i = 0; i < hidden; i++) {
            double exact = factor * matrix_value(MATRIX_LEFT(rank->rank), token, i);

            wrong += !matrix_is_close(MATRIX_BF16, matrix_at(out, token, i), exact,
                                      exact < 0 ? -exact : exact, 1);
        }
    }
    return wrong;
}

static void run(struct rank *rank)
{
    struct matrix x, out;
    struct model model;

    if (top_k > experts * rank->count) {
        fprintf(stderr, "moe_tokens: --top-k exceeds the number of experts\n");
        exit(2);
    }
    matrix_open(&x, MATRIX_BF16, tokens, hidden, MATRIX_LEFT(rank->rank));
    matrix_open(&out, MATRIX_BF16, tokens, hidden, 0);
    open_model(rank, &model);
    for (uint32_t i = 0; i < launches; i++) {
        if (!ranks_may_launch(rank, i))
            continue;
        dispatch(rank, &x, &model);
        work(&model);
        combine(rank, &model, &out);
    }
    if (figures)
        print_figures(rank, &model);
    matrix_download(&out);
    rank->wrong = count_wrong(rank, &out);
    rank->checksum = matrix_checksum(&out);
    close_model(&model);
    matrix_close(&x);
    matrix_close(&out);
}

static void describe(char *shape, size_t size)
{
    snprintf(shape, size,
             "tokens=%u experts=%u top_k=%u hidden=%u choice=%s launches=%u", tokens,
             experts, top_k, hidden, choices[choice], launches);
}

int main(int argc, char **argv)
{
    const struct option_row rows[] = {
        {"--tokens", &tokens, 1, 512, "tokens of each rank"},
        {"--experts", &experts, 1, 64, "experts of each rank"},
        {"--top-k", &top_k, 1, 16, "experts of each token"},
        {"--hidden", &hidden, 1, 8192, "width of a token"},
        {"--figures", &figures, 0, 1, "1: print the rows of the experts"},
        {"--launches", &launches, 1, 1u << 20, "number of launches"},
    };
    const struct ranks_program program = {
        "moe_tokens",
        "tokens go to their experts and come back; --choice even, skewed or one", run,
        describe};

    (void)argc;
    program_word(program.name, "--choice", choices, &choice, argv);
    return ranks_main(&program, rows, sizeof(rows) / sizeof(rows[0]), argv);
}
