/* hooks_launch.c - functions that launch a kernel
 *
 * The data of a launch belongs to the caller and is valid until the hook returns.
 * Within the hook, inject may issue the launch any number of times. */
#include <stdio.h>
#include <string.h>

#include "inject/hooks/hook_frame.h"
#include "inject/launch/launch.h"
#include "inject/program/kernel_binaries.h"
#include "inject/replay/launch_call.h"

/* `about` fills a struct launch from the parameters. */
#define LAUNCH(name, about, ...)                                                       \
    struct name##_call {                                                               \
        int (*real)(ARGS_TYPES(__VA_ARGS__));                                          \
        ARGS_FIELDS(__VA_ARGS__)                                                       \
    };                                                                                 \
    static int name##_run(const void *arg)                                             \
    {                                                                                  \
        const struct name##_call *call = arg;                                          \
                                                                                       \
        return call->real(ARGS_FROM(__VA_ARGS__));                                     \
    }                                                                                  \
    HOOK_FRONT(name, __VA_ARGS__)                                                      \
    static int name##_slow(ARGS_DECLARED(__VA_ARGS__))                                 \
    {                                                                                  \
        int saved = errno, result;                                                     \
        HOOK_HEAD(name, lifecycle_connect(), __VA_ARGS__)                              \
        struct name##_call call = {real, ARGS_NAMES(__VA_ARGS__)};                     \
        struct launch launch = {.run = name##_run, .call = &call};                     \
        about;                                                                         \
        launch.lccl = kernel_binary_is_lccl(launch.func);                              \
        errno = saved;                                                                 \
        result = replay_launch(&launch);                                               \
        hook_leave();                                                                  \
        return result;                                                                 \
    }

#define LAUNCH_WITH_IMPL(name, about, ...)                                             \
    LAUNCH(name, about, __VA_ARGS__)                                                   \
    LAUNCH(name##Impl, about, __VA_ARGS__)

/* Sets the arguments, when the host can read them: not lists and not device memory. */
#define WORDS(at, bytes)                                                               \
    launch.words = (at);                                                               \
    launch.word_bytes = (bytes)

#define ABOUT(what, count, bytes, is_handle)                                           \
    launch.func = (what);                                                              \
    launch.blocks = (count);                                                           \
    launch.stream = stream;                                                            \
    launch.args_bytes = (bytes);                                                       \
    launch.func_is_handle = (is_handle);                                               \
    launch.handle = (is_handle) ? (void **)(uintptr_t)&call.what : NULL

LAUNCH_WITH_IMPL(aclrtLaunchKernel,
                 ABOUT(func, blocks, size, true),
                 (void *, func),
                 (uint32_t, blocks),
                 (const void *, args),
                 (size_t, size),
                 (void *, stream))
LAUNCH_WITH_IMPL(aclrtLaunchKernelV2,
                 ABOUT(func, blocks, size, true),
                 (void *, func),
                 (uint32_t, blocks),
                 (const void *, args),
                 (size_t, size),
                 (void *, config),
                 (void *, stream))
LAUNCH_WITH_IMPL(aclrtLaunchKernelWithConfig,
                 ABOUT(func, blocks, 0, true),
                 (void *, func),
                 (uint32_t, blocks),
                 (void *, stream),
                 (void *, config),
                 (void *, args),
                 (void *, reserved))
LAUNCH_WITH_IMPL(aclrtLaunchKernelWithHostArgs, ABOUT(func, blocks, size, true);
                 WORDS(args, size),
                 (void *, func),
                 (uint32_t, blocks),
                 (void *, stream),
                 (void *, config),
                 (void *, args),
                 (size_t, size),
                 (void *, holders),
                 (size_t, holder_count))
LAUNCH_WITH_IMPL(aclrtLaunchKernelWithArgsArray,
                 ABOUT(func, blocks, 0, false),
                 (void *, func),
                 (uint32_t, blocks),
                 (void *, stream),
                 (void *, config),
                 (void **, args))
/* `func` is a handle or a registered symbol; only a handle can be instrumented. */
#define ABOUT_THREADS(bytes)                                                           \
    ABOUT(func, grid.x *grid.y *grid.z, bytes, false);                                 \
    launch.simt = true;                                                                \
    launch.handle = (void **)(uintptr_t)&call.func

LAUNCH_WITH_IMPL(aclrtLaunchSIMTKernelWithArgsArray,
                 ABOUT_THREADS(0),
                 (void *, func),
                 (struct abi_dim3, grid),
                 (struct abi_dim3, block),
                 (size_t, buffer),
                 (void *, stream),
                 (void *, config),
                 (void **, args))
LAUNCH_WITH_IMPL(aclrtLaunchSIMTKernelWithHostArgs, ABOUT_THREADS(size);
                 WORDS(args, size),
                 (void *, func),
                 (struct abi_dim3, grid),
                 (struct abi_dim3, block),
                 (size_t, buffer),
                 (void *, stream),
                 (void *, config),
                 (void *, args),
                 (size_t, size),
                 (void *, holders),
                 (size_t, holder_count))

static void about_ex(struct launch *launch, const struct abi_args_ex *args)
{
    if (!args)
        return;
    launch->args_bytes = args->args_bytes;
    if (args->on_device)
        return;
    launch->words = args->args;
    launch->word_bytes = args->args_bytes;
}

#define ABOUT_EX(what, is_handle)                                                      \
    ABOUT(what, blocks, 0, is_handle);                                                 \
    about_ex(&launch, args)

LAUNCH(rtKernelLaunch, ABOUT(stub, blocks, size, false); WORDS(args, size),
                                                         (const void *, stub),
                                                         (uint32_t, blocks),
                                                         (void *, args),
                                                         (uint32_t, size),
                                                         (void *, l2_plan),
                                                         (void *, stream))
LAUNCH(rtKernelLaunchWithFlag,
       ABOUT_EX(stub, false),
       (const void *, stub),
       (uint32_t, blocks),
       (struct abi_args_ex *, args),
       (void *, l2_plan),
       (void *, stream),
       (uint32_t, flags))
LAUNCH(rtKernelLaunchWithFlagV2,
       ABOUT_EX(stub, false),
       (const void *, stub),
       (uint32_t, blocks),
       (struct abi_args_ex *, args),
       (void *, l2_plan),
       (void *, stream),
       (uint32_t, flags),
       (const void *, config))
LAUNCH(rtVectorCoreKernelLaunch,
       ABOUT_EX(stub, false),
       (const void *, stub),
       (uint32_t, blocks),
       (struct abi_args_ex *, args),
       (void *, l2_plan),
       (void *, stream),
       (uint32_t, flags),
       (const void *, config))

/* A kernel that a binary and a tiling key identify; its name is made of the key. */
#define KEYED(binary, key)                                                             \
    char keyed[64];                                                                    \
    snprintf(keyed, sizeof(keyed), "tiling_key_%llu", (unsigned long long)(key));      \
    launch.kernel = keyed;                                                             \
    ABOUT_EX(binary, false)

LAUNCH(rtKernelLaunchWithHandle,
       KEYED(binary, key),
       (void *, binary),
       (uint64_t, key),
       (uint32_t, blocks),
       (struct abi_args_ex *, args),
       (void *, l2_plan),
       (void *, stream),
       (const void *, info))
LAUNCH(rtKernelLaunchWithHandleV2,
       KEYED(binary, key),
       (void *, binary),
       (uint64_t, key),
       (uint32_t, blocks),
       (struct abi_args_ex *, args),
       (void *, l2_plan),
       (void *, stream),
       (const void *, config))
LAUNCH(rtVectorCoreKernelLaunchWithHandle,
       KEYED(binary, key),
       (void *, binary),
       (uint64_t, key),
       (uint32_t, blocks),
       (struct abi_args_ex *, args),
       (void *, l2_plan),
       (void *, stream),
       (uint32_t, flags),
       (const void *, config))

LAUNCH(rtLaunchKernelByFuncHandle,
       ABOUT(func, blocks, 0, true),
       (void *, func),
       (uint32_t, blocks),
       (void *, args),
       (void *, stream))
LAUNCH(rtLaunchKernelByFuncHandleV2,
       ABOUT(func, blocks, 0, true),
       (void *, func),
       (uint32_t, blocks),
       (void *, args),
       (void *, stream),
       (const void *, config))
LAUNCH(rtLaunchKernelByFuncHandleV3,
       ABOUT_EX(func, true),
       (void *, func),
       (uint32_t, blocks),
       (const struct abi_args_ex *, args),
       (void *, stream),
       (const void *, config))
LAUNCH(rtsLaunchKernelWithHostArgs, ABOUT(func, blocks, size, true);
       WORDS(args, size),
       (void *, func),
       (uint32_t, blocks),
       (void *, stream),
       (void *, config),
       (void *, args),
       (uint32_t, size),
       (void *, holders),
       (uint32_t, holder_count))
LAUNCH(rtsLaunchKernelWithConfig,
       ABOUT(func, blocks, 0, true),
       (void *, func),
       (uint32_t, blocks),
       (void *, stream),
       (void *, config),
       (void *, args),
       (void *, reserved))
LAUNCH(rtsLaunchKernelWithDevArgs,
       ABOUT(func, blocks, size, true),
       (void *, func),
       (uint32_t, blocks),
       (void *, stream),
       (void *, config),
       (const void *, args),
       (uint32_t, size),
       (void *, reserved))
