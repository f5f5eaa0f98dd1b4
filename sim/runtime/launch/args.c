/* args.c - argument lists: parameters in order, each at a multiple of 8 bytes
 *
 * A place holder is 8 bytes among the parameters that will hold the address of its
 * data; the data follows the parameters. A list that the runtime made lives until its
 * binary is unloaded, as there is no call to end it. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/runtime/calls.h"
#include "sim/runtime/launch/function.h"

#define MAGIC      0x41524731u
#define PARAMS_MAX 128
#define DATA_MAX   (1u << 20) /* limit for one parameter or place holder */

struct param {
    uint32_t offset; /* in the parameter bytes */
    uint32_t size;
    bool is_holder;
    uint32_t data_size;
    uint8_t *data; /* of a place holder; NULL until the program requests it */
};

struct args {
    uint32_t magic;
    bool finished;
    bool user; /* list and data are in memory of the program */
    uint8_t *bytes;
    size_t used, room;
    size_t tail; /* user: offset of the data of place holders */
    uint32_t count;
    struct param params[PARAMS_MAX];
    uint8_t *packed;
    aclrtPlaceHolderInfo holders[PARAMS_MAX];
    struct args *next;
};

static struct args *args_of(aclrtArgsHandle handle)
{
    struct args *args = handle;

    return args && args->magic == MAGIC ? args : NULL;
}

static size_t rounded(size_t size)
{
    return (size + 7) / 8 * 8;
}

void args_destroy(struct args *args)
{
    while (args) {
        struct args *next = args->next;

        for (uint32_t i = 0; i < args->count; i++)
            free(args->params[i].data);
        free(args->bytes);
        free(args->packed);
        free(args);
        args = next;
    }
}

aclError sim_aclrtKernelArgsInit(aclrtFuncHandle funcHandle,
                                 aclrtArgsHandle *argsHandle)
{
    struct function *function = function_of(funcHandle);
    struct args *args;

    if (!function || !argsHandle)
        return ACL_ERROR_RT_PARAM_INVALID;
    args = calloc(1, sizeof(*args));
    if (!args)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    args->magic = MAGIC;
    do {
        args->next = __atomic_load_n(&function->args, __ATOMIC_ACQUIRE);
    } while (!__atomic_compare_exchange_n(&function->args, &args->next, args, false,
                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    *argsHandle = args;
    return 0;
}

aclError sim_aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle,
                                          aclrtArgsHandle argsHandle,
                                          void *userHostMem,
                                          size_t actualArgsSize)
{
    struct args *args = argsHandle;

    if (!function_of(funcHandle) || !args || !userHostMem || actualArgsSize == 0 ||
        actualArgsSize > UINT32_MAX)
        return ACL_ERROR_RT_PARAM_INVALID;
    memset(args, 0, sizeof(*args));
    args->magic = MAGIC;
    args->user = true;
    args->bytes = userHostMem;
    args->room = args->tail = actualArgsSize / 8 * 8;
    return 0;
}

aclError sim_aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle,
                                       size_t userArgsSize,
                                       size_t *actualArgsSize)
{
    if (!function_of(funcHandle) || !actualArgsSize || userArgsSize > UINT32_MAX)
        return ACL_ERROR_RT_PARAM_INVALID;
    *actualArgsSize = rounded(userArgsSize);
    return 0;
}

aclError sim_aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle,
                                             size_t *memSize)
{
    if (!function_of(funcHandle) || !memSize)
        return ACL_ERROR_RT_PARAM_INVALID;
    *memSize = sizeof(struct args);
    return 0;
}

static aclError make_room(struct args *args, size_t size)
{
    size_t room = args->room ? args->room : 64;
    uint8_t *grown;

    if (args->user)
        return size <= args->tail - args->used ? 0 : ACL_ERROR_RT_PARAM_INVALID;
    while (room - args->used < size)
        room *= 2;
    if (room == args->room)
        return 0;
    grown = realloc(args->bytes, room);
    if (!grown)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    args->bytes = grown;
    args->room = room;
    return 0;
}

static aclError append(struct args *args,
                       const void *bytes,
                       size_t size,
                       bool is_holder,
                       aclrtParamHandle *paramHandle)
{
    struct param *param;
    aclError error;

    if (args->finished || args->count == PARAMS_MAX)
        return ACL_ERROR_RT_PARAM_INVALID;
    error = make_room(args, rounded(size));
    if (error)
        return error;
    param = &args->params[args->count++];
    *param = (struct param){(uint32_t)args->used, (uint32_t)size, is_holder, 0, NULL};
    memset(args->bytes + args->used, 0, rounded(size));
    if (bytes)
        memcpy(args->bytes + args->used, bytes, size);
    args->used += rounded(size);
    *paramHandle = param;
    return 0;
}

