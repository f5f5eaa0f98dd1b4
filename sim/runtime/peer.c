/* peer.c - numbers, links and peer access of cards: a program must enable each pair of
 * cards of the host */
#include <ascend_hal.h>
#include <pthread.h>

#include "sim/fleet/links.h"
#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"

#define DEVICES_MAX 4096
#define WORD_BITS   64

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t enabled[DEVICES_MAX][DEVICES_MAX / WORD_BITS]; /* one bit per pair */

aclError sim_aclrtDeviceCanAccessPeer(int32_t *canAccessPeer,
                                      int32_t deviceId,
                                      int32_t peerDeviceId)
{
    if (!canAccessPeer)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (!context_has_device(deviceId) || !context_has_device(peerDeviceId))
        return ACL_ERROR_RT_INVALID_DEVICEID;
    if (deviceId == peerDeviceId)
        return ACL_ERROR_RT_PARAM_INVALID;
    *canAccessPeer = 1;
    return 0;
}

static aclError set_access(int32_t peer, bool wanted)
{
    struct context *context;
    aclError error = context_current(&context);
    uint64_t *word, bit;

    if (error)
        return error;
    if (!context_has_device(peer))
        return ACL_ERROR_RT_INVALID_DEVICEID;
    if (peer == context->device)
        return ACL_ERROR_RT_PARAM_INVALID;
    word = &enabled[context->device][peer / WORD_BITS];
    bit = 1ull << peer % WORD_BITS;
    pthread_mutex_lock(&mutex);
    if (!wanted && !(*word & bit))
        error = ACL_ERROR_RT_PARAM_INVALID; /* access was not enabled */
    *word = wanted ? *word | bit : *word & ~bit;
    pthread_mutex_unlock(&mutex);
    return error;
}

aclError sim_aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)
{
    return flags ? ACL_ERROR_RT_PARAM_INVALID : set_access(peerDeviceId, true);
}

aclError sim_aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)
{
    return set_access(peerDeviceId, false);
}

aclError
sim_aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t *value)
{
    struct npu_sim_place one = {.host = npu_sim_host_index()}, other = one;

    if (!value)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (deviceId > INT32_MAX || otherDeviceId > INT32_MAX ||
        !context_has_device((int32_t)deviceId) ||
        !context_has_device((int32_t)otherDeviceId))
        return ACL_ERROR_RT_INVALID_DEVICEID;
    one.card = context_card_of((int32_t)deviceId);
    other.card = context_card_of((int32_t)otherDeviceId);
    *value = npu_sim_link_of(one, other);
    return 0;
}

/* A logical number is an index among the cards of the host, a physical one names a
 * slot. */
aclError sim_aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId,
                                          int32_t *const phyDevId)
{
    uint32_t found;

    if (!phyDevId)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (logicDevId < 0 || drvDeviceGetPhyIdByIndex((uint32_t)logicDevId, &found) != 0)
        return ACL_ERROR_RT_INVALID_DEVICEID;
    *phyDevId = (int32_t)found;
    return 0;
}

aclError sim_aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId,
                                          int32_t *const logicDevId)
{
    uint32_t found;

    if (!logicDevId)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (phyDevId < 0 || drvDeviceGetIndexByPhyId((uint32_t)phyDevId, &found) != 0)
        return ACL_ERROR_RT_INVALID_DEVICEID;
    *logicDevId = (int32_t)found;
    return 0;
}
