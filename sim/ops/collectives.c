/* collectives.c - the plain collectives, one after the other or one by its name
 *
 * What a rank sends depends on its rank and on the place only, so each rank knows what
 * it must have received. */
#include <stdio.h>
#include <stdlib.h>

#include "ranks.h"

#define SYNC_MS 10000
#define ROOT    0

enum operation_number {
    ALL_GATHER,
    ALL_TO_ALL,
    BROADCAST,
    REDUCE_SCATTER,
    SCATTER,
    ALL
};

static const char *const names[] = {
    "all_gather", "all_to_all", "broadcast", "reduce_scatter", "scatter", "all", NULL};
static uint32_t n = 4096, launches = 1, only = ALL;

/* As many elements for each rank as there are ranks: the largest that any needs. */
struct buffers {
    void *from, *into;
    float *host;
    size_t size;
};

static void
issue(const struct rank *rank, const struct buffers *buffers, uint32_t which)
{
    void *from = buffers->from, *into = buffers->into;
    const HcclDataType type = HCCL_DATA_TYPE_FP32;

    switch (which) {
    case ALL_GATHER:
        HCHECK(HcclAllGather(from, into, n, type, rank->comm, rank->stream));
        break;
    case ALL_TO_ALL:
        HCHECK(HcclAlltoAll(from, n, type, into, n, type, rank->comm, rank->stream));
        break;
    case BROADCAST:
        HCHECK(HcclBroadcast(rank->rank == ROOT ? from : into, n, type, ROOT,
                             rank->comm, rank->stream));
        break;
    case REDUCE_SCATTER:
        HCHECK(HcclReduceScatter(from, into, n, type, HCCL_REDUCE_SUM, rank->comm,
                                 rank->stream));
        break;
    case SCATTER:
        HCHECK(HcclScatter(from, into, n, type, ROOT, rank->comm, rank->stream));
        break;
    default:
        break;
    }
}

/* What stands at place i of part `part` when it has been received. */
static float
expected(const struct rank *rank, uint32_t which, uint32_t part, uint32_t i)
{
    float sum = 0;

    switch (which) {
    case ALL_GATHER:
        return program_value(part, i);
    case ALL_TO_ALL:
        return program_value(part, rank->rank * n + i);
    case SCATTER:
        return program_value(ROOT, rank->rank * n + i);
    case REDUCE_SCATTER:
        for (uint32_t other = 0; other < rank->count; other++)
            sum += program_value(other, rank->rank * n + i);
        return sum;
    default:
        return program_value(ROOT, i);
    }
}

static void check(struct rank *rank, const struct buffers *buffers, uint32_t which)
{
    uint32_t parts = which == ALL_GATHER || which == ALL_TO_ALL ? rank->count : 1;
    int is_sender = which == BROADCAST && rank->rank == ROOT;

    program_download(buffers->host, is_sender ? buffers->from : buffers->into,
                     buffers->size);
    for (uint32_t part = 0; part < parts; part++)
        for (uint32_t i = 0; i < n; i++)
            rank->wrong +=
                buffers->host[part * n + i] != expected(rank, which, part, i);
    rank->checksum =
        rank->checksum * 31 + program_checksum(buffers->host, (size_t)parts * n * 4);
}

static void run(struct rank *rank)
{
    struct buffers buffers;

    buffers.size = (size_t)n * rank->count * sizeof(float);
    buffers.host = (float *)program_alloc(buffers.size);
    for (uint32_t i = 0; i < n * rank->count; i++)
        buffers.host[i] = program_value(rank->rank, i);
    buffers.from = program_upload(buffers.host, buffers.size);
    buffers.into = program_upload(NULL, buffers.size);
    for (uint32_t which = 0; which < ALL; which++) {
        if (only != ALL && only != which)
            continue;
        for (uint32_t i = 0; i < launches; i++)
            if (ranks_may_launch(rank, i)) {
                issue(rank, &buffers, which);
                CHECK(aclrtSynchronizeStreamWithTimeout(rank->stream, SYNC_MS));
            }
        check(rank, &buffers, which);
    }
    CHECK(aclrtFree(buffers.from));
    CHECK(aclrtFree(buffers.into));
    free(buffers.host);
}

static void tell(char *shape, size_t size)
{
    snprintf(shape, size, "op=%s n=%u launches=%u", names[only], n, launches);
}

int main(int argc, char **argv)
{
    const struct option_row rows[] = {
        {"--n", &n, 1, 1u << 22, "elements of a part"},
        {"--launches", &launches, 1, 1u << 20, "each so often"},
    };
    const struct ranks_program program = {
        "collectives",
        "plain collectives; --op all_gather, all_to_all, broadcast, reduce_scatter, "
        "scatter or all",
        run, tell};

    (void)argc;
    program_word(program.name, "--op", names, &only, argv);
    return ranks_main(&program, rows, sizeof(rows) / sizeof(rows[0]), argv);
}
