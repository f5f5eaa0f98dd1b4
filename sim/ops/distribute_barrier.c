/* distribute_barrier.c - a barrier on the AI Cores: no rank continues before all have
 * arrived
 *
 * Each rank stores the times of its arrival and departure. In the gathered times, the
 * last arrival must be before the first departure. */
#include <aclnnop/aclnn_distribute_barrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "matrix.h"
#include "ranks.h"

#define SYNC_MS 10000

static uint32_t launches = 4;

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void launch(const struct rank *rank, const struct matrix *reference)
{
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;

    NCHECK(aclnnDistributeBarrierGetWorkspaceSize(reference->tensor, rank->group,
                                                  rank->count, &size, &executor));
    NCHECK(aclnnDistributeBarrier(NULL, size, executor, rank->stream));
    CHECK(aclrtSynchronizeStreamWithTimeout(rank->stream, SYNC_MS));
}

/* times: arrival and departure of each launch, for each rank */
static size_t count_wrong(const struct rank *rank, const int64_t *times)
{
    size_t wrong = 0;

    for (uint32_t i = 0; i < launches; i++) {
        int64_t last_arrival = INT64_MIN, first_departure = INT64_MAX;

        for (uint32_t other = 0; other < rank->count; other++) {
            const int64_t *of = times + ((size_t)other * launches + i) * 2;

            if (of[0] > last_arrival)
                last_arrival = of[0];
            if (of[1] < first_departure)
                first_departure = of[1];
        }
        wrong += last_arrival > first_departure;
    }
    return wrong;
}

static void run(struct rank *rank)
{
    size_t count = (size_t)launches * 2, size = count * sizeof(int64_t);
    int64_t *own = (int64_t *)program_alloc(size);
    int64_t *all = (int64_t *)program_alloc(size * rank->count);
    void *from, *into = program_upload(NULL, size * rank->count);
    struct matrix reference;

    matrix_open(&reference, MATRIX_FP16, 1, 16, 1);
    for (uint32_t i = 0; i < launches; i++) {
        int comes = ranks_may_launch(rank, i);

        own[2 * i] = now_ns();
        if (comes)
            launch(rank, &reference);
        own[2 * i + 1] = now_ns();
    }
    from = program_upload(own, size);
    HCHECK(HcclAllGather(from, into, count, HCCL_DATA_TYPE_INT64, rank->comm,
                         rank->stream));
    CHECK(aclrtSynchronizeStream(rank->stream));
    program_download(all, into, size * rank->count);
    rank->wrong = count_wrong(rank, all);
    rank->checksum = rank->wrong;
    CHECK(aclrtFree(from));
    CHECK(aclrtFree(into));
    matrix_close(&reference);
    free(own);
    free(all);
}

static void describe(char *shape, size_t size)
{
    snprintf(shape, size, "launches=%u", launches);
}

int main(int argc, char **argv)
{
    const struct option_row rows[] = {
        {"--launches", &launches, 1, 1u << 16, "number of barriers"},
    };
    const struct ranks_program program = {
        "distribute_barrier", "a barrier on the AI Cores, checked by its times", run,
        describe};

    (void)argc;
    return ranks_main(&program, rows, sizeof(rows) / sizeof(rows[0]), argv);
}
