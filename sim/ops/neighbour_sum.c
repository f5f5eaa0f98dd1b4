/* neighbour_sum.c - an operator of several cards that no library contains
 *
 * The program loads its own kernel. It asks HCCL for the context of the communicator
 * and passes it as the first argument, as the vendor's operators do. */
#include <hccl/hccl_mc2.h>
#include <hccl/hcom.h>
#include <stdio.h>
#include <stdlib.h>

#include "ranks.h"

#define SYNC_MS 60000

static uint32_t n = 4096, launches = 1;

struct arguments {
    void *context, *x, *received;
    uint64_t count;
};

static void launch(const struct rank *rank, struct arguments *args)
{
    aclrtBinHandle binary;
    aclrtFuncHandle function;
    HcclComm comm;
    char path[4096];
    uint32_t tiling = 0;

    program_kernel_path("neighbour_sum", path, sizeof(path));
    CHECK(aclrtBinaryLoadFromFile(path, NULL, &binary));
    CHECK(aclrtBinaryGetFunction(binary, "neighbour_sum", &function));
    for (uint32_t i = 0; i < launches; i++) {
        if (!ranks_may_launch(rank, i))
            continue;
        HCHECK(HcomGetCommHandleByGroup(rank->group, &comm));
        HCHECK(
            HcclAllocComResourceByTiling(comm, rank->stream, &tiling, &args->context));
        CHECK(aclrtLaunchKernelWithHostArgs(function, 1, rank->stream, NULL, args,
                                            sizeof(*args), NULL, 0));
        CHECK(aclrtSynchronizeStreamWithTimeout(rank->stream, SYNC_MS));
    }
    CHECK(aclrtBinaryUnLoad(binary));
}

/* Returns element i of a rank's x after so many launches. */
static float expected(const struct rank *rank, uint32_t of, uint32_t i, uint32_t after)
{
    if (after == 0)
        return program_value(of, i);
    return expected(rank, of, i, after - 1) +
           expected(rank, (of + rank->count - 1) % rank->count, i, after - 1);
}

static void run(struct rank *rank)
{
    size_t size = n * sizeof(float);
    float *host = (float *)program_alloc(size);
    struct arguments args = {NULL, NULL, NULL, n};

    for (uint32_t i = 0; i < n; i++)
        host[i] = program_value(rank->rank, i);
    args.x = program_upload(host, size);
    args.received = program_upload(NULL, size);
    launch(rank, &args);
    program_download(host, args.x, size);
    for (uint32_t i = 0; i < n; i++)
        rank->wrong += host[i] != expected(rank, rank->rank, i, launches);
    rank->checksum = program_checksum(host, size);
    CHECK(aclrtFree(args.x));
    CHECK(aclrtFree(args.received));
    free(host);
}

static void describe(char *shape, size_t size)
{
    snprintf(shape, size, "n=%u launches=%u", n, launches);
}

int main(int argc, char **argv)
{
    const struct option_row rows[] = {
        {"--n", &n, 1, 1u << 20, "number of elements"},
        {"--launches", &launches, 1, 8, "number of launches"},
    };
    const struct ranks_program program = {
        "neighbour_sum", "adds the data of the rank before, with a kernel of its own",
        run, describe};

    (void)argc;
    return ranks_main(&program, rows, sizeof(rows) / sizeof(rows[0]), argv);
}
