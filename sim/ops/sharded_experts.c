/* sharded_experts.c - experts on several ranks, each of them divided between the ranks
 * of a tensor group
 *
 * Rank r has the place r / tensor in its group of experts and r % tensor in its tensor
 * group. Two fused operators, each with both groups: rows go to the ranks of their
 * expert and are multiplied with a part of its first weights; the products are
 * multiplied with a part of its second weights, summed over the tensor group, and
 * return. */
#include <aclnnop/aclnn_all_to_all_all_gather_batch_matmul.h>
#include <aclnnop/aclnn_batch_matmul_reduce_scatter_all_to_all.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "ranks.h"

#define SECOND_SALT 1000 /* difference of the salts of both weights */

static uint32_t tensor = 2, experts = 2, capacity = 4, hidden = 16, inner = 8,
                launches = 1;

struct group {
    HcclComm comm;
    char name[COMM_NAME_MAX_LENGTH];
};

struct groups {
    struct group experts, tensor;
    uint32_t count; /* places of the group of experts */
    uint32_t place, part;
};

/* `first`, `first + step`, ... are the ranks of the group. */
static void open_group(struct rank *rank,
                       struct group *group,
                       uint64_t number,
                       uint32_t first,
                       uint32_t step,
                       uint32_t count)
{
    uint32_t ranks[RANKS_MAX];
    HcclCommConfig config;

    for (uint32_t i = 0; i < count; i++)
        ranks[i] = first + i * step;
    HcclCommConfigInit(&config);
    HCHECK(HcclCreateSubCommConfig(&rank->comm, count, ranks, number,
                                   (rank->rank - first) / step, &config, &group->comm));
    HCHECK(HcclGetCommName(group->comm, group->name));
}

static void open_groups(struct rank *rank, struct groups *groups)
{
    groups->count = rank->count / tensor;
    groups->place = rank->rank / tensor;
    groups->part = rank->rank % tensor;
    open_group(rank, &groups->tensor, 1 + groups->place, groups->place * tensor, 1,
               tensor);
    open_group(rank, &groups->experts, 1 + RANKS_MAX + groups->part, groups->part,
               tensor, groups->count);
}

static void close_groups(struct groups *groups)
{
    HCHECK(HcclCommDestroy(groups->tensor.comm));
    HCHECK(HcclCommDestroy(groups->experts.comm));
}

static void send(const struct rank *rank,
                 const struct groups *groups,
                 const struct stack *x,
                 const struct stack *weights,
                 struct stack *y)
{
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;
    void *workspace;

    NCHECK(aclnnAlltoAllAllGatherBatchMatMulGetWorkspaceSize(
        x->tensor, weights->tensor, NULL, groups->experts.name, groups->tensor.name,
        groups->count, tensor, 0, 0, y->tensor, NULL, NULL, &size, &executor));
    workspace = ranks_workspace(size);
    NCHECK(aclnnAlltoAllAllGatherBatchMatMul(workspace, size, executor, rank->stream));
    ranks_finish(rank, workspace);
}

static void give_back(const struct rank *rank,
                      const struct groups *groups,
                      const struct stack *x,
                      const struct stack *weights,
                      struct stack *y)
{
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;
    void *workspace;

    NCHECK(aclnnBatchMatMulReduceScatterAlltoAllGetWorkspaceSize(
        x->tensor, weights->tensor, NULL, groups->experts.name, groups->tensor.name,
        groups->count, tensor, 0, y->tensor, &size, &executor));
    workspace = ranks_workspace(size);
    NCHECK(
        aclnnBatchMatMulReduceScatterAlltoAll(workspace, size, executor, rank->stream));
    ranks_finish(rank, workspace);
}

