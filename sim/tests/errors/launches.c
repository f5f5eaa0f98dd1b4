/* launches.c - errors of kernel launches and of their execution */
#include <runtime/rt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sim/tests/device.h"
#include "sim/tests/errors/errors.h"

static int file_that_is_not_there(void)
{
    aclrtBinHandle handle;

    MUST(aclrtSetDevice(0));
    return aclrtBinaryLoadFromFile("no_such_kernel.o", NULL, &handle);
}

static int kernel_that_is_not_there(void)
{
    aclrtFuncHandle function;

    MUST(aclrtSetDevice(0));
    probe_function("probe_empty");
    return aclrtBinaryGetFunction(probe_binary(), "no_such_kernel", &function);
}

static int symbol_registered_twice(void)
{
    int symbol;

    MUST(aclrtSetDevice(0));
    probe_function("probe_empty");
    MUST(rtFunctionRegister(probe_binary(), &symbol, "probe_empty", NULL, 0));
    return rtFunctionRegister(probe_binary(), &symbol, "probe_empty", NULL, 0);
}

static int symbol_that_is_not_registered(void)
{
    aclrtFuncHandle function = NULL;

    return aclrtGetFuncBySymbol(&function, &function);
}

static int no_symbol(void)
{
    aclrtFuncHandle function;

    return aclrtGetFuncBySymbol(NULL, &function);
}

static int neither_handle_nor_symbol(void)
{
    uint64_t thing = 0;

    MUST(aclrtSetDevice(0));
    return aclrtLaunchKernelWithArgsArray(&thing, 1, NULL, NULL, NULL);
}

/* Launches a probe and returns the result of the next synchronise. */
static int outcome(const char *name, uint64_t value, aclrtLaunchKernelCfg *config)
{
    struct probe_args args = {.value = value};
    aclrtFuncHandle function;

    MUST(aclrtSetDevice(0));
    function = probe_function(name);
    MUST(aclrtMalloc(&args.seen, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    MUST(aclrtLaunchKernelWithHostArgs(function, 1, NULL, config, &args, sizeof(args),
                                       NULL, 0));
    return aclrtSynchronizeStream(NULL);
}

static int kernel_that_fails(void)
{
    return outcome("probe", 1, NULL);
}

static int kernel_that_takes_too_long(void)
{
    aclrtLaunchKernelAttr limit = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US};
    aclrtLaunchKernelCfg config = {&limit, 1};

    limit.value.timeoutUs.timeoutLow = 1000;
    return outcome("probe_long", UINT64_C(1) << 40, &config);
}

/* For chips with separate vector cores. */
static int outcome_on_vector_cores(const char *name, uint64_t value)
{
    struct probe_args args = {.value = value};
    rtArgsEx_t all = {.args = &args, .argsSize = sizeof(args)};
    int symbol;

    MUST(aclrtSetDevice(0));
    probe_function(name);
    MUST(aclrtMalloc(&args.seen, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    MUST(rtFunctionRegister(probe_binary(), &symbol, name, NULL, 0));
    MUST(rtVectorCoreKernelLaunch(&symbol, 1, &all, NULL, NULL, 0, NULL));
    return aclrtSynchronizeStream(NULL);
}

static int vector_kernel_that_fails(void)
{
    MUST(setenv("NPU_SIM_FAULTS", "fail_launch=1", 1));
    return outcome_on_vector_cores("probe", 1);
}

static int vector_kernel_that_takes_too_long(void)
{
    MUST(aclrtSetOpExecuteTimeOut(1));
    return outcome_on_vector_cores("probe_long", UINT64_C(1) << 40);
}

struct cpu_launch {
    struct probe_args args;
    char library[512], kernel[64];
};

static int cpu_outcome(const char *kernel)
{
    struct cpu_launch launch = {.args = {.value = 0}};
    rtAicpuArgsEx_t args = {
        .args = &launch,
        .argsSize = sizeof(launch),
        .soNameAddrOffset = offsetof(struct cpu_launch, library),
        .kernelNameAddrOffset = offsetof(struct cpu_launch, kernel),
        .timeout = 1,
    };

    strcpy(launch.library, PROBE_AICPU);
    strcpy(launch.kernel, kernel);
    MUST(aclrtSetDevice(0));
    MUST(aclrtMalloc(&launch.args.seen, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    MUST(aclrtMemset(launch.args.seen, 4096, 0, 4096));
    MUST(rtAicpuKernelLaunchExWithArgs(KERNEL_TYPE_AICPU_KFC, "Probe", 1, &args, NULL,
                                       NULL, RT_KERNEL_USE_SPECIAL_TIMEOUT));
    return aclrtSynchronizeStream(NULL);
}

static int cpu_kernel_that_fails(void)
{
    return cpu_outcome("probe_cpu_fails");
}

static int cpu_kernel_that_takes_too_long(void)
{
    return cpu_outcome("probe_cpu_waits");
}

static const struct error_case cases[] = {
    REACH(ACL_ERROR_RT_FILE_OPEN,
          "a kernel file that is not there",
          file_that_is_not_there),
    REACH(ACL_ERROR_RT_KERNEL_LOOKUP,
          "a kernel that its file has not",
          kernel_that_is_not_there),
    REACH(ACL_ERROR_RT_KERNEL_DUPLICATE,
          "a symbol registered twice",
          symbol_registered_twice),
    REACH(ACL_ERROR_RT_SYMBOL_NOT_FOUND,
          "a symbol that was not registered",
          symbol_that_is_not_registered),
    REACH(ACL_ERROR_RT_INVALID_SYMBOL, "no symbol at all", no_symbol),
    REACH(ACL_ERROR_RT_INVALID_DEVICE_FUNCTION,
          "neither a handle nor a symbol",
          neither_handle_nor_symbol),
    REACH_WITH("NPU_SIM_FAULTS=fail_launch=1",
               ACL_ERROR_RT_AICORE_EXCEPTION,
               "a kernel that fails",
               kernel_that_fails),
    REACH(ACL_ERROR_RT_AICORE_TIMEOUT,
          "a kernel above its limit",
          kernel_that_takes_too_long),
    REACH_WITH("NPU_SIM_SOC=Ascend310P3",
               ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
               "a vector kernel that fails",
               vector_kernel_that_fails),
    REACH_WITH("NPU_SIM_SOC=Ascend310P3",
               ACL_ERROR_RT_VECTOR_CORE_TIMEOUT,
               "a vector kernel above its limit",
               vector_kernel_that_takes_too_long),
    REACH(ACL_ERROR_RT_AICPU_EXCEPTION,
          "an AI CPU kernel that fails",
          cpu_kernel_that_fails),
    REACH(ACL_ERROR_RT_AICPU_TIMEOUT,
          "an AI CPU kernel above its limit",
          cpu_kernel_that_takes_too_long),
    REACH_WITH("NPU_SIM_FLEET=" ERRORS_FLEET,
               ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR,
               "memory that cannot be corrected",
               kernel_that_fails),
};

const struct error_list errors_launches = {cases, COUNT(cases)};
