#include "sim/nn/launch.h"

#include <runtime/rt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <toolchain/prof_api.h>
#include <unistd.h>

#include "sim/hccl/times/step_report.h"
#include "sim/nn/libraries.h"

#define SERVER_LIBRARY "libccl_kernel.so"
#define SERVER_KERNEL  "RunAicpuKfcSrvLaunch"
#define NAME_SUFFIX    "Mc2AicpuKernel"
#define EXEC_TIMEOUT_S 1836
#define SERVER_MORE_S  10 /* the server's task outlasts the waits inside it */
#define REPORT_MAGIC   0x5A5A
#define REPORT_NODE    10000
#define REPORT_COMM    12
#define NOTIFIES       2

/* The arguments of both halves: {contexts}{tensors}{workspace}{tiling}. The AI
 * CPU's have a descriptor in front and the names at the end. */
struct arguments {
    uint64_t words[1 + MC2_WORDS_MAX];
    struct mc2_tiling tiling;
    char library[32], kernel[32], op[NN_NAME_MAX + sizeof(NAME_SUFFIX)];
};

struct fused {
    const struct nn_call *call;
    const struct libraries *libraries;
    aclrtFuncHandle function;
    aclrtStream stream, server_stream[MC2_GROUPS_MAX];
    HcclComm comm[MC2_GROUPS_MAX];
    void *context[MC2_GROUPS_MAX];
    void *notifies[MC2_GROUPS_MAX][NOTIFIES];
    void *workspace;
    struct mc2_tiling tiling;
};

static bool has_server(const struct fused *fused)
{
    return fused->call->tiling.way == MC2_SERVER &&
           fused->tiling.mode != MC2_CUBE_ONLY && fused->tiling.mode != MC2_VECTOR_ONLY;
}

static uint32_t debug_mode(void)
{
    const char *text = getenv("ASCEND_MC2_DEBUG_MODE");
    unsigned long mode = text ? strtoul(text, NULL, 10) : MC2_ALL;

    return mode == MC2_CUBE_ONLY || mode == MC2_VECTOR_ONLY || mode == MC2_AICPU_ONLY
               ? (uint32_t)mode
               : MC2_ALL;
}

/* Returns true when this process has mapped the windows of all ranks. The cores write
 * into them. */
static bool reaches_all(const struct npu_sim_comm_context *context)
{
    for (uint32_t rank = 0; rank < context->ranks; rank++)
        if (!context->windows_in[rank])
            return false;
    return true;
}

static aclnnStatus find_group(struct fused *fused, uint32_t group)
{
    const struct libraries *libraries = fused->libraries;

    if (libraries->comm_by_group(fused->call->group[group], &fused->comm[group]) ||
        libraries->alloc_by_tiling(fused->comm[group], fused->stream, &fused->tiling,
                                   &fused->context[group]))
        return ACLNN_ERR_INNER;
    if (fused->call->tiling.way == MC2_WINDOW && !reaches_all(fused->context[group]))
        return ACLNN_ERR_PARAM_INVALID;
    if (has_server(fused) &&
        libraries->stream_and_notify(fused->comm[group], &fused->server_stream[group],
                                     NOTIFIES, fused->notifies[group]))
        return ACLNN_ERR_INNER;
    return ACLNN_SUCCESS;
}

/* Writes the addresses from index `at` on; returns the new number of words. */
static size_t put_addresses(const struct fused *fused, uint64_t *words, size_t at)
{
    const struct nn_call *call = fused->call;

    for (uint32_t i = 0; i < call->groups; i++)
        words[at++] = (uintptr_t)fused->context[i];
    for (uint32_t i = 0; i < MC2_TENSORS_MAX; i++)
        if (call->tiling.tensor[i].dims > 0)
            words[at++] = call->tiling.tensor[i].address;
    words[at++] = (uintptr_t)fused->workspace;
    words[at++] = 0; /* the runtime writes the tiling's address here */
    return at;
}

/* Adds the server's stream to the capture of the main stream, if there is one. */
static aclError follow_capture(const struct fused *fused, uint32_t group)
{
    aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    aclmdlRI model = NULL;
    aclError error = aclmdlRICaptureGetInfo(fused->stream, &status, &model);

    if (error || status != ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE)
        return error;
    return rtStreamAddToModel(fused->server_stream[group], model);
}

/* Makes the server's stream wait until the main stream reaches this point. */
static aclError order_streams(const struct fused *fused, uint32_t group)
{
    aclrtNotify notify = fused->notifies[group][0];
    aclError error =
        aclrtWaitAndResetNotify(notify, fused->server_stream[group], UINT32_MAX);

    return error ? error : aclrtRecordNotify(notify, fused->stream);
}

/* A wait of the communicator has the limit HCCL_EXEC_TIMEOUT and begins after the task.
 * With the same limit the task would end first, and all ranks would get the error of a
 * lost rank instead of the time limit. 0 is no limit. */
static uint16_t server_timeout_s(void)
{
    const char *text = getenv("HCCL_EXEC_TIMEOUT");
    unsigned long seconds = text ? strtoul(text, NULL, 10) : EXEC_TIMEOUT_S;

    if (seconds == 0)
        return 0;
    return (uint16_t)(seconds < UINT16_MAX - SERVER_MORE_S ? seconds + SERVER_MORE_S
                                                           : UINT16_MAX);
}

