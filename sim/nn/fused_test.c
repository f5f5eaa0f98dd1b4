#include <acl/acl.h>
#include <aclnnop/aclnn_all_gather_matmul.h>
#include <aclnnop/aclnn_distribute_barrier.h>
#include <aclnnop/aclnn_inplace_matmul_all_reduce_add_rms_norm.h>
#include <aclnnop/aclnn_matmul_all_reduce.h>
#include <aclnnop/aclnn_matmul_reduce_scatter.h>
#include <dlfcn.h>
#include <hccl/hccl.h>
#include <runtime/rt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/hccl/element.h"
#include "tests/support/unit.h"

#define M 5
#define N 3
#define K 4

/* The calls of the libraries, in order; the functions below interpose theirs. */
static char calls[4096];
static void *server_stream, *main_stream, *first_notify;

static void note(const char *text)
{
    strncat(calls, text, sizeof(calls) - strlen(calls) - 1);
    strncat(calls, "\n", sizeof(calls) - strlen(calls) - 1);
}

static void *real_dlsym(void *handle, const char *name)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
    static void *(*real)(void *, const char *);

    for (size_t i = 0; !real && i < sizeof(versions) / sizeof(versions[0]); i++) {
        void *symbol = dlvsym(RTLD_NEXT, "dlsym", versions[i]);

        memcpy(&real, &symbol, sizeof(real));
    }
    return real(handle, name);
}

#define NEXT(name)                                                                     \
    __typeof__(name) *real;                                                            \
    void *symbol = real_dlsym(RTLD_NEXT, #name);                                       \
    memcpy(&real, &symbol, sizeof(real))

static const char *which_stream(const void *stream)
{
    return stream == main_stream ? "main" : stream == server_stream ? "server" : "?";
}

aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t s)
{
    char text[80];
    NEXT(aclrtWaitAndResetNotify);

    snprintf(text, sizeof(text), "wait %s %s %s",
             notify == first_notify ? "first" : "?", which_stream(stream),
             s == UINT32_MAX ? "long" : "short");
    note(text);
    return real(notify, stream, s);
}

aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream)
{
    char text[80];
    NEXT(aclrtRecordNotify);

    snprintf(text, sizeof(text), "record %s %s", notify == first_notify ? "first" : "?",
             which_stream(stream));
    note(text);
    return real(notify, stream);
}

rtError_t rtAicpuKernelLaunchExWithArgs(const uint32_t kernelType,
                                        const char *opName,
                                        const uint32_t numBlocks,
                                        const rtAicpuArgsEx_t *argsInfo,
                                        rtSmDesc_t *smDesc,
                                        const rtStream_t stm,
                                        const uint32_t flags)
{
    const char *bytes = argsInfo->args;
    char text[256];
    NEXT(rtAicpuKernelLaunchExWithArgs);

    snprintf(text, sizeof(text), "aicpu %u %s %u %s/%s %s 0x%x", kernelType, opName,
             numBlocks, bytes + argsInfo->soNameAddrOffset,
             bytes + argsInfo->kernelNameAddrOffset, which_stream(stm), flags);
    note(text);
    return real(kernelType, opName, numBlocks, argsInfo, smDesc, stm, flags);
}

rtError_t rtStreamAddToModel(rtStream_t stm, rtModel_t mdl)
{
    char text[80];
    NEXT(rtStreamAddToModel);

    snprintf(text, sizeof(text), "add %s", which_stream(stm));
    note(text);
    return real(stm, mdl);
}

static __typeof__(aclrtLaunchKernelWithHostArgs) *real_launch;
static HcclResult (*real_group)(const char *, HcclComm *);
static HcclResult (*real_alloc)(HcclComm, void *, void *, void **);
static HcclResult (*real_streams)(HcclComm, aclrtStream *, uint8_t, void **);

static aclError launch(aclrtFuncHandle function,
                       uint32_t blocks,
                       aclrtStream stream,
                       aclrtLaunchKernelCfg *config,
                       void *args,
                       size_t size,
                       aclrtPlaceHolderInfo *holders,
                       size_t count)
{
    char name[64], text[128];

    aclrtGetFunctionName(function, sizeof(name), name);
    snprintf(text, sizeof(text), "cores %s %s", name, which_stream(stream));
    note(text);
    return real_launch(function, blocks, stream, config, args, size, holders, count);
}

static HcclResult group(const char *name, HcclComm *comm)
{
    note("group");
    return real_group(name, comm);
}

static HcclResult alloc(HcclComm comm, void *stream, void *tiling, void **context)
{
    note("alloc");
    return real_alloc(comm, stream, tiling, context);
}

