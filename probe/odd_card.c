/* odd_card.c - libraries that violate assumptions, for tests of the probe
 *
 * The file stands for libascendcl.so, libascend_hal.so and libdcmi.so. Functions that
 * it lacks come from the simulated NPU, to which it is linked. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "inject/base/abi.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int aclrtSetDevice(int32_t device);
EXPORT int aclrtMalloc(void **memory, size_t size, int policy);
EXPORT int aclrtWaitAndResetNotify(void *notify, void *stream, uint32_t seconds);
EXPORT int prof_drv_start(unsigned device, unsigned channel, struct prof_start *start);
EXPORT int prof_drv_get_channels(unsigned device, struct prof_channel_list *list);
EXPORT int dcmi_get_device_temperature(int card, int chip, int *celsius);

/* A child process can use the card of its parent. */
int aclrtSetDevice(int32_t device)
{
    int (*next)(int32_t) = (int (*)(int32_t))dlsym(RTLD_NEXT, "aclrtSetDevice");
    static pid_t first;

    if (first == 0)
        first = getpid();
    return first != getpid() ? 0 : next ? next(device) : -1;
}

int aclrtMalloc(void **memory, size_t size, int policy)
{
    static char block[4096];

    (void)policy;
    *memory = block;
    return size <= sizeof(block) ? 0 : 207001;
}

/* The wait never blocks. */
int aclrtWaitAndResetNotify(void *notify, void *stream, uint32_t seconds)
{
    (void)notify;
    (void)stream;
    (void)seconds;
    return 0;
}

/* Refused, as in a container. */
int prof_drv_start(unsigned device, unsigned channel, struct prof_start *start)
{
    (void)device;
    (void)channel;
    (void)start;
    return -12;
}

int prof_drv_get_channels(unsigned device, struct prof_channel_list *list)
{
    (void)device;
    memset(list, 0, sizeof(*list));
    list->count = 1;
    list->channels[0].id = PROF_STARS_LOG;
    return 0;
}

int dcmi_get_device_temperature(int card, int chip, int *celsius)
{
    (void)card;
    (void)chip;
    *celsius = 0;
    return 0;
}