aclError sim_aclrtKernelArgsAppend(aclrtArgsHandle argsHandle,
                                   void *param,
                                   size_t paramSize,
                                   aclrtParamHandle *paramHandle)
{
    struct args *args = args_of(argsHandle);

    if (!args || !param || !paramHandle || paramSize == 0 || paramSize > DATA_MAX)
        return ACL_ERROR_RT_PARAM_INVALID;
    return append(args, param, paramSize, false, paramHandle);
}

aclError sim_aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle,
                                              aclrtParamHandle *paramHandle)
{
    struct args *args = args_of(argsHandle);

    if (!args || !paramHandle)
        return ACL_ERROR_RT_PARAM_INVALID;
    return append(args, NULL, sizeof(void *), true, paramHandle);
}

static struct param *param_of(struct args *args, aclrtParamHandle handle)
{
    struct param *param = handle;

    return args && param >= args->params && param < args->params + args->count ? param
                                                                               : NULL;
}

aclError sim_aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle,
                                                 aclrtParamHandle paramHandle,
                                                 size_t dataSize,
                                                 void **bufferAddr)
{
    struct args *args = args_of(argsHandle);
    struct param *param = param_of(args, paramHandle);

    if (!param || !param->is_holder || param->data || !bufferAddr || dataSize == 0 ||
        dataSize > DATA_MAX || args->finished)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (args->user) {
        if (rounded(dataSize) > args->tail - args->used)
            return ACL_ERROR_RT_PARAM_INVALID;
        args->tail -= rounded(dataSize);
        param->data = args->bytes + args->tail;
    } else {
        param->data = calloc(1, rounded(dataSize));
        if (!param->data)
            return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    param->data_size = (uint32_t)dataSize;
    *bufferAddr = param->data;
    return 0;
}

aclError sim_aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle,
                                       aclrtParamHandle paramHandle,
                                       void *value,
                                       size_t paramSize)
{
    struct args *args = args_of(argsHandle);
    struct param *param = param_of(args, paramHandle);

    if (!param || param->is_holder || !value || paramSize != param->size)
        return ACL_ERROR_RT_PARAM_INVALID;
    memcpy(args->bytes + param->offset, value, paramSize);
    return 0;
}

aclError sim_aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle)
{
    struct args *args = args_of(argsHandle);

    if (!args)
        return ACL_ERROR_RT_PARAM_INVALID;
    args->finished = true;
    return 0;
}

/* Data of a list in user memory is already in that memory and is not moved. */
static aclError pack_user(struct args *args, struct args_view *view)
{
    for (uint32_t i = 0; i < args->count; i++)
        if (args->params[i].data)
            args->holders[view->holder_count++] = (aclrtPlaceHolderInfo){
                args->params[i].offset, (uint32_t)(args->params[i].data - args->bytes)};
    view->bytes = args->bytes;
    view->size = args->tail < args->room ? args->room : args->used;
    return 0;
}

static aclError pack_own(struct args *args, struct args_view *view)
{
    size_t size = args->used;

    for (uint32_t i = 0; i < args->count; i++)
        size += rounded(args->params[i].data_size);
    view->size = size;
    view->bytes = args->bytes;
    if (size == args->used)
        return 0;
    free(args->packed);
    args->packed = malloc(size);
    if (!args->packed)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    memcpy(args->packed, args->bytes, args->used);
    size = args->used;
    for (uint32_t i = 0; i < args->count; i++) {
        const struct param *param = &args->params[i];

        if (!param->data)
            continue;
        memcpy(args->packed + size, param->data, rounded(param->data_size));
        args->holders[view->holder_count++] =
            (aclrtPlaceHolderInfo){param->offset, (uint32_t)size};
        size += rounded(param->data_size);
    }
    view->bytes = args->packed;
    return 0;
}

aclError args_pack(aclrtArgsHandle handle, struct args_view *view)
{
    struct args *args = args_of(handle);

    if (!args || !args->finished)
        return ACL_ERROR_RT_PARAM_INVALID;
    memset(view, 0, sizeof(*view));
    view->holders = args->holders;
    return args->user ? pack_user(args, view) : pack_own(args, view);
}
