/* bench_experts.c - dispatch and combine of tokens in the simulator
 *
 * 64 ranks, each a thread with 64 tokens of 7168 elements and one expert; each token
 * goes to eight experts. The floor moves the same bytes with memcpy as a card does,
 * from the tokens into the windows of the ranks and out of them, and back; between
 * these steps the same threads run the operator for barriers. Profiling is off. The
 * memory is what the process keeps resident for a dispatch and a combine, compared with
 * the bytes of the operators' tensors that hold tokens. */
#include <acl/acl.h>
#include <aclnnop/aclnn_distribute_barrier.h>
#include <aclnnop/aclnn_moe_distribute_combine_v2.h>
#include <aclnnop/aclnn_moe_distribute_dispatch_v2.h>
#include <hccl/hccl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/ratio.h"

enum {
    RANKS = 64,
    TOKENS = 64,
    WIDTH = 7168,
    TOP_K = 8,
    ROWS = TOKENS * TOP_K, /* that each rank sends, and gets */
    CAPACITY = RANKS * TOKENS,
    ROW_BYTES = WIDTH * 2,
    SYNC_MS = 100 * 1000,
};

enum tensor {
    X,
    IDS,
    WEIGHTS,
    EXPANDED,
    DYNAMIC,
    ASSIST,
    COUNTS,
    SUMS,
    TP,
    EXPAND_SCALES,
    OUT,
    FLAG,
    TENSORS
};

static const struct shape {
    aclDataType type;
    int64_t bytes, dims[2];
    uint64_t dim_count;
} shapes[TENSORS] = {
    [X] = {ACL_BF16, 2, {TOKENS, WIDTH}, 2},
    [IDS] = {ACL_INT32, 4, {TOKENS, TOP_K}, 2},
    [WEIGHTS] = {ACL_FLOAT, 4, {TOKENS, TOP_K}, 2},
    [EXPANDED] = {ACL_BF16, 2, {CAPACITY, WIDTH}, 2},
    [DYNAMIC] = {ACL_FLOAT, 4, {CAPACITY}, 1},
    [ASSIST] = {ACL_INT32, 4, {CAPACITY * 128}, 1},
    [COUNTS] = {ACL_INT64, 8, {1}, 1},
    [SUMS] = {ACL_INT32, 4, {RANKS}, 1},
    [TP] = {ACL_INT32, 4, {1}, 1},
    [EXPAND_SCALES] = {ACL_FLOAT, 4, {CAPACITY}, 1},
    [OUT] = {ACL_BF16, 2, {TOKENS, WIDTH}, 2},
    [FLAG] = {ACL_FLOAT, 4, {1}, 1},
};

static struct rank {
    pthread_t thread;
    uint32_t number;
    HcclComm comm;
    char group[COMM_NAME_MAX_LENGTH];
    aclrtStream stream;
    void *memory[TENSORS];
    aclTensor *tensor[TENSORS];
    char *window, *copy; /* of the floor: what arrives, and what is taken out */
    void *workspace;
    uint64_t workspace_bytes;
} ranks[RANKS];

static pthread_barrier_t start, end;
static enum { OPERATORS, COPIES, STOP } what;

static void need(int error, const char *step)
{
    if (!error)
        return;
    fprintf(stderr, "bench_experts: %s failed: %d\n", step, error);
    exit(1);
}

static int32_t expert_of(uint32_t rank, uint32_t token, uint32_t k)
{
    return (int32_t)((rank + token * TOP_K + k) % RANKS);
}

static void open_tensor(struct rank *rank, enum tensor which)
{
    const struct shape *shape = &shapes[which];
    size_t bytes = (size_t)shape->bytes;

    for (uint64_t i = 0; i < shape->dim_count; i++)
        bytes *= (size_t)shape->dims[i];
    need(aclrtMalloc(&rank->memory[which], bytes, ACL_MEM_MALLOC_HUGE_FIRST), "malloc");
    rank->tensor[which] = aclCreateTensor(shape->dims, shape->dim_count, shape->type,
                                          NULL, 0, ACL_FORMAT_ND, shape->dims,
                                          shape->dim_count, rank->memory[which]);
}