static HcclResult
streams(HcclComm comm, aclrtStream *stream, uint8_t count, void **notifies)
{
    HcclResult result = real_streams(comm, stream, count, notifies);

    note("streams");
    server_stream = *stream;
    first_notify = notifies[0];
    return result;
}

/* The libraries find these functions by dlsym(), so dlsym() is interposed too. */
void *dlsym(void *restrict handle, const char *restrict name)
{
    const struct {
        const char *name;
        void *real, *ours;
    } fronts[] = {
        {"aclrtLaunchKernelWithHostArgs", &real_launch, (void *)launch},
        {"HcomGetCommHandleByGroup", &real_group, (void *)group},
        {"HcclAllocComResourceByTiling", &real_alloc, (void *)alloc},
        {"HcclGetAicpuOpStreamAndNotify", &real_streams, (void *)streams},
    };
    void *symbol = real_dlsym(handle, name);

    for (size_t i = 0; symbol && i < sizeof(fronts) / sizeof(fronts[0]); i++)
        if (!strcmp(fronts[i].name, name)) {
            memcpy(fronts[i].real, &symbol, sizeof(symbol));
            return fronts[i].ours;
        }
    return symbol;
}

/* A group of one rank. */
static HcclComm comm;
static char group_name[COMM_NAME_MAX_LENGTH];

static int open_all(void **state)
{
    int32_t device = 0;

    (void)state;
    return aclInit(NULL) || aclrtSetDevice(0) || HcclCommInitAll(1, &device, &comm) ||
           HcclGetCommName(comm, group_name) || aclrtCreateStream(&main_stream);
}

static int close_all(void **state)
{
    (void)state;
    return aclrtDestroyStream(main_stream) || HcclCommDestroy(comm) ||
           aclrtResetDevice(0) || aclFinalize();
}

struct operand {
    uint16_t host[64];
    void *device;
    aclTensor *tensor;
};

static void make(struct operand *operand,
                 int64_t rows,
                 int64_t columns,
                 const int64_t *strides,
                 int salt)
{
    int64_t dims[2] = {rows, columns};
    /* rows = 0: a vector */
    uint64_t count = rows ? 2 : 1;

    for (int i = 0; i < 64; i++)
        operand->host[i] = element_to_half((float)((i * 7 + salt) % 5 - 2));
    assert_int_equal(aclrtMalloc(&operand->device, 128, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtMemcpy(operand->device, 128, operand->host, 128,
                                 ACL_MEMCPY_HOST_TO_DEVICE),
                     0);
    operand->tensor =
        aclCreateTensor(rows ? dims : dims + 1, count, ACL_FLOAT16, strides, 0,
                        ACL_FORMAT_ND, rows ? dims : dims + 1, count, operand->device);
    assert_non_null(operand->tensor);
}

static void fetch(struct operand *operand)
{
    assert_int_equal(aclrtMemcpy(operand->host, 128, operand->device, 128,
                                 ACL_MEMCPY_DEVICE_TO_HOST),
                     0);
}

static void unmake(struct operand *operand)
{
    assert_int_equal(aclDestroyTensor(operand->tensor), 0);
    assert_int_equal(aclrtFree(operand->device), 0);
}

static struct operand x1, x2, output;

static int open_operands(void **state)
{
    (void)state;
    make(&x1, M, K, NULL, 1);
    make(&x2, K, N, NULL, 2);
    make(&output, M, N, NULL, 0);
    calls[0] = '\0';
    return 0;
}

static int close_operands(void **state)
{
    (void)state;
    unmake(&x1);
    unmake(&x2);
    unmake(&output);
    return 0;
}

static aclOpExecutor *prepare(const aclTensor *bias)
{
    aclOpExecutor *executor = NULL;
    uint64_t size = 1;

    assert_int_equal(aclnnMatmulAllReduceGetWorkspaceSize(
                         x1.tensor, x2.tensor, bias, group_name, "sum", 0, 1,
                         output.tensor, &size, &executor),
                     0);
    assert_int_equal(size, 0);
    return executor;
}

/* x2_row and x2_column: strides of x2 */
static void
expect_product(int x2_row, int x2_column, const struct operand *bias, float factor)
{
    fetch(&output);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = bias ? element_from_half(bias->host[j]) : 0;

            for (int l = 0; l < K; l++)
                sum += element_from_half(x1.host[i * K + l]) *
                       element_from_half(x2.host[l * x2_row + j * x2_column]);
            assert_true(element_from_half(output.host[i * N + j]) == sum * factor);
        }
}