/* Each server gets the contexts of all groups, its own first. */
static aclError launch_server(const struct fused *fused, uint32_t group)
{
    struct arguments all = {.tiling = fused->tiling};
    size_t words = put_addresses(fused, all.words, 1);
    const struct mc2_descriptor descriptor = {.version = 1,
                                              .groups = fused->call->groups & 0xF,
                                              .tiling_at = (words - 1) & 0x7F,
                                              .is_second = group > 0};
    rtHostInputInfo_t tiling = {(uint32_t)((words - 1) * sizeof(uint64_t)),
                                offsetof(struct arguments, tiling)};
    rtAicpuArgsEx_t args = {
        .args = &all,
        .hostInputInfoPtr = &tiling,
        .hostInputInfoNum = 1,
        .argsSize = sizeof(all),
        .soNameAddrOffset = offsetof(struct arguments, library),
        .kernelNameAddrOffset = offsetof(struct arguments, kernel),
        .timeout = server_timeout_s(),
    };

    memcpy(all.words, &descriptor, sizeof(descriptor));
    all.words[1] = (uintptr_t)fused->context[group];
    if (group > 0)
        all.words[1 + group] = (uintptr_t)fused->context[0];
    snprintf(all.library, sizeof(all.library), "%s", SERVER_LIBRARY);
    snprintf(all.kernel, sizeof(all.kernel), "%s", SERVER_KERNEL);
    snprintf(all.op, sizeof(all.op), "%.*s%s", NN_NAME_MAX, fused->call->op,
             NAME_SUFFIX);
    return rtAicpuKernelLaunchExWithArgs(KERNEL_TYPE_AICPU_KFC, all.op, 1, &args, NULL,
                                         fused->server_stream[group],
                                         RT_KERNEL_USE_SPECIAL_TIMEOUT);
}

/* Maps the group to its rank and streams; no other record contains that. */
struct comm_report {
    uint64_t group;
    uint32_t ranks, rank, global_rank, server_stream, plane_count;
    uint32_t planes[STEP_PLANES_MAX];
    uint32_t reserved;
} __attribute__((packed, aligned(4)));
_Static_assert(sizeof(struct comm_report) == 64, "layout");

static void report_group(const struct fused *fused, uint32_t group)
{
    const struct npu_sim_comm_context *context = fused->context[group];
    const char *global = getenv("RANK_ID");
    struct MsprofAdditionalInfo info = {
        .magicNumber = REPORT_MAGIC,
        .level = REPORT_NODE,
        .type = REPORT_COMM,
        .threadId = (uint32_t)syscall(SYS_gettid),
        .dataLen = sizeof(struct comm_report),
        .timeStamp = MsprofSysCycleTime(),
    };
    struct comm_report report = {
        .group = MsprofGetHashId(fused->call->group[group],
                                 strlen(fused->call->group[group])),
        .ranks = context->ranks,
        .rank = context->rank,
        .global_rank = global ? (uint32_t)strtoul(global, NULL, 10) : context->rank,
    };
    int32_t stream = -1;

    aclrtStreamGetId(fused->server_stream[group], &stream);
    report.server_stream = (uint32_t)stream;
    for (uint32_t i = 0; i + 1 < context->ranks && i < STEP_PLANES_MAX; i++)
        report.planes[report.plane_count++] = STEP_PLANE_STREAM(i);
    memcpy(info.data, &report, sizeof(report));
    MsprofReportAdditionalInfo(0, &info, sizeof(info));
}

static aclError launch_cores(const struct fused *fused)
{
    struct {
        uint64_t words[MC2_WORDS_MAX];
        struct mc2_tiling tiling;
    } all = {.tiling = fused->tiling};
    size_t words = put_addresses(fused, all.words, 0);
    aclrtPlaceHolderInfo tiling = {(uint32_t)((words - 1) * sizeof(uint64_t)),
                                   offsetof(__typeof__(all), tiling)};
    aclrtLaunchKernelAttr attribute = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE};
    aclrtLaunchKernelCfg config = {&attribute, 1};

    attribute.value.schemMode =
        1; /* start all cores together: they wait for each other */
    return fused->libraries->launch(fused->function, fused->call->blocks, fused->stream,
                                    &config, &all, sizeof(all), &tiling, 1);
}

static aclError launch_half(const struct fused *fused, uint32_t group)
{
    aclError error;

    report_group(fused, group);
    error = follow_capture(fused, group);
    if (!error)
        error = order_streams(fused, group);
    return error ? error : launch_server(fused, group);
}

aclnnStatus
launch_fused(const struct nn_call *call, void *workspace, aclrtStream stream)
{
    struct fused fused = {.call = call,
                          .libraries = libraries_get(),
                          .stream = stream,
                          .workspace = workspace,
                          .tiling = call->tiling};
    aclnnStatus status = ACLNN_SUCCESS;
    aclError error;

    if (!fused.libraries)
        return ACLNN_ERR_INNER;
    fused.tiling.mode = debug_mode();
    error = libraries_kernel(call->op, call->key, &fused.function);
    if (error)
        return ACLNN_ERR_INNER;
    for (uint32_t i = 0; i < call->groups && !status; i++)
        status = find_group(&fused, i);
    if (status)
        return status;
    for (uint32_t i = 0; has_server(&fused) && i < call->groups && !error; i++)
        error = launch_half(&fused, i);
    if (!error)
        error = launch_cores(&fused);
    return error ? ACLNN_ERR_RUNTIME_ERROR : ACLNN_SUCCESS;
}
