/* reporter.c - a program that sends reports to a profiler after a profiler has started
 * it
 *
 * Its kernel (reporter_kernel.c) reports time stamps, and the program reports a
 * communicator. Its output does not depend on a profiler. */
#include <acl/acl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <toolchain/prof_api.h>

enum { BLOCKS = 3, COUNT = 64, MODULE_OPERATORS = 61, MODULE_SERVER = 7 };

struct arguments {
    uint32_t *seen;
};

static atomic_bool stamps;
static atomic_uint server_starts;

void reporter_stamp(uint32_t block);

static void need(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "reporter: %s\n", what);
    exit(1);
}

static void report(uint16_t level, uint32_t type, const void *data, uint32_t size)
{
    struct MsprofAdditionalInfo info = {
        .magicNumber = MSPROF_REPORT_DATA_MAGIC_NUM,
        .level = level,
        .type = type,
        .dataLen = size,
        .timeStamp = 12345,
    };

    memcpy(info.data, data, size);
    need(MsprofReportAdditionalInfo(0, &info, sizeof(info)) == 0, "report");
}

/* The kernel calls this function on a thread of the runtime. */
void reporter_stamp(uint32_t block)
{
    uint8_t stamp[24] = {(uint8_t)(block + 1)};

    if (atomic_load(&stamps))
        report(3000, 0, stamp, sizeof(stamp));
}

static int32_t on_operators(uint32_t type, void *data, uint32_t length)
{
    const struct MsprofCommandHandle *command = data;

    if (type == PROF_CTRL_SWITCH && length == sizeof(*command) && command->type == 1 &&
        command->profSwitch & 0x100000000)
        atomic_store(&stamps, true);
    return 0;
}

static int32_t on_server(uint32_t type, void *data, uint32_t length)
{
    const struct MsprofCommandHandle *command = data;

    if (type == PROF_CTRL_SWITCH && length == sizeof(*command) && command->type == 1 &&
        command->profSwitchHi == 0x01000000000000 && command->devNums == 1)
        atomic_fetch_add(&server_starts, 1);
    return 0;
}

static void report_communicator(void)
{
    struct {
        uint64_t name;
        uint32_t ranks, rank, global_rank, server_stream, stream_count, streams[8], pad;
    } communicator = {0xabc, 4, 1, 5, 17, 2, {21, 22}, 0};

    report(10000, 12, &communicator, sizeof(communicator));
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    aclrtBinHandle binary;
    aclrtFuncHandle function;
    aclrtStream stream;
    void *memory;
    long wrong = 0;
    uint32_t seen[BLOCKS];

    need(argc == 2, "usage: reporter KERNEL");
    need(MsprofRegisterCallback(MODULE_OPERATORS, on_operators) == 0, "register");
    need(MsprofRegisterCallback(MODULE_SERVER, on_server) == 0, "register");
    need(aclInit(NULL) == 0 && aclrtSetDevice(0) == 0, "device");
    for (int i = 0; i < 2; i++)
        need(MsprofNotifySetDevice(0, 0, true) == 0, "notify");
    need(aclrtCreateStream(&stream) == 0, "stream");
    need(aclrtBinaryLoadFromFile(argv[1], NULL, &binary) == 0 &&
             aclrtBinaryGetFunction(binary, "reporter", &function) == 0,
         "kernel");
    need(aclrtMalloc(&memory, sizeof(seen), ACL_MEM_MALLOC_HUGE_FIRST) == 0, "memory");
    arguments.seen = memory;
    reporter_stamp(100); /* outside of a launch */
    report_communicator();
    need(aclrtLaunchKernelWithHostArgs(function, BLOCKS, stream, NULL, &arguments,
                                       sizeof(arguments), NULL, 0) == 0,
         "launch");
    need(aclrtSynchronizeStream(stream) == 0, "synchronise");
    need(aclrtMemcpy(seen, sizeof(seen), memory, sizeof(seen),
                     ACL_MEMCPY_DEVICE_TO_HOST) == 0,
         "copy");
    for (uint32_t i = 0; i < BLOCKS; i++)
        wrong += seen[i] != i + 1;
    need(aclrtBinaryUnLoad(binary) == 0, "unload");
    need(aclrtFree(memory) == 0 && aclrtResetDevice(0) == 0 && aclFinalize() == 0,
         "close");
    need(!atomic_load(&stamps) || atomic_load(&server_starts) == 1, "one start");
    printf("wrong: %ld\n", wrong);
    return 0;
}