static void an_operator_is_launched_in_the_vendor_order(void **ctx)
{
    (void)ctx;
    assert_int_equal(aclnnMatmulAllReduce(NULL, 0, prepare(NULL), main_stream), 0);
    assert_int_equal(aclrtSynchronizeStream(main_stream), 0);
    assert_string_equal(calls, "group\nalloc\nstreams\n"
                               "wait first server long\nrecord first main\n"
                               "aicpu 5 MatmulAllReduceMc2AicpuKernel 1 "
                               "libccl_kernel.so/RunAicpuKfcSrvLaunch server 0x100\n"
                               "cores MatmulAllReduce_0 main\n");
    expect_product(N, 1, NULL, 1);
}

static void distribute_barrier_has_no_ai_cpu_half(void **ctx)
{
    aclOpExecutor *executor;
    uint64_t size;

    (void)ctx;
    assert_int_equal(aclnnDistributeBarrierGetWorkspaceSize(x1.tensor, group_name, 1,
                                                            &size, &executor),
                     0);
    calls[0] = '\0';
    assert_int_equal(aclnnDistributeBarrier(NULL, 0, executor, main_stream), 0);
    assert_int_equal(aclrtSynchronizeStream(main_stream), 0);
    assert_string_equal(calls, "group\nalloc\ncores DistributeBarrier_0 main\n");
    assert_int_equal(aclnnDistributeBarrierGetWorkspaceSize(x1.tensor, group_name, 2,
                                                            &size, &executor),
                     ACLNN_ERR_PARAM_INVALID);
}

/* Both halves become part of the model and run as often as it does. */
static void an_operator_can_be_captured(void **ctx)
{
    uint16_t nothing[64] = {0};
    aclmdlRI model;

    (void)ctx;
    assert_int_equal(
        aclmdlRICaptureBegin(main_stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), 0);
    assert_int_equal(aclnnMatmulAllReduce(NULL, 0, prepare(NULL), main_stream), 0);
    assert_int_equal(aclmdlRICaptureEnd(main_stream, &model), 0);
    assert_non_null(strstr(calls, "streams\nadd server\nwait first"));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(
            aclrtMemcpy(output.device, 128, nothing, 128, ACL_MEMCPY_HOST_TO_DEVICE),
            0);
        assert_int_equal(aclmdlRIExecuteAsync(model, main_stream), 0);
        assert_int_equal(aclrtSynchronizeStream(main_stream), 0);
        expect_product(N, 1, NULL, 1);
    }
    assert_int_equal(aclmdlRIDestroy(model), 0);
}

static void debug_modes_skip_one_half(void **ctx)
{
    (void)ctx;
    setenv("ASCEND_MC2_DEBUG_MODE", "1", 1);
    assert_int_equal(aclnnMatmulAllReduce(NULL, 0, prepare(NULL), main_stream), 0);
    assert_int_equal(aclrtSynchronizeStream(main_stream), 0);
    assert_null(strstr(calls, "aicpu"));
    expect_product(N, 1, NULL, 1);
    setenv("ASCEND_MC2_DEBUG_MODE", "4", 1);
    assert_int_equal(aclrtMemset(output.device, 128, 0, 128), 0);
    assert_int_equal(aclnnMatmulAllReduce(NULL, 0, prepare(NULL), main_stream), 0);
    assert_int_equal(aclrtSynchronizeStream(main_stream), 0);
    assert_non_null(strstr(calls, "aicpu"));
    expect_product(N, 1, NULL, 0); /* only the transfer ran */
    unsetenv("ASCEND_MC2_DEBUG_MODE");
}

static void transposed_factors_and_a_bias_are_supported(void **ctx)
{
    const int64_t strides[2] = {1, K};
    struct operand bias;

    (void)ctx;
    unmake(&x2);
    make(&x2, K, N, strides, 3);
    make(&bias, 0, N, NULL, 4);
    assert_int_equal(aclnnMatmulAllReduce(NULL, 0, prepare(bias.tensor), main_stream),
                     0);
    assert_int_equal(aclrtSynchronizeStream(main_stream), 0);
    expect_product(1, K, &bias, 1);
    unmake(&bias);
}

static void an_executor_is_valid_once_unless_it_is_repeatable(void **ctx)
{
    aclOpExecutor *executor = prepare(NULL);

    (void)ctx;
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(aclnnMatmulAllReduce(NULL, 0, executor, main_stream), 0);
    assert_int_equal(aclrtSynchronizeStream(main_stream), 0);
    expect_product(N, 1, NULL, 1);
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
    assert_int_equal(aclnnMatmulAllReduce(NULL, 0, NULL, main_stream),
                     ACLNN_ERR_INNER_NULLPTR);
}

