/* counters.c - prints the counter records of a launch, without the time
 *
 * Two processes have different heaps; their output must be equal. */
#include <ascend_hal.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/tests/device.h"

#define BYTES (1u << 20)

static void need(int error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "%s: %d\n", what, error);
    exit(1);
}

static uint64_t word(const char *record, size_t at)
{
    uint64_t value;

    memcpy(&value, record + at, sizeof(value));
    return value;
}

static void print(const char *records, int size, uint64_t start)
{
    for (int at = 0; at + 128 <= size; at += 128) {
        for (size_t i = 0; i < 112; i += 8)
            printf("%" PRIx64 " ", word(records + at, i));
        printf("%" PRIu64 " %" PRIu64 "\n", word(records + at, 112) - start,
               word(records + at, 120) - start);
    }
}

int main(void)
{
    static char records[1 << 16];
    prof_ffts_config_t config = {
        .cfg_mode = 3,
        .core = {{5, 0, UINT32_MAX, 8, {10, 12, 9, 1284, 1286, 1288, 1290, 770}},
                 {5, 0, UINT32_MAX, 8, {8, 12, 9, 1284, 1286, 1288, 1290, 85}}},
    };
    struct prof_start_para para = {PROF_TS_TYPE, 0, 1, &config, sizeof(config)};
    struct probe_args args = {NULL, 0, NULL};
    aclrtFuncHandle function;
    aclrtBinHandle binary;
    int size;

    need(aclrtSetDevice(0), "device");
    need(!(function = device_kernel(&binary, "probe_mix")), "kernel");
    need(aclrtMalloc(&args.seen, BYTES, ACL_MEM_MALLOC_HUGE_FIRST), "memory");
    need(prof_drv_start(0, CHANNEL_FFTS_PROFILE_TASK, &para), "channel");
    for (int i = 0; i < 3; i++) { /* later launches hit lines in the L2 */
        need(aclrtLaunchKernelWithHostArgs(function, 12, NULL, NULL, &args,
                                           sizeof(args), NULL, 0),
             "launch");
        need(aclrtSynchronizeStream(NULL), "synchronise");
        size =
            prof_channel_read(0, CHANNEL_FFTS_PROFILE_TASK, records, sizeof(records));
        need(size != 12 * 3 * 128, "records");
        print(records, size, word(records, 112));
    }
    need(prof_stop(0, CHANNEL_FFTS_PROFILE_TASK), "stop");
    need(aclrtFree(args.seen), "free");
    need(aclrtBinaryUnLoad(binary), "unload");
    need(aclrtResetDevice(0), "reset");
    return 0;
}
