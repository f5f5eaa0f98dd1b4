/* blocked_rank.c - two ranks in one process, and a helper that works while one of them
 * waits for the other
 *
 * The second rank starts its sum after the helper has done its work. The helper starts
 * when the first rank has entered the same sum. If the waiting first rank held a lock
 * that the helper needs, the program would hang. */
#include <acl/acl.h>
#include <dlfcn.h>
#include <hccl/hccl.h>
#include <mstx/ms_tools_ext.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 2, ROUNDS = 300, COUNT = 8, SYNC_MS = 60 * 1000 };

/* Arguments of accumulate_inplace: output += input. */
struct arguments {
    void *input, *output;
    void *count_address;
    uint32_t count, pad;
};

static const char *kernel_file;
static HcclComm comms[RANKS];
static atomic_int entered, helped;
static atomic_int wrong;

static void need(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "blocked_rank: %s\n", what);
    exit(1);
}

static void wait_for(atomic_int *flag)
{
    while (!atomic_load(flag))
        sched_yield();
}

static void *be_rank(void *arg)
{
    int rank = (int)(intptr_t)arg;
    float value = (float)(rank + 1);
    aclrtStream stream;
    void *memory;

    need(aclrtSetDevice(rank) == 0 && aclrtCreateStream(&stream) == 0, "device");
    need(aclrtMalloc(&memory, sizeof(value), ACL_MEM_MALLOC_HUGE_FIRST) == 0 &&
             aclrtMemcpy(memory, sizeof(value), &value, sizeof(value),
                         ACL_MEMCPY_HOST_TO_DEVICE) == 0,
         "memory");
    if (rank == 0)
        atomic_store(&entered, 1);
    else
        wait_for(&helped);
    need(HcclAllReduce(memory, memory, 1, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM,
                       comms[rank], stream) == HCCL_SUCCESS,
         "sum");
    need(aclrtSynchronizeStreamWithTimeout(stream, SYNC_MS) == 0, "synchronise");
    need(aclrtMemcpy(&value, sizeof(value), memory, sizeof(value),
                     ACL_MEMCPY_DEVICE_TO_HOST) == 0,
         "download");
    atomic_fetch_add(&wrong, value != 3);
    need(aclrtFree(memory) == 0 && aclrtDestroyStream(stream) == 0, "clean");
    return NULL;
}

static void launch(void *memory)
{
    struct arguments arguments = {memory, memory, NULL, COUNT, 0};
    aclrtPlaceHolderInfo holder = {offsetof(struct arguments, count_address),
                                   offsetof(struct arguments, count)};
    aclrtBinHandle binary;
    aclrtFuncHandle kernel;

    need(aclrtBinaryLoadFromFile(kernel_file, NULL, &binary) == 0 &&
             aclrtBinaryGetFunction(binary, "accumulate_inplace", &kernel) == 0 &&
             aclrtLaunchKernelWithHostArgs(kernel, 1, NULL, NULL, &arguments,
                                           sizeof(arguments), &holder, 1) == 0 &&
             aclrtSynchronizeStream(NULL) == 0 && aclrtBinaryUnLoad(binary) == 0,
         "kernel");
}

/* Uses both cards like a helper thread of a framework. */
static void help(int card)
{
    float values[COUNT] = {1};
    aclrtEvent event;
    void *memory;

    need(aclrtSetDevice(card) == 0, "device");
    for (int i = 0; i < ROUNDS; i++) {
        mstxRangeId range = mstxRangeStartA("help", NULL);
        size_t is_free, total;

        need(aclrtMalloc(&memory, sizeof(values), ACL_MEM_MALLOC_HUGE_FIRST) == 0 &&
                 aclrtMemcpy(memory, sizeof(values), values, sizeof(values),
                             ACL_MEMCPY_HOST_TO_DEVICE) == 0 &&
                 aclrtGetMemInfo(ACL_HBM_MEM, &is_free, &total) == 0,
             "memory");
        launch(memory);
        need(aclrtFree(memory) == 0, "memory");
        need(dlsym(RTLD_DEFAULT, "aclrtMalloc") != NULL, "name");
        need(aclrtCreateEvent(&event) == 0 && aclrtRecordEvent(event, NULL) == 0 &&
                 aclrtSynchronizeEvent(event) == 0 && aclrtDestroyEvent(event) == 0,
             "event");
        mstxMarkA("helped", NULL);
        mstxRangeEnd(range);
    }
}

static void *be_helper(void *arg)
{
    wait_for(&entered);
    for (int card = 0; card < RANKS; card++)
        help(card);
    atomic_store(&helped, 1);
    return arg;
}

int main(int argc, char **argv)
{
    int32_t devices[RANKS] = {0, 1};
    pthread_t threads[RANKS + 1];

    need(argc == 2, "blocked_rank KERNEL");
    kernel_file = argv[1];
    need(aclInit(NULL) == 0 && aclrtSetDevice(0) == 0, "device");
    need(HcclCommInitAll(RANKS, devices, comms) == HCCL_SUCCESS, "communicators");
    need(pthread_create(&threads[RANKS], NULL, be_helper, NULL) == 0, "thread");
    for (int i = 0; i < RANKS; i++)
        need(pthread_create(&threads[i], NULL, be_rank, (void *)(intptr_t)i) == 0,
             "thread");
    for (int i = 0; i <= RANKS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < RANKS; i++)
        need(HcclCommDestroy(comms[i]) == HCCL_SUCCESS, "communicator");
    need(aclFinalize() == 0, "close");
    printf("wrong %d\n", atomic_load(&wrong));
    return 0;
}
