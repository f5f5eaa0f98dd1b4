/* marker.c - a program with mstx marks, like a binary with the mstx header
 *
 * It has a table of functions. A library in the process that exports InitInjectionMstx
 * fills the table. Without such a library a mark has no effect.
 *
 *   marker KERNEL [LAUNCHES [default]]
 *
 * It launches so often (1) in the range "forward" inside the range "step"; if more than
 * once, then also behind it in "step", waits, and launches once more. With "default" it
 * uses the default stream, which cannot be captured. */
#include <acl/acl.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };

typedef void function(void);

static function *marks[5], *domains[6];
static function **mark_slots[5] = {NULL, &marks[1], &marks[2], &marks[3], &marks[4]};
static function **domain_slots[6] = {NULL,        &domains[1], &domains[2],
                                     &domains[3], &domains[4], &domains[5]};

static int get_table(int module, function ****table, unsigned *size)
{
    if (module != 1 && module != 2)
        return 1;
    *table = module == 1 ? mark_slots : domain_slots;
    *size = module == 1 ? 5 : 6;
    return 0;
}

static void need(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "marker: %s\n", what);
    exit(1);
}

/* A function of the table that is not set has no effect. */
static void mark(const char *text)
{
    if (marks[1])
        ((void (*)(const char *, aclrtStream))marks[1])(text, NULL);
}

static uint64_t start(const char *text, aclrtStream stream)
{
    return marks[2] ? ((uint64_t(*)(const char *, aclrtStream))marks[2])(text, stream)
                    : 0;
}

static void end(uint64_t id)
{
    if (marks[3])
        ((void (*)(uint64_t))marks[3])(id);
}

static void *create(const char *name)
{
    return domains[1] ? ((void *(*)(const char *))domains[1])(name) : NULL;
}

static void mark_in(void *domain, const char *text)
{
    if (domains[3])
        ((void (*)(void *, const char *, aclrtStream))domains[3])(domain, text, NULL);
}

static uint64_t start_in(void *domain, const char *text)
{
    return domains[4] ? ((uint64_t(*)(void *, const char *, aclrtStream))domains[4])(
                            domain, text, NULL)
                      : 0;
}

static void end_in(void *domain, uint64_t id)
{
    if (domains[5])
        ((void (*)(void *, uint64_t))domains[5])(domain, id);
}

/* Arguments of accumulate_inplace: output += input. */
struct arguments {
    void *input, *output;
    void *count_address;
    uint32_t count, pad;
};

static void *upload(const void *values, size_t size)
{
    void *memory;

    need(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0 &&
             aclrtMemcpy(memory, size, values, size, ACL_MEMCPY_HOST_TO_DEVICE) == 0,
         "memory");
    return memory;
}

int main(int argc, char **argv)
{
    int (*init)(int (*)(int, function ****, unsigned *)) =
        (int (*)(int (*)(int, function ****, unsigned *)))dlsym(NULL,
                                                                "InitInjectionMstx");
    aclrtPlaceHolderInfo holder = {offsetof(struct arguments, count_address),
                                   offsetof(struct arguments, count)};
    struct arguments arguments = {.count = COUNT};
    static float values[COUNT];
    aclrtBinHandle binary;
    aclrtFuncHandle accumulate;
    aclrtStream stream;
    uint64_t step, forward;
    int launches = argc > 2 ? atoi(argv[2]) : 1;
    void *domain;
    long wrong = 0;

    need(argc >= 2 && launches > 0, "usage: marker KERNEL [LAUNCHES]");
    if (init)
        need(init(get_table) == 0 && init(NULL) != 0, "InitInjectionMstx");
    mark("too early: no device is used yet");
    need(aclInit(NULL) == 0 && aclrtSetDevice(0) == 0, "device");
    stream = NULL;
    need(argc > 3 || aclrtCreateStream(&stream) == 0, "stream");
    need(aclrtBinaryLoadFromFile(argv[1], NULL, &binary) == 0 &&
             aclrtBinaryGetFunction(binary, "accumulate_inplace", &accumulate) == 0,
         "kernel");
    for (int i = 0; i < COUNT; i++)
        values[i] = (float)i;
    arguments.input = upload(values, sizeof(values));
    arguments.output = upload(values, sizeof(values));
    mark("ready");
    domain = create("mine");
    step = start("step", stream);
    forward = start_in(domain, "forward");
#define LAUNCH()                                                                       \
    need(aclrtLaunchKernelWithHostArgs(accumulate, 4, stream, NULL, &arguments,        \
                                       sizeof(arguments), &holder, 1) == 0,            \
         "launch")
    for (int i = 0; i < launches; i++)
        LAUNCH();
    end_in(domain, forward);
    if (launches > 1) {
        LAUNCH();
        need(aclrtSynchronizeStream(stream) == 0, "synchronise");
        LAUNCH();
        launches += 2;
    }
    end(step);
    end(step);
    mark_in(domain, "done");
    need(aclrtSynchronizeStream(stream) == 0, "synchronise");
    need(aclrtMemcpy(values, sizeof(values), arguments.output, sizeof(values),
                     ACL_MEMCPY_DEVICE_TO_HOST) == 0,
         "download");
    for (int i = 0; i < COUNT; i++)
        wrong += values[i] != (float)i * (float)(launches + 1);
    need(aclrtBinaryUnLoad(binary) == 0, "unload");
    need(aclrtResetDevice(0) == 0 && aclFinalize() == 0, "close");
    printf("wrong: %ld\n", wrong);
    return 0;
}