static aclnnStatus ask(const aclTensor *left,
                       const aclTensor *right,
                       const aclTensor *bias,
                       const char *name,
                       const char *reduce,
                       int64_t turns,
                       int64_t mode,
                       const aclTensor *out)
{
    aclOpExecutor *executor = NULL;
    uint64_t size;
    aclnnStatus status = aclnnMatmulAllReduceGetWorkspaceSize(
        left, right, bias, name, reduce, turns, mode, out, &size, &executor);

    if (!status)
        aclDestroyAclOpExecutor(executor);
    return status;
}

static void mismatched_arguments_are_refused(void **ctx)
{
    const aclTensor *a = x1.tensor, *b = x2.tensor, *c = output.tensor;
    const char *name = group_name;
    char too_long[200];

    (void)ctx;
    memset(too_long, 'x', sizeof(too_long) - 1);
    too_long[sizeof(too_long) - 1] = '\0';
    assert_int_equal(ask(a, b, NULL, name, "sum", 0, 1, c), 0);
    assert_int_equal(ask(NULL, b, NULL, name, "sum", 0, 1, c), ACLNN_ERR_PARAM_NULLPTR);
    assert_int_equal(ask(a, NULL, NULL, name, "sum", 0, 1, c), ACLNN_ERR_PARAM_NULLPTR);
    assert_int_equal(ask(a, b, NULL, NULL, "sum", 0, 1, c), ACLNN_ERR_PARAM_NULLPTR);
    assert_int_equal(ask(a, b, NULL, name, "sum", 0, 1, NULL), ACLNN_ERR_PARAM_NULLPTR);
    assert_int_equal(ask(a, b, NULL, name, NULL, 0, 1, c), ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(ask(a, b, NULL, name, "max", 0, 1, c), ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(ask(a, b, NULL, name, "sum", 2, 1, c), ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(ask(a, b, NULL, name, "sum", 0, 0, c), ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(ask(a, b, NULL, "", "sum", 0, 1, c), ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(ask(a, b, NULL, too_long, "sum", 0, 1, c),
                     ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(ask(b, a, NULL, name, "sum", 0, 1, c), ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(ask(a, b, NULL, name, "sum", 0, 1, a), ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(ask(a, b, c, name, "sum", 0, 1, c), ACLNN_ERR_PARAM_INVALID);
}

static void an_unknown_group_is_an_error_at_its_first_use(void **ctx)
{
    aclOpExecutor *executor;
    uint64_t size;

    (void)ctx;
    assert_int_equal(aclnnMatmulAllReduceGetWorkspaceSize(
                         x1.tensor, x2.tensor, NULL, "no such group", "sum", 0, 1,
                         output.tensor, &size, &executor),
                     0);
    assert_int_equal(aclnnMatmulAllReduce(NULL, 0, executor, main_stream),
                     ACLNN_ERR_INNER);
    /* these two operators need the number of ranks */
    assert_int_equal(aclnnAllGatherMatmulGetWorkspaceSize(
                         x1.tensor, x2.tensor, NULL, "no such group", 0, 0, 1,
                         output.tensor, x1.tensor, &size, &executor),
                     ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(aclnnMatmulReduceScatterGetWorkspaceSize(
                         x1.tensor, x2.tensor, NULL, "no such group", "sum", 0, 1,
                         output.tensor, &size, &executor),
                     ACLNN_ERR_PARAM_INVALID);
}

static void a_missing_workspace_is_refused(void **ctx)
{
    aclOpExecutor *executor;
    uint64_t size = 0;

    (void)ctx;
    assert_int_equal(aclnnMatmulReduceScatterGetWorkspaceSize(
                         x1.tensor, x2.tensor, NULL, group_name, "sum", 0, 1,
                         output.tensor, &size, &executor),
                     0);
    assert_int_equal(size, 1024);
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), 0);
    /* this operator does nothing without a workspace */
    calls[0] = '\0';
    assert_int_equal(aclnnMatmulReduceScatter(NULL, size, executor, main_stream), 0);
    assert_string_equal(calls, "");
    assert_int_equal(
        aclnnMatmulReduceScatter(x1.device, size - 1, executor, main_stream),
        ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
}

#define WITH_OPERANDS(test)                                                            \
    cmocka_unit_test_setup_teardown(test, open_operands, close_operands)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_OPERANDS(an_operator_is_launched_in_the_vendor_order),
        WITH_OPERANDS(distribute_barrier_has_no_ai_cpu_half),
        WITH_OPERANDS(an_operator_can_be_captured),
        WITH_OPERANDS(debug_modes_skip_one_half),
        WITH_OPERANDS(transposed_factors_and_a_bias_are_supported),
        WITH_OPERANDS(an_executor_is_valid_once_unless_it_is_repeatable),
        WITH_OPERANDS(mismatched_arguments_are_refused),
        WITH_OPERANDS(an_unknown_group_is_an_error_at_its_first_use),
        WITH_OPERANDS(a_missing_workspace_is_refused),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