/* Computes the row that returns to the ranks of a place, for one of their experts. */
static void expect_row(struct matrix_sum *sums,
                       const struct groups *groups,
                       uint32_t expert,
                       uint32_t c)
{
    struct matrix_sum *middle =
        (struct matrix_sum *)program_alloc(inner * sizeof(*middle));
    double *left = (double *)program_alloc((hidden + inner) * sizeof(*left));
    uint32_t width = hidden / tensor, local = expert % experts;

    for (uint32_t h = 0; h < hidden; h++)
        left[h] = (double)matrix_value(MATRIX_LEFT(groups->place * tensor + h / width),
                                       expert * capacity + c, h % width);
    memset(sums, 0, hidden * sizeof(*sums));
    for (uint32_t u = 0; u < tensor; u++) {
        uint32_t owner = expert / experts * tensor + u;

        memset(middle, 0, inner * sizeof(*middle));
        matrix_add_row(middle, left, hidden, MATRIX_RIGHT(owner), local * hidden,
                       inner);
        for (uint32_t l = 0; l < inner; l++)
            left[hidden + l] = middle[l].value;
        matrix_add_row(sums, left + hidden, inner, MATRIX_RIGHT(owner) + SECOND_SALT,
                       local * inner, hidden);
    }
    free(middle);
    free(left);
}

static size_t count_wrong(const struct groups *groups, const struct matrix *out)
{
    struct matrix_sum *sums =
        (struct matrix_sum *)program_alloc(hidden * sizeof(*sums));
    uint32_t width = hidden / tensor;
    size_t wrong = 0;

    for (uint32_t row = 0; row < out->rows; row++) {
        expect_row(sums, groups, row / capacity, row % capacity);
        wrong += matrix_count_wrong(out, row, sums + groups->part * width, 2 * tensor);
    }
    free(sums);
    return wrong;
}

static void run(struct rank *rank)
{
    struct stack x, first, middle, second, out;
    struct groups groups;
    uint32_t salt = MATRIX_RIGHT(rank->rank), all;

    if (rank->count % tensor || rank->count / tensor < 2 || hidden % tensor) {
        fprintf(stderr, "sharded_experts: the number of ranks must be a multiple of "
                        "--tensor, at least twice as large, and --hidden a multiple\n");
        exit(2);
    }
    open_groups(rank, &groups);
    all = groups.count * experts;
    stack_open(&x, MATRIX_FP16, all, capacity, hidden / tensor,
               MATRIX_LEFT(rank->rank));
    stack_open(&first, MATRIX_FP16, experts, hidden, inner, salt);
    stack_open(&middle, MATRIX_FP16, experts, groups.count * capacity, inner, 0);
    stack_open(&second, MATRIX_FP16, experts, inner, hidden, salt + SECOND_SALT);
    stack_open(&out, MATRIX_FP16, all, capacity, hidden / tensor, 0);
    for (uint32_t i = 0; i < launches; i++) {
        if (!ranks_may_launch(rank, i))
            continue;
        send(rank, &groups, &x, &first, &middle);
        give_back(rank, &groups, &middle, &second, &out);
    }
    matrix_download(&out.matrix);
    rank->wrong = count_wrong(&groups, &out.matrix);
    rank->checksum = matrix_checksum(&out.matrix);
    stack_close(&x);
    stack_close(&first);
    stack_close(&middle);
    stack_close(&second);
    stack_close(&out);
    close_groups(&groups);
}

static void describe(char *shape, size_t size)
{
    snprintf(shape, size,
             "tensor=%u experts=%u capacity=%u hidden=%u inner=%u launches=%u", tensor,
             experts, capacity, hidden, inner, launches);
}

int main(int argc, char **argv)
{
    const struct option_row options[] = {
        {"--tensor", &tensor, 2, 32, "ranks that share the weights of an expert"},
        {"--experts", &experts, 1, 16, "experts of each place"},
        {"--capacity", &capacity, 1, 256, "rows of each rank for each expert"},
        {"--hidden", &hidden, 2, 4096, "width of a row, a multiple of --tensor"},
        {"--inner", &inner, 1, 4096, "width of the first product on each rank"},
        {"--launches", &launches, 1, 1u << 20, "number of launches of both"},
    };
    const struct ranks_program program = {
        "sharded_experts",
        "rows go to experts that several ranks share; 4 ranks or more, of an A3", run,
        describe};

    (void)argc;
    return ranks_main(&program, options, sizeof(options) / sizeof(options[0]), argv);
}
