/* repeated_launches.c - a program that launches many times and checks that its process
 * does not grow: memory, descriptors, threads
 *
 *   repeated_launches KERNEL LAUNCHES
 *
 * The first fifth of the launches may allocate. */
#include <acl/acl.h>
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
enum { SLACK_KIB = 300 * 1024 }; /* the sanitizer keeps 256 MiB of freed memory */
#else
enum { SLACK_KIB = 512 };
#endif
enum { COUNT = 1000 };

/* Arguments of accumulate_inplace: output += input. */
struct arguments {
    void *input, *output;
    void *count_address;
    uint32_t count, pad;
};

struct size {
    long memory_kib;
    int descriptors, threads;
};

static void need(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "repeated_launches: %s\n", what);
    exit(1);
}

static int entries(const char *folder)
{
    DIR *dir = opendir(folder);
    int count = 0;

    need(dir != NULL, folder);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

/* Without shared memory: the pages of the ring are allocated at their first use. */
static struct size measure(void)
{
    long all, resident, shared;
    FILE *file = fopen("/proc/self/statm", "r");

    need(file && fscanf(file, "%ld %ld %ld", &all, &resident, &shared) == 3, "statm");
    fclose(file);
    return (struct size){
        .memory_kib = (resident - shared) * (sysconf(_SC_PAGESIZE) / 1024),
        .descriptors = entries("/proc/self/fd"),
        .threads = entries("/proc/self/task"),
    };
}

static void *memory_of(size_t size)
{
    void *memory;

    need(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0, "memory");
    need(aclrtMemset(memory, size, 0, size) == 0, "memset");
    return memory;
}

int main(int argc, char **argv)
{
    aclrtPlaceHolderInfo holder = {offsetof(struct arguments, count_address),
                                   offsetof(struct arguments, count)};
    struct arguments arguments = {.count = COUNT};
    int launches = argc == 3 ? atoi(argv[2]) : 0;
    struct size before = {0}, after;
    aclrtBinHandle binary;
    aclrtFuncHandle accumulate;
    aclrtStream stream;

    need(launches >= 5, "usage: repeated_launches KERNEL LAUNCHES");
    need(aclInit(NULL) == 0 && aclrtSetDevice(0) == 0, "device");
    need(aclrtCreateStream(&stream) == 0, "stream");
    need(aclrtBinaryLoadFromFile(argv[1], NULL, &binary) == 0 &&
             aclrtBinaryGetFunction(binary, "accumulate_inplace", &accumulate) == 0,
         "kernel");
    arguments.input = memory_of(COUNT * sizeof(float));
    arguments.output = memory_of(COUNT * sizeof(float));
    for (int i = 0; i < launches; i++) {
        need(aclrtLaunchKernelWithHostArgs(accumulate, 4, stream, NULL, &arguments,
                                           sizeof(arguments), &holder, 1) == 0,
             "launch");
        need(aclrtSynchronizeStream(stream) == 0, "synchronise");
        if (i == launches / 5)
            before = measure();
    }
    after = measure();
    if (after.memory_kib - before.memory_kib > SLACK_KIB)
        printf("memory grew by %ld KiB\n", after.memory_kib - before.memory_kib);
    if (after.descriptors != before.descriptors)
        printf("descriptors: %d, then %d\n", before.descriptors, after.descriptors);
    if (after.threads != before.threads)
        printf("threads: %d, then %d\n", before.threads, after.threads);
    need(aclrtBinaryUnLoad(binary) == 0, "unload");
    need(aclrtResetDevice(0) == 0 && aclFinalize() == 0, "close");
    printf("repeated_launches\n");
    return 0;
}
