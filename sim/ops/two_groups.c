/* two_groups.c - tensor and data parallel: two communicators on each card
 *
 * Ranks 2i and 2i+1 multiply together (tensor); all even and all odd ranks sum their
 * results (data). The two fused operators of a launch use separate streams. A rank
 * option sets which one is issued first. */
#include <aclnnop/aclnn_matmul_all_reduce.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "ranks.h"

#define SYNC_MS 10000
#define GROUPS  2

static const char *const orders[] = {"same", "odd", "ring", NULL};
static uint32_t m = 32, n = 64, k = 32, launches = 1, order;

struct group {
    HcclComm comm;
    char name[COMM_NAME_MAX_LENGTH];
    aclrtStream stream;
    uint32_t ranks[RANKS_MAX], count;
    struct matrix output;
};

static void open_group(struct rank *rank, struct group *group, uint32_t which)
{
    uint32_t number = which == 0 ? rank->rank / 2 : RANKS_MAX + rank->rank % 2;
    HcclCommConfig config;
    uint32_t own = 0;

    group->count = 0;
    for (uint32_t i = 0; i < rank->count; i++)
        if (which == 0 ? i / 2 == rank->rank / 2 : i % 2 == rank->rank % 2) {
            if (i == rank->rank)
                own = group->count;
            group->ranks[group->count++] = i;
        }
    HcclCommConfigInit(&config);
    HCHECK(HcclCreateSubCommConfig(&rank->comm, group->count, group->ranks, number + 1,
                                   own, &config, &group->comm));
    HCHECK(HcclGetCommName(group->comm, group->name));
    CHECK(aclrtCreateStream(&group->stream));
    matrix_open(&group->output, MATRIX_FP16, m, n, 0);
}

static void issue(struct group *group, struct matrix *x1, struct matrix *x2)
{
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;

    NCHECK(aclnnMatmulAllReduceGetWorkspaceSize(
        x1->tensor, x2->tensor, NULL, group->name, "sum", 0, 1, group->output.tensor,
        &size, &executor));
    NCHECK(aclnnMatmulAllReduce(NULL, size, executor, group->stream));
}

static uint32_t first_of(const struct rank *rank)
{
    uint32_t odd = rank->rank & 1;

    return order == 0 ? 0 : order == 1 ? odd : odd ^ (rank->rank >> 1 & 1);
}

static size_t count_wrong(const struct group *group)
{
    struct matrix_sum *sums = (struct matrix_sum *)program_alloc(n * sizeof(*sums));
    size_t wrong = 0;

    for (uint32_t row = 0; row < m; row++) {
        memset(sums, 0, n * sizeof(*sums));
        for (uint32_t i = 0; i < group->count; i++)
            matrix_add_product(sums, group->ranks[i], row, group->ranks[i], k, n);
        wrong += matrix_count_wrong(&group->output, row, sums, 2);
    }
    free(sums);
    return wrong;
}

static void close_group(struct rank *rank, struct group *group)
{
    matrix_download(&group->output);
    rank->wrong += count_wrong(group);
    rank->checksum = rank->checksum * 31 + matrix_checksum(&group->output);
    matrix_close(&group->output);
    CHECK(aclrtDestroyStream(group->stream));
    HCHECK(HcclCommDestroy(group->comm));
}

static void run(struct rank *rank)
{
    struct group groups[GROUPS];
    struct matrix x1, x2;
    uint32_t first = first_of(rank);

    if (rank->count % 2) {
        fprintf(stderr, "two_groups: the number of ranks must be even\n");
        exit(2);
    }
    matrix_open(&x1, MATRIX_FP16, m, k, MATRIX_LEFT(rank->rank));
    matrix_open(&x2, MATRIX_FP16, k, n, MATRIX_RIGHT(rank->rank));
    for (uint32_t i = 0; i < GROUPS; i++)
        open_group(rank, &groups[i], i);
    for (uint32_t i = 0; i < launches; i++) {
        if (!ranks_may_launch(rank, i))
            continue;
        issue(&groups[first], &x1, &x2);
        issue(&groups[!first], &x1, &x2);
        for (uint32_t at = 0; at < GROUPS; at++)
            CHECK(aclrtSynchronizeStreamWithTimeout(groups[at].stream, SYNC_MS));
    }
    for (uint32_t i = 0; i < GROUPS; i++)
        close_group(rank, &groups[i]);
    matrix_close(&x1);
    matrix_close(&x2);
}

static void describe(char *shape, size_t size)
{
    snprintf(shape, size, "m=%u n=%u k=%u launches=%u", m, n, k, launches);
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
        "two_groups",
        "two communicators on each card; --order same, odd or ring: which ranks use "
        "the second one first",
        run, describe};

    (void)argc;
    program_word(program.name, "--order", orders, &order, argv);
    return ranks_main(&program, rows, sizeof(rows) / sizeof(rows[0]), argv);
}
