/* abi.h - constants and structs of the Ascend runtime and driver
 *
 * inject declares them itself, so the vendor's headers are not needed to build. It
 * calls the functions only through pointers. Handles are void *; results are int, 0
 * means success. */
#ifndef INJECT_BASE_ABI_H
#define INJECT_BASE_ABI_H

#include <stdint.h>

enum {
    ABI_PACKAGE_CANN = 0, /* aclCANNPackageName */
};

enum {
    ABI_NOT_SUPPORTED = 200001, /* the installed library has no such function */
    ABI_SYNC_TIMEOUT = 507046,
    ABI_PEER_FAILED = 507057, /* another card has an error */
    ABI_DEVICES_MAX = 64,     /* ids 0..63 */
};

enum {
    ABI_COPY_HOST_TO_DEVICE = 1,
    ABI_COPY_DEVICE_TO_HOST,
    ABI_COPY_DEVICE_TO_DEVICE
};
enum { ABI_ATTR_L2_BYTES = 302, ABI_MEMORY_HBM = 1 };
enum { ABI_FUNC_KERNEL_TYPE = 1, ABI_KERNEL_MIX = 3, ABI_KERNEL_VECTOR = 2 };
enum { ABI_CAPTURE_ACTIVE = 1 };
enum { ABI_CAPTURE_THREAD = 1 }; /* does not restrict calls of other threads */
enum {                           /* kernel types of the AI CPU part of an operator */
       ABI_KERNEL_AICPU_KFC = 5,
       ABI_KERNEL_CUSTOM_KFC = 6,
};
/* "Not supported" as HCCL and the profiler's library return it. */
enum { ABI_HCCL_NOT_SUPPORTED = 5, ABI_PROF_FAILED = -1 };

struct abi_dim3 {
    uint32_t x, y, z;
};

struct abi_args_ex { /* rtArgsEx_t */
    void *args;
    void *holders;
    uint32_t args_bytes;
    uint8_t offsets[11];
    uint8_t on_device; /* 1: the arguments are in device memory */
    uint8_t rest[8];
};

/* The driver. */
enum abi_module { MODULE_SYSTEM = 0, MODULE_AICORE = 4 };
enum abi_info {
    INFO_VERSION = 1,
    INFO_CORE_NUM = 3,
    INFO_FREQUENCY = 4,
    INFO_SYS_COUNT = 13,
    INFO_MONOTONIC_RAW = 14,
    INFO_PHY_CHIP_ID = 18,
    INFO_DEV_OSC_FREQUENCY = 25,
    INFO_CURRENT_FREQUENCY = 32,
};

enum abi_chip {
    ABI_CHIP_310P = 4,
    ABI_CHIP_A2 = 5,
    ABI_CHIP_310B = 7,
    ABI_CHIP_A5 = 15
};

enum abi_channel {
    PROF_CORE_FIRST = 11, /* 950: cube, vector 0, vector 1 of each of six cores */
    PROF_CORE_CHANNELS = 18,
    PROF_AICORE = 43,
    PROF_HWTS_LOG = 45,
    PROF_L2 = 47,
    PROF_STARS_LOG = 50,
    PROF_TASK_PMU = 53,
    PROF_SERVER = 143, /* written by the AI CPU */
};
enum prof_channel_type { PROF_SCHEDULER, PROF_PERIPHERAL };

enum { PROF_DATA_LOST = 0x916 };
enum { SWITCH_ON = 1, SWITCH_OFF = 2 };

struct prof_start {
    uint32_t channel_type; /* enum prof_channel_type */
    uint32_t sample_period;
    uint32_t real_time;
    void *user_data;
    uint32_t user_data_size;
};

struct prof_poll {
    uint32_t device;
    uint32_t channel;
};

struct prof_channel_list {
    uint32_t chip_type;
    uint32_t count;
    struct {
        char name[32];
        uint32_t type;
        uint32_t id;
    } channels[160];
};

struct core_events8 {
    uint32_t type; /* bits: task 1, block 4 */
    uint32_t period;
    uint32_t core_mask;
    uint32_t count;
    uint16_t events[8];
};

struct task_pmu_config { /* A2, A3, 310B */
    uint32_t mode;       /* 3: cubes and vectors */
    struct core_events8 aic, aiv;
    uint16_t tag;
    uint16_t scale;
};

struct core_events10 {
    uint32_t type;
    uint32_t period;
    uint32_t core_mask;
    uint32_t count;
    uint16_t events[10];
};

struct task_pmu_config_a5 {
    uint32_t mode;
    struct core_events10 aic, aiv;
    uint32_t tag;
    uint32_t block_shrink; /* 2: off */
    uint32_t scale;
};

struct aicore_config { /* 310P */
    uint32_t type;
    uint32_t almost_full;
    uint32_t period;
    uint32_t core_mask;
    uint32_t count;
    uint32_t events[8];
    uint32_t tag;
};

struct l2_config {
    uint32_t count;
    uint32_t events[8];
};

struct stars_log_config {
    uint32_t acsq_task, acc_pmu, cdqm, vpc, jpegd, jpege, ffts_context, ffts_block,
        sdma;
};

/* Newer drivers read a byte more: report lost data. */
enum { PROF_LONG_CORE_CONFIG = 0x072419 };
enum prof_core_mode { PROF_CORE_INSTRUCTIONS, PROF_CORE_SAMPLES };

struct __attribute__((packed)) core_channel_config {
    uint32_t period;
    uint32_t mode;        /* enum prof_core_mode */
    uint32_t kind, group; /* 0: those of the channel */
    uint8_t report_loss;
};

struct prof_command { /* MsprofCommandHandle */
    uint64_t switches;
    uint64_t switches_high;
    uint32_t device_count;
    uint32_t devices[64];
    uint32_t model;
    uint32_t type; /* 1 start, 2 stop */
    uint32_t cache_flag;
    uint8_t parameters[5136];
};

_Static_assert(sizeof(struct prof_start) == 32, "prof_start_para");
_Static_assert(sizeof(struct prof_channel_list) == 6408, "channel_list");
_Static_assert(sizeof(struct task_pmu_config) == 72, "channel 53");
_Static_assert(sizeof(struct task_pmu_config_a5) == 88, "channel 53 of the 950");
_Static_assert(sizeof(struct aicore_config) == 56, "channel 43");
_Static_assert(sizeof(struct core_channel_config) == 17, "channels 11 to 28");
_Static_assert(sizeof(struct prof_command) == 5424, "MsprofCommandHandle");
_Static_assert(sizeof(struct abi_args_ex) == 40, "rtArgsEx");

#endif
