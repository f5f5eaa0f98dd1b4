#include "sim/runtime/context.h"

#include <pthread.h>
#include <stdlib.h>
#include <toolchain/prof_api.h>

#include "sim/card/card.h"
#include "sim/runtime/calls.h"
#include "sim/runtime/stream/stream.h"

#define MAGIC       0x43545831u
#define DEVICES_MAX 4096

static struct {
    pthread_mutex_t mutex;
    struct context *all;
    struct {
        uint32_t references;
        struct context *primary;
    } device[DEVICES_MAX];
} table = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static uint32_t visible[DEVICES_MAX];
static uint32_t visible_count;
static bool used, forked;
static _Thread_local struct context *current;

/* Parses ascending logical ids, separated by commas. Any other text ends the list. */
static void read_visible(void)
{
    const char *text = getenv("ASCEND_RT_VISIBLE_DEVICES");
    uint32_t cards = npu_sim_card_count();
    long last = -1;

    if (!text) {
        for (; visible_count < cards; visible_count++)
            visible[visible_count] = visible_count;
        return;
    }
    while (*text >= '0' && *text <= '9') {
        char *end;
        long id = strtol(text, &end, 10);

        if (id <= last || id >= (long)cards)
            return;
        visible[visible_count++] = (uint32_t)id;
        last = id;
        if (*end != ',')
            return;
        text = end + 1;
    }
}

static void note_fork(void)
{
    forked = used;
}

static void init_once(void)
{
    read_visible();
    pthread_atfork(NULL, NULL, note_fork);
}

static void init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, init_once);
}

uint32_t context_device_count(void)
{
    init();
    return visible_count;
}

bool context_has_device(int32_t device)
{
    return device >= 0 && (uint32_t)device < context_device_count();
}

uint32_t context_card_of(int32_t device)
{
    return visible[device];
}

bool context_is_forked(void)
{
    return forked;
}

aclError context_current(struct context **out)
{
    if (!current || !current->alive)
        return ACL_ERROR_RT_CONTEXT_NULL;
    if (forked)
        return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    *out = current;
    return 0;
}

uint32_t context_any_card(void)
{
    if (current && current->alive)
        return current->card;
    return context_device_count() > 0 ? visible[0] : 0;
}

static struct context *create(int32_t device, bool primary)
{
    struct context *context = calloc(1, sizeof(*context));

    if (!context)
        return NULL;
    context->magic = MAGIC;
    context->alive = true;
    context->primary = primary;
    context->device = device;
    context->card = visible[device];
    context->default_stream = stream_create(context);
    if (!context->default_stream) {
        free(context);
        return NULL;
    }
    used = true;
    context->next = table.all;
    table.all = context;
    return context;
}

static bool is_context(aclrtContext handle)
{
    struct context *context = handle;

    return context && context->magic == MAGIC && context->alive;
}

aclError sim_aclrtGetDeviceCount(uint32_t *count)
{
    if (!count)
        return ACL_ERROR_RT_PARAM_INVALID;
    *count = context_device_count();
    return 0;
}

aclError sim_aclrtSetDevice(int32_t deviceId)
{
    bool opened = false;

    if (!context_has_device(deviceId))
        return ACL_ERROR_RT_INVALID_DEVICEID;
    if (forked)
        return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    pthread_mutex_lock(&table.mutex);
    if (!table.device[deviceId].primary) {
        table.device[deviceId].primary = create(deviceId, true);
        opened = true;
    }
    if (table.device[deviceId].primary) {
        table.device[deviceId].references++;
        current = table.device[deviceId].primary;
    }
    pthread_mutex_unlock(&table.mutex);
    if (!current || current->device != deviceId)
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    if (opened)
        MsprofNotifySetDevice(0, (uint32_t)deviceId, true);
    return 0;
}

/* Resets the device after its last reference: destroys its contexts, then its streams.
 */
