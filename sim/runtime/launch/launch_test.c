#include <acl/acl.h>
#include <runtime/rt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

#define BLOCKS 3

static uint32_t *seen; /* on the device */

static void expect_seen(uint32_t value)
{
    uint32_t host[BLOCKS];

    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(
        aclrtMemcpy(host, sizeof(host), seen, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST),
        0);
    for (int i = 0; i < BLOCKS; i++)
        assert_int_equal(host[i], value);
    assert_int_equal(aclrtMemset(seen, sizeof(host), 0, sizeof(host)), 0);
}

static int open_all(void **state)
{
    return device_open(state) ||
           aclrtMalloc((void **)&seen, 1 << 18, ACL_MEM_MALLOC_HUGE_FIRST);
}

static int close_all(void **state)
{
    return aclrtFree(seen) || device_close(state);
}

static void host_arguments_are_copied_before_the_call_returns(void **ctx)
{
    struct probe_args args = {seen, 5, NULL};
    aclrtBinHandle binary;
    aclrtFuncHandle probe = device_kernel(&binary, "probe");

    (void)ctx;
    assert_non_null(probe);
    assert_int_equal(aclrtLaunchKernelWithHostArgs(probe, BLOCKS, NULL, NULL, &args,
                                                   sizeof(args), NULL, 0),
                     0);
    memset(&args, 0xFF, sizeof(args));
    expect_seen(5 + BLOCKS * 1000 + sizeof(args));
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static void a_place_holder_becomes_the_address_of_its_data(void **ctx)
{
    struct {
        struct probe_args args;
        uint64_t data;
    } all = {{seen, 5, NULL}, 100};
    aclrtPlaceHolderInfo good = {16, 24}, bad = {32, 24};
    aclrtBinHandle binary;
    aclrtFuncHandle probe = device_kernel(&binary, "probe");

    (void)ctx;
    assert_int_equal(aclrtLaunchKernelWithHostArgs(probe, BLOCKS, NULL, NULL, &all,
                                                   sizeof(all), &good, 1),
                     0);
    expect_seen(105 + BLOCKS * 1000 + sizeof(all));
    assert_int_equal(aclrtLaunchKernelWithHostArgs(probe, BLOCKS, NULL, NULL, &all,
                                                   sizeof(all), &bad, 1),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static void fill_list(aclrtArgsHandle args, aclrtParamHandle *value)
{
    aclrtParamHandle other;
    uint64_t number = 7;
    void *buffer;

    assert_int_equal(aclrtKernelArgsAppend(args, &seen, sizeof(seen), &other), 0);
    assert_int_equal(aclrtKernelArgsAppend(args, &number, sizeof(number), value), 0);
    assert_int_equal(aclrtKernelArgsAppendPlaceHolder(args, &other), 0);
    assert_int_equal(aclrtKernelArgsGetPlaceHolderBuffer(args, other, 8, &buffer), 0);
    *(uint64_t *)buffer = 50;
    assert_int_equal(aclrtKernelArgsFinalize(args), 0);
}

static void a_list_serves_several_launches(void **ctx)
{
    aclrtBinHandle binary;
    aclrtFuncHandle probe = device_kernel(&binary, "probe");
    aclrtParamHandle value;
    aclrtArgsHandle args;
    uint64_t number = 9;

    (void)ctx;
    assert_int_equal(aclrtKernelArgsInit(probe, &args), 0);
    assert_int_equal(aclrtLaunchKernelWithConfig(probe, BLOCKS, NULL, NULL, args, NULL),
                     ACL_ERROR_RT_PARAM_INVALID); /* the list is not finished */
    fill_list(args, &value);
    assert_int_equal(aclrtLaunchKernelWithConfig(probe, BLOCKS, NULL, NULL, args, NULL),
                     0);
    expect_seen(57 + BLOCKS * 1000 + 32);
    assert_int_equal(aclrtKernelArgsParaUpdate(args, value, &number, 8), 0);
    assert_int_equal(aclrtLaunchKernelWithConfig(probe, BLOCKS, NULL, NULL, args, NULL),
                     0);
    expect_seen(59 + BLOCKS * 1000 + 32);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static void a_list_may_be_in_memory_of_the_program(void **ctx)
{
    aclrtBinHandle binary;
    aclrtFuncHandle probe = device_kernel(&binary, "probe");
    aclrtParamHandle value;
    size_t handle_size, size;
    uint64_t memory[8];
    void *args;

    (void)ctx;
    assert_int_equal(aclrtKernelArgsGetHandleMemSize(probe, &handle_size), 0);
    assert_int_equal(aclrtKernelArgsGetMemSize(probe, 32, &size), 0);
    assert_true(size >= 32 && size <= sizeof(memory));
    args = malloc(handle_size);
    assert_int_equal(aclrtKernelArgsInitByUserMem(probe, args, memory, size), 0);
    fill_list(args, &value);
    assert_int_equal(aclrtLaunchKernelWithConfig(probe, BLOCKS, NULL, NULL, args, NULL),
                     0);
    expect_seen(57 + BLOCKS * 1000 + (uint32_t)size);
    free(args);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static void device_arguments_must_be_on_the_device(void **ctx)
{
    struct probe_args args = {seen, 5, NULL};
    aclrtBinHandle binary;
    aclrtFuncHandle probe = device_kernel(&binary, "probe");
    void *device;

    (void)ctx;
    assert_int_equal(aclrtLaunchKernel(probe, BLOCKS, &args, sizeof(args), NULL),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtMalloc(&device, sizeof(args), ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtMemcpy(device, sizeof(args), &args, sizeof(args),
                                 ACL_MEMCPY_HOST_TO_DEVICE),
                     0);
    assert_int_equal(aclrtLaunchKernel(probe, BLOCKS, device, sizeof(args), NULL), 0);
    expect_seen(5 + BLOCKS * 1000 + sizeof(args));
    assert_int_equal(aclrtLaunchKernel(probe, 0, device, sizeof(args), NULL),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtFree(device), 0);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static void a_mix_block_runs_its_cube_and_then_its_vectors(void **ctx)
{
    struct probe_args args = {seen, 0, NULL};
    aclrtBinHandle binary;
    aclrtFuncHandle mix = device_kernel(&binary, "probe_mix");
    int64_t kind;

    (void)ctx;
    assert_int_equal(aclrtGetFunctionAttribute(mix, ACL_FUNC_ATTR_KERNEL_TYPE, &kind),
                     0);
    assert_int_equal(kind, ACL_KERNEL_TYPE_MIX);
    assert_int_equal(aclrtLaunchKernelWithHostArgs(mix, BLOCKS, NULL, NULL, &args,
                                                   sizeof(args), NULL, 0),
                     0);
    expect_seen(123);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static void missing_files_and_missing_functions_have_different_errors(void **ctx)
{
    aclrtFuncHandle function;
    aclrtBinHandle binary;
    char name[16];

    (void)ctx;
    assert_int_equal(aclrtBinaryLoadFromFile("nowhere.o", NULL, &binary),
                     ACL_ERROR_RT_FILE_OPEN);
    assert_int_equal(aclrtBinaryLoadFromData("no elf", 6, NULL, &binary),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_non_null(device_kernel(&binary, "probe"));
    assert_int_equal(aclrtBinaryGetFunction(binary, "prob", &function),
                     ACL_ERROR_RT_KERNEL_LOOKUP);
    assert_int_equal(aclrtBinaryGetFunctionByEntry(binary, 7, &function), 0);
    assert_int_equal(aclrtGetFunctionName(function, sizeof(name), name), 0);
    assert_string_equal(name, "probe_7");
    assert_int_equal(aclrtBinaryGetFunctionByEntry(binary, 8, &function),
                     ACL_ERROR_RT_KERNEL_LOOKUP);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static void *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    void *bytes;

    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void a_registered_symbol_launches_its_kernel(void **ctx)
{
    static const char symbol;
    struct probe_args args = {seen, 4, NULL};
    rtArgsEx_t all = {.args = &args, .argsSize = sizeof(args)};
    rtDevBinary_t binary = {RT_DEV_BINARY_MAGIC_ELF, 0, NULL, 0};
    size_t size;
    void *handle, *bytes = read_file(PROBE_KERNEL, &size);

    (void)ctx;
    binary.data = bytes;
    binary.length = size;
    assert_int_equal(rtDevBinaryRegister(&binary, &handle), 0);
    free(bytes);
    assert_int_equal(rtFunctionRegister(handle, &symbol, "probe", NULL, 0), 0);
    assert_int_equal(rtKernelLaunch(&symbol, BLOCKS, &args, sizeof(args), NULL, NULL),
                     0);
    expect_seen(4 + BLOCKS * 1000 + sizeof(args));
    assert_int_equal(
        rtKernelLaunchWithHandle(handle, 7, BLOCKS, &all, NULL, NULL, NULL), 0);
    expect_seen(4 + BLOCKS * 1000 + sizeof(args));
    assert_int_equal(rtDevBinaryUnRegister(handle), 0);
    assert_int_equal(rtKernelLaunch(&symbol, BLOCKS, &args, sizeof(args), NULL, NULL),
                     ACL_ERROR_RT_INVALID_SYMBOL);
}

static uint32_t reported_code;

static void on_exception(aclrtExceptionInfo *info)
{
    reported_code = aclrtGetErrorCodeFromExceptionInfo(info);
}

/* The third launch of this process fails: NPU_SIM_FAULTS of this test's main(). */
static void the_next_synchronise_reports_a_failed_kernel(void **ctx)
{
    struct probe_args args = {seen, 5, NULL};
    aclrtBinHandle binary;
    aclrtFuncHandle probe = device_kernel(&binary, "probe");

    (void)ctx;
    assert_int_equal(aclrtSetExceptionInfoCallback(on_exception), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(aclrtLaunchKernelWithHostArgs(probe, BLOCKS, NULL, NULL, &args,
                                                       sizeof(args), NULL, 0),
                         0);
    assert_int_equal(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
    assert_int_equal(reported_code, ACL_ERROR_RT_AICORE_EXCEPTION);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_synchronise_reports_a_failed_kernel),
        cmocka_unit_test(host_arguments_are_copied_before_the_call_returns),
        cmocka_unit_test(a_place_holder_becomes_the_address_of_its_data),
        cmocka_unit_test(a_list_serves_several_launches),
        cmocka_unit_test(a_list_may_be_in_memory_of_the_program),
        cmocka_unit_test(device_arguments_must_be_on_the_device),
        cmocka_unit_test(a_mix_block_runs_its_cube_and_then_its_vectors),
        cmocka_unit_test(missing_files_and_missing_functions_have_different_errors),
        cmocka_unit_test(a_registered_symbol_launches_its_kernel),
    };
    setenv("NPU_SIM_FAULTS", "fail_launch=3", 1);
    return cmocka_run_group_tests(tests, open_all, close_all);
}