static void fill(struct rank *rank)
{
    uint16_t *x = rank->memory[X];
    int32_t *ids = rank->memory[IDS];
    float *weights = rank->memory[WEIGHTS];

    for (uint32_t i = 0; i < TOKENS * WIDTH; i++)
        x[i] = (uint16_t)(0x3F80 + (i + rank->number) % 64);
    for (uint32_t i = 0; i < TOKENS * TOP_K; i++) {
        ids[i] = expert_of(rank->number, i / TOP_K, i % TOP_K);
        weights[i] = 1.0f / TOP_K;
    }
}

/* Makes room for the workspace of an operator; it is used by one at a time. */
static void *workspace(struct rank *rank, uint64_t bytes)
{
    if (bytes > rank->workspace_bytes) {
        if (rank->workspace)
            need(aclrtFree(rank->workspace), "free");
        need(aclrtMalloc(&rank->workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "malloc");
        rank->workspace_bytes = bytes;
    }
    return rank->workspace;
}

static void wait_for(const struct rank *rank, int error, const char *step)
{
    need(error, step);
    need(aclrtSynchronizeStreamWithTimeout(rank->stream, SYNC_MS), step);
}

static void dispatch(struct rank *r)
{
    aclOpExecutor *executor;
    uint64_t bytes;

    need(aclnnMoeDistributeDispatchV2GetWorkspaceSize(
             r->tensor[X], r->tensor[IDS], NULL, NULL, r->tensor[WEIGHTS], r->group,
             RANKS, r->number, RANKS, NULL, 0, 0, 0, 0, 0, 0, 0, 1, "",
             r->tensor[EXPANDED], r->tensor[DYNAMIC], r->tensor[ASSIST],
             r->tensor[COUNTS], r->tensor[SUMS], r->tensor[TP],
             r->tensor[EXPAND_SCALES], &bytes, &executor),
         "the call of dispatch");
    wait_for(
        r,
        aclnnMoeDistributeDispatchV2(workspace(r, bytes), bytes, executor, r->stream),
        "dispatch");
}

static void combine(struct rank *r)
{
    aclOpExecutor *executor;
    uint64_t bytes;

    need(aclnnMoeDistributeCombineV2GetWorkspaceSize(
             r->tensor[EXPANDED], r->tensor[IDS], r->tensor[ASSIST], r->tensor[SUMS],
             r->tensor[WEIGHTS], r->tensor[TP], NULL, NULL, NULL, NULL,
             r->tensor[EXPAND_SCALES], NULL, r->group, RANKS, r->number, RANKS, NULL, 0,
             0, 0, 0, 0, 0, 0, 0, 0, "", r->tensor[OUT], &bytes, &executor),
         "the call of combine");
    wait_for(
        r, aclnnMoeDistributeCombineV2(workspace(r, bytes), bytes, executor, r->stream),
        "combine");
}

static void barrier(struct rank *r)
{
    aclOpExecutor *executor;
    uint64_t bytes;

    need(aclnnDistributeBarrierGetWorkspaceSize(r->tensor[FLAG], r->group, RANKS,
                                                &bytes, &executor),
         "the call of the barrier");
    wait_for(r, aclnnDistributeBarrier(workspace(r, bytes), bytes, executor, r->stream),
             "barrier");
}

/* Each row has a place in the window of its expert: rank by rank. */
static char *place_of(const struct rank *from, uint32_t token, uint32_t k)
{
    uint32_t to = (uint32_t)expert_of(from->number, token, k);

    return ranks[to].window +
           (size_t)(from->number * TOP_K + token * TOP_K / RANKS) * ROW_BYTES;
}

/* Moves the rows of a dispatch and a combine. The sums of a combine are part of it:
 * they read the rows out of the window. */
static void copies(struct rank *rank)
{
    char *own = rank->memory[X];

    for (uint32_t i = 0; i < ROWS; i++)
        memcpy(place_of(rank, i / TOP_K, i % TOP_K),
               own + (size_t)(i / TOP_K) * ROW_BYTES, ROW_BYTES);
    barrier(rank);
    memcpy(rank->copy, rank->window, (size_t)ROWS * ROW_BYTES);
    barrier(rank);
    for (uint32_t i = 0; i < ROWS; i++)
        memcpy(place_of(rank, i / TOP_K, i % TOP_K), rank->copy + (size_t)i * ROW_BYTES,
               ROW_BYTES);
    barrier(rank);
    memcpy(rank->copy, rank->window, (size_t)ROWS * ROW_BYTES);
    barrier(rank);
}

static void *run(void *arg)
{
    struct rank *rank = arg;

    need(aclrtSetDevice((int32_t)rank->number), "device");
    need(aclrtCreateStream(&rank->stream), "stream");
    need(HcclGetCommName(rank->comm, rank->group), "name");
    for (int i = 0; i < TENSORS; i++)
        open_tensor(rank, (enum tensor)i);
    fill(rank);
    for (;;) {
        pthread_barrier_wait(&start);
        if (what == STOP)
            return NULL;
        if (what == COPIES) {
            copies(rank);
        } else {
            dispatch(rank);
            combine(rank);
        }
        pthread_barrier_wait(&end);
    }
}

static double time_of(int kind)
{
    struct timespec from, to;

    what = kind;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    pthread_barrier_wait(&start);
    pthread_barrier_wait(&end);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    return (double)(to.tv_sec - from.tv_sec) +
           (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
}

static double operators(void *arg)
{
    (void)arg;
    return time_of(OPERATORS);
}

static double floor_of_copies(void *arg)
{
    (void)arg;
    return time_of(COPIES);
}

/* Returns the memory of the process in bytes. Pages that are mapped more than once, as
 * windows are, count once. The pattern of fresh memory is left out: all blocks share
 * it. */
static double resident(void)
{
    unsigned long long sum = 0, size;
    bool is_counted = true;
    char line[512];
    FILE *file = fopen("/proc/self/smaps", "r");

    need(!file, "/proc/self/smaps");
    while (fgets(line, sizeof(line), file)) {
        if (strchr(line, '-') && strchr(line, ' ') &&
            strchr(line, '-') < strchr(line, ' '))
            is_counted = !strstr(line, "npu-sim-pattern");
        else if (is_counted && sscanf(line, "Pss: %llu", &size) == 1)
            sum += size;
        else if (!is_counted && sscanf(line, "Anonymous: %llu", &size) == 1)
            sum += size; /* blocks that were written */
    }
    fclose(file);
    return (double)sum * 1024;
}

static void check_sums(void)
{
    for (uint32_t r = 0; r < RANKS; r++)
        need(memcmp(ranks[r].memory[X], ranks[r].memory[OUT], TOKENS * ROW_BYTES),
             "the comparison of the results");
}

int main(void)
{
    int32_t devices[RANKS];
    HcclComm comms[RANKS];
    double before, ratio;
    char cards[8];

    snprintf(cards, sizeof(cards), "%d", RANKS);
    setenv("NPU_SIM_CARDS", cards, 1);
    setenv("NPU_SIM_SOC", "Ascend910_9391", 1);
    need(aclInit(NULL), "init");
    for (int i = 0; i < RANKS; i++)
        devices[i] = i;
    need(HcclCommInitAll(RANKS, devices, comms), "communicators");
    pthread_barrier_init(&start, NULL, RANKS + 1);
    pthread_barrier_init(&end, NULL, RANKS + 1);
    for (uint32_t i = 0; i < RANKS; i++) {
        ranks[i].number = i;
        ranks[i].comm = comms[i];
        need(pthread_create(&ranks[i].thread, NULL, run, &ranks[i]), "thread");
    }
    before = resident();
    time_of(OPERATORS);
    check_sums();
    ratio =
        (resident() - before) /
        ((double)RANKS * ((2.0 * TOKENS + ROWS) * ROW_BYTES + CAPACITY * 128 * 4.0));
    ratio_print("memory of dispatch and combine", ratio,
                "their tensors, as far as used", "<= 2.0", ratio <= 2.0);
    for (uint32_t i = 0; i < RANKS; i++) {
        ranks[i].window = calloc(ROWS, ROW_BYTES);
        ranks[i].copy = calloc(ROWS, ROW_BYTES);
        need(!ranks[i].window || !ranks[i].copy, "memory");
    }
    time_of(COPIES);
    ratio = ratio_median(operators, floor_of_copies, NULL);
    ratio_print("dispatch and combine, 64 ranks", ratio,
                "memcpy of their bytes, barriers", "<= 1.5", ratio <= 1.5);
    time_of(OPERATORS);
    what = STOP;
    pthread_barrier_wait(&start);
    for (int i = 0; i < RANKS; i++)
        pthread_join(ranks[i].thread, NULL);
    return 0;
}
