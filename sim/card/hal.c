/* hal.c - the driver calls that describe the cards */
#include <ascend_hal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sim/card/card.h"
#include "sim/fleet/condition.h"
#include "sim/fleet/config.h"
#include "sim/fleet/soc.h"

#define API_VERSION 0x071905 /* below 0x072419: the short BIU configuration */
#define AICPUS      6

drvError_t drvGetDevNum(uint32_t *num_dev)
{
    if (!num_dev)
        return DRV_ERROR_INVALID_VALUE;
    *num_dev = config_get()->cards;
    return DRV_ERROR_NONE;
}

drvError_t drvGetDevIDs(uint32_t *devices, uint32_t len)
{
    if (!devices || len < config_get()->cards)
        return DRV_ERROR_INVALID_VALUE;
    for (uint32_t i = 0; i < config_get()->cards; i++)
        devices[i] = i;
    return DRV_ERROR_NONE;
}

drvError_t drvDeviceGetPhyIdByIndex(uint32_t devIndex, uint32_t *phyId)
{
    if (!phyId)
        return DRV_ERROR_INVALID_VALUE;
    if (devIndex >= config_get()->cards)
        return DRV_ERROR_INVALID_DEVICE;
    *phyId = config_get()->card[devIndex].physical;
    return DRV_ERROR_NONE;
}

drvError_t drvDeviceGetIndexByPhyId(uint32_t phyId, uint32_t *devIndex)
{
    const struct config *config = config_get();

    if (!devIndex)
        return DRV_ERROR_INVALID_VALUE;
    for (uint32_t i = 0; i < config->cards; i++)
        if (config->card[i].physical == phyId) {
            *devIndex = i;
            return DRV_ERROR_NONE;
        }
    return DRV_ERROR_INVALID_DEVICE;
}

drvError_t drvDeviceStatus(uint32_t devId, drvStatus_t *status)
{
    if (!status)
        return DRV_ERROR_INVALID_VALUE;
    if (devId >= config_get()->cards)
        return DRV_ERROR_INVALID_DEVICE;
    *status = DRV_STATUS_WORK;
    return DRV_ERROR_NONE;
}

drvError_t drvGetPlatformInfo(uint32_t *info)
{
    if (!info)
        return DRV_ERROR_INVALID_VALUE;
    *info = 1; /* this process runs on the host side */
    return DRV_ERROR_NONE;
}

drvError_t halGetHostID(uint32_t *hostId)
{
    if (!hostId)
        return DRV_ERROR_INVALID_VALUE;
    *hostId = 64;
    return DRV_ERROR_NONE;
}

drvError_t halGetAPIVersion(int *halAPIVersion)
{
    if (!halAPIVersion)
        return DRV_ERROR_INVALID_VALUE;
    *halAPIVersion = API_VERSION;
    return DRV_ERROR_NONE;
}

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static drvError_t ask_system(uint32_t card, int32_t info, int64_t *value)
{
    const struct soc *soc = config_get()->soc;

    switch (info) {
    case INFO_TYPE_VERSION:
        *value = (int64_t)soc->chip << 8;
        return DRV_ERROR_NONE;
    case INFO_TYPE_MASTERID:
    case INFO_TYPE_ID:
        *value = card;
        return DRV_ERROR_NONE;
    case INFO_TYPE_PHY_CHIP_ID:
        *value = config_get()->card[card].physical;
        return DRV_ERROR_NONE;
    case INFO_TYPE_PHY_DIE_ID:
        *value = config_get()->card[card].physical % soc->dies;
        return DRV_ERROR_NONE;
    case INFO_TYPE_SYS_COUNT:
        *value = (int64_t)npu_sim_card_ticks(card);
        return DRV_ERROR_NONE;
    case INFO_TYPE_MONOTONIC_RAW:
        *value = now_ns(CLOCK_MONOTONIC_RAW);
        *value += condition_clock_ns(now_ns(CLOCK_MONOTONIC));
        return DRV_ERROR_NONE;
    case INFO_TYPE_DEV_OSC_FREQUE:
        *value = soc->ticks_khz;
        return DRV_ERROR_NONE;
    case INFO_TYPE_HOST_OSC_FREQUE:
        *value = 1000000; /* host times are nanoseconds */
        return DRV_ERROR_NONE;
    default:
        return DRV_ERROR_NOT_SUPPORT;
    }
}

drvError_t
halGetDeviceInfo(uint32_t devId, int32_t moduleType, int32_t infoType, int64_t *value)
{
    const struct soc *soc;
    bool core =
        moduleType == MODULE_TYPE_AICORE || moduleType == MODULE_TYPE_VECTOR_CORE;

    if (!value)
        return DRV_ERROR_INVALID_VALUE;
    if (devId >= config_get()->cards)
        return DRV_ERROR_INVALID_DEVICE;
    if (moduleType == MODULE_TYPE_SYSTEM)
        return ask_system(devId, infoType, value);
    soc = config_get()->card[devId].soc;
    if (moduleType == MODULE_TYPE_AICPU && infoType == INFO_TYPE_CORE_NUM)
        *value = AICPUS;
    else if (moduleType == MODULE_TYPE_AICORE && infoType == INFO_TYPE_CORE_NUM)
        *value = soc->cores;
    else if (moduleType == MODULE_TYPE_VECTOR_CORE && infoType == INFO_TYPE_CORE_NUM)
        *value = (int64_t)soc->cores * soc->vectors;
    else if (core && infoType == INFO_TYPE_FREQUE)
        *value = soc->mhz;
    else if (core && infoType == INFO_TYPE_CURRENT_FREQ)
        *value = condition_of(devId).mhz;
    else
        return DRV_ERROR_NOT_SUPPORT;
    return DRV_ERROR_NONE;
}

drvError_t halGetDeviceInfoByBuff(uint32_t devId,
                                  int32_t moduleType,
                                  int32_t infoType,
                                  void *buf,
                                  int32_t *size)
{
    int32_t mhz;

    if (!buf || !size || *size < (int32_t)sizeof(mhz))
        return DRV_ERROR_INVALID_VALUE;
    if (devId >= config_get()->cards)
        return DRV_ERROR_INVALID_DEVICE;
    if (moduleType != MODULE_TYPE_AICORE || infoType != INFO_TYPE_CURRENT_FREQ)
        return DRV_ERROR_NOT_SUPPORT;
    mhz = (int32_t)condition_of(devId).mhz;
    memcpy(buf, &mhz, sizeof(mhz));
    *size = sizeof(mhz);
    return DRV_ERROR_NONE;
}

drvError_t halGetChipInfo(unsigned int devId, halChipInfo *chipInfo)
{
    if (!chipInfo)
        return DRV_ERROR_INVALID_VALUE;
    if (devId >= config_get()->cards)
        return DRV_ERROR_INVALID_DEVICE;
    memset(chipInfo, 0, sizeof(*chipInfo));
    strcpy((char *)chipInfo->type, "Ascend");
    snprintf((char *)chipInfo->name, sizeof(chipInfo->name), "%s",
             config_get()->card[devId].soc->name + strlen("Ascend"));
    strcpy((char *)chipInfo->version, "V1");
    return DRV_ERROR_NONE;
}

drvError_t halGetSocVersion(uint32_t devId, char *socVersion, uint32_t len)
{
    const char *name;

    if (devId >= config_get()->cards)
        return DRV_ERROR_INVALID_DEVICE;
    name = config_get()->card[devId].soc->name;
    if (!socVersion || len <= strlen(name))
        return DRV_ERROR_INVALID_VALUE;
    strcpy(socVersion, name);
    return DRV_ERROR_NONE;
}
