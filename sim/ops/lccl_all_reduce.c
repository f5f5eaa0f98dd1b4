/* lccl_all_reduce.c - a lightweight collective: a kernel that reads the memory of the
 * other ranks directly
 *
 * Each rank exports a buffer (board) and imports those of the others. HCCL only
 * distributes the keys. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks.h"

#define SYNC_MS  10000
#define KEY_SIZE 128
#define HEAD     4096
#define PAGE     4096

static uint32_t n = 4096, launches = 1;

struct arguments {
    void *boards[RANKS_MAX];
    void *input, *output;
    uint64_t count;
    uint32_t rank, ranks;
};

/* The keys of all ranks, one after the other. */
static char *exchange_keys(const struct rank *rank, const char *own)
{
    size_t size = (size_t)KEY_SIZE * rank->count;
    char *keys = (char *)program_alloc(size);
    void *from = program_upload(own, KEY_SIZE), *into = program_upload(NULL, size);

    HCHECK(HcclAllGather(from, into, KEY_SIZE, HCCL_DATA_TYPE_INT8, rank->comm,
                         rank->stream));
    CHECK(aclrtSynchronizeStream(rank->stream));
    program_download(keys, into, size);
    CHECK(aclrtFree(from));
    CHECK(aclrtFree(into));
    return keys;
}

static void *make_board(size_t size)
{
    void *board = program_upload(NULL, size);

    CHECK(aclrtMemset(board, size, 0, size));
    return board;
}

static char *open_boards(const struct rank *rank, void *own, struct arguments *args)
{
    size_t size = (HEAD + n * sizeof(float) + PAGE - 1) / PAGE * PAGE;
    char key[KEY_SIZE], *keys;

    memset(key, 0, sizeof(key));
    CHECK(aclrtIpcMemGetExportKey(own, size, key, sizeof(key),
                                  ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
    keys = exchange_keys(rank, key);
    for (uint32_t i = 0; i < rank->count; i++)
        if (i == rank->rank)
            args->boards[i] = own;
        else
            CHECK(aclrtIpcMemImportByKey(&args->boards[i], keys + (size_t)i * KEY_SIZE,
                                         0));
    return keys;
}

static void meet(const struct rank *rank)
{
    HCHECK(HcclBarrier(rank->comm, rank->stream));
    CHECK(aclrtSynchronizeStream(rank->stream));
}

/* Closes the boards after all ranks have finished reading, because ranks that are
 * threads have the same keys. */
static void close_boards(const struct rank *rank, char *keys)
{
    meet(rank);
    for (uint32_t i = 0; i < rank->count; i++)
        if (i != rank->rank)
            CHECK(aclrtIpcMemClose(keys + (size_t)i * KEY_SIZE));
    meet(rank);
    CHECK(aclrtIpcMemClose(keys + (size_t)rank->rank * KEY_SIZE));
    free(keys);
}

static void launch(const struct rank *rank, struct arguments *args)
{
    aclrtBinHandle binary;
    aclrtFuncHandle function;
    char path[4096];

    program_kernel_path("lccl_all_reduce", path, sizeof(path));
    CHECK(aclrtBinaryLoadFromFile(path, NULL, &binary));
    CHECK(aclrtBinaryGetFunction(binary, "lccl_all_reduce", &function));
    for (uint32_t i = 0; i < launches; i++)
        if (ranks_may_launch(rank, i)) {
            CHECK(aclrtLaunchKernelWithHostArgs(function, 1, rank->stream, NULL, args,
                                                sizeof(*args), NULL, 0));
            CHECK(aclrtSynchronizeStreamWithTimeout(rank->stream, SYNC_MS));
        }
    CHECK(aclrtBinaryUnLoad(binary));
}

static void run(struct rank *rank)
{
    size_t size = n * sizeof(float);
    float *host = (float *)program_alloc(size);
    struct arguments args;
    void *own = make_board((HEAD + size + PAGE - 1) / PAGE * PAGE);
    char *keys;

    memset(&args, 0, sizeof(args));
    for (uint32_t i = 0; i < n; i++)
        host[i] = program_value(rank->rank, i);
    args.input = program_upload(host, size);
    args.output = program_upload(NULL, size);
    args.count = n;
    args.rank = rank->rank;
    args.ranks = rank->count;
    keys = open_boards(rank, own, &args);
    launch(rank, &args);
    program_download(host, args.output, size);
    for (uint32_t i = 0; i < n; i++) {
        float sum = 0;

        for (uint32_t other = 0; other < rank->count; other++)
            sum += program_value(other, i);
        rank->wrong += host[i] != sum;
    }
    rank->checksum = program_checksum(host, size);
    close_boards(rank, keys);
    CHECK(aclrtFree(args.input));
    CHECK(aclrtFree(args.output));
    CHECK(aclrtFree(own));
    free(host);
}

static void describe(char *shape, size_t size)
{
    snprintf(shape, size, "n=%u launches=%u", n, launches);
}

int main(int argc, char **argv)
{
    const struct option_row rows[] = {
        {"--n", &n, 1, 1u << 24, "elements"},
        {"--launches", &launches, 1, 1u << 20, "number of launches"},
    };
    const struct ranks_program program = {
        "lccl_all_reduce", "sum over all ranks, read directly from their memory", run,
        describe};

    (void)argc;
    return ranks_main(&program, rows, sizeof(rows) / sizeof(rows[0]), argv);
}
