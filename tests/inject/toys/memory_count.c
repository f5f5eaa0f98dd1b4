/* memory_count.c - a program that prints its free memory before and after a launch, and
 * how many blocks it can allocate */
#include <acl/acl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000, BLOCK = 16 * 1024 * 1024, BLOCKS_MAX = 1024 };

/* Arguments of accumulate_inplace: output += input. */
struct arguments {
    void *input, *output;
    void *count_address;
    uint32_t count, pad;
};

static void need(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "memory_count: %s\n", what);
    exit(1);
}

static void *memory_of(size_t size)
{
    void *memory;

    need(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0, "memory");
    return memory;
}

static size_t memory_free(void)
{
    size_t is_free, total;

    need(aclrtGetMemInfo(ACL_HBM_MEM, &is_free, &total) == 0, "aclrtGetMemInfo");
    return is_free;
}

int main(int argc, char **argv)
{
    aclrtPlaceHolderInfo holder = {offsetof(struct arguments, count_address),
                                   offsetof(struct arguments, count)};
    struct arguments arguments = {.count = COUNT};
    aclrtBinHandle binary;
    aclrtFuncHandle accumulate;
    aclrtStream stream;
    void *more;
    int blocks = 0;

    need(argc == 2, "usage: memory_count KERNEL");
    need(aclInit(NULL) == 0 && aclrtSetDevice(0) == 0, "device");
    need(aclrtCreateStream(&stream) == 0, "stream");
    need(aclrtBinaryLoadFromFile(argv[1], NULL, &binary) == 0 &&
             aclrtBinaryGetFunction(binary, "accumulate_inplace", &accumulate) == 0,
         "kernel");
    arguments.input = memory_of(COUNT * sizeof(float));
    arguments.output = memory_of(COUNT * sizeof(float));
    printf("free: %zu\n", memory_free());
    for (int i = 0; i < 2; i++) {
        need(aclrtLaunchKernelWithHostArgs(accumulate, 4, stream, NULL, &arguments,
                                           sizeof(arguments), &holder, 1) == 0,
             "launch");
        need(aclrtSynchronizeStream(stream) == 0, "synchronise");
        printf("free: %zu\n", memory_free());
    }
    while (blocks < BLOCKS_MAX &&
           aclrtMalloc(&more, BLOCK, ACL_MEM_MALLOC_HUGE_FIRST) == 0)
        blocks++;
    printf("blocks: %d, free: %zu\n", blocks, memory_free());
    need(aclrtBinaryUnLoad(binary) == 0, "unload");
    need(aclrtResetDevice(0) == 0, "reset");
    need(aclrtSetDevice(0) == 0, "device");
    printf("after a reset: %zu\n", memory_free());
    need(aclrtResetDevice(0) == 0 && aclFinalize() == 0, "close");
    return 0;
}