static void close_device(int32_t device)
{
    pthread_mutex_lock(&table.mutex);
    for (struct context *context = table.all; context; context = context->next)
        if (context->device == device) {
            context->is_reset = context->alive && !context->primary;
            context->alive = false;
        }
    table.device[device].primary = NULL;
    table.device[device].references = 0;
    pthread_mutex_unlock(&table.mutex);
    if (!forked)
        stream_end_all_of(device);
    MsprofNotifySetDevice(0, (uint32_t)device, false);
}

static aclError reset(int32_t device, bool force)
{
    bool closing = false;

    if (!context_has_device(device))
        return ACL_ERROR_RT_INVALID_DEVICEID;
    pthread_mutex_lock(&table.mutex);
    if (table.device[device].references > 0) {
        table.device[device].references--;
        if (force || table.device[device].references == 0)
            closing = true;
    }
    pthread_mutex_unlock(&table.mutex);
    if (closing)
        close_device(device);
    return 0;
}

aclError sim_aclrtResetDevice(int32_t deviceId)
{
    return reset(deviceId, false);
}

aclError sim_aclrtResetDeviceForce(int32_t deviceId)
{
    return reset(deviceId, true);
}

aclError sim_aclrtGetDevice(int32_t *deviceId)
{
    struct context *context;
    aclError error = context_current(&context);

    if (error)
        return error;
    if (!deviceId)
        return ACL_ERROR_RT_PARAM_INVALID;
    *deviceId = context->device;
    return 0;
}

aclError sim_aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
    struct context *made;

    if (!context)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (!context_has_device(deviceId))
        return ACL_ERROR_RT_INVALID_DEVICEID;
    if (forked)
        return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    pthread_mutex_lock(&table.mutex);
    made = create(deviceId, false);
    pthread_mutex_unlock(&table.mutex);
    if (!made)
        return ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
    *context = current = made;
    return 0;
}

aclError sim_aclrtDestroyContext(aclrtContext context)
{
    struct context *ending = context;

    if (ending && ending->magic == MAGIC && ending->is_reset) {
        ending->is_reset = false;
        return 0;
    }
    if (!is_context(context) || ending->primary)
        return ACL_ERROR_RT_CONTEXT_NULL;
    ending->alive = false;
    stream_end(ending->default_stream);
    ending->default_stream = NULL;
    if (current == ending)
        current = NULL;
    return 0;
}

aclError sim_aclrtSetCurrentContext(aclrtContext context)
{
    if (!is_context(context))
        return ACL_ERROR_RT_PARAM_INVALID;
    current = context;
    return 0;
}

aclError sim_aclrtGetCurrentContext(aclrtContext *context)
{
    struct context *found;
    aclError error = context_current(&found);

    if (error)
        return error;
    if (!context)
        return ACL_ERROR_RT_PARAM_INVALID;
    *context = found;
    return 0;
}

aclError sim_aclrtCtxGetCurrentDefaultStream(aclrtStream *stream)
{
    struct context *context;
    aclError error = context_current(&context);

    if (error)
        return error;
    if (!stream)
        return ACL_ERROR_RT_PARAM_INVALID;
    *stream = context->default_stream;
    return 0;
}

aclError sim_aclrtGetLogicDevIdByUserDevId(const int32_t userDevid,
                                           int32_t *const logicDevId)
{
    if (!logicDevId)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (!context_has_device(userDevid))
        return ACL_ERROR_RT_INVALID_DEVICEID;
    *logicDevId = (int32_t)visible[userDevid];
    return 0;
}

aclError sim_aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId,
                                           int32_t *const userDevid)
{
    if (!userDevid)
        return ACL_ERROR_RT_PARAM_INVALID;
    for (uint32_t i = 0; i < context_device_count(); i++)
        if ((int32_t)visible[i] == logicDevId) {
            *userDevid = (int32_t)i;
            return 0;
        }
    return ACL_ERROR_RT_INVALID_DEVICEID;
}
