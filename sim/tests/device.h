/* device.h - shared by the tests of the libraries: a card in use, and the probe kernels
 */
#ifndef SIM_TESTS_DEVICE_H
#define SIM_TESTS_DEVICE_H

#include <acl/acl.h>
#include <stdint.h>

/* in the folder of the test programs, or as set by CMake */
#ifndef PROBE_KERNEL
#define PROBE_KERNEL "probe.o"
#endif

struct probe_args {
    void *seen;
    uint64_t value;
    const void *data;
};

static inline int device_open(void **state)
{
    (void)state;
    return aclrtSetDevice(0);
}

static inline int device_close(void **state)
{
    (void)state;
    return aclrtResetDeviceForce(0);
}

static inline aclrtFuncHandle device_kernel(aclrtBinHandle *binary, const char *name)
{
    aclrtFuncHandle function = NULL;

    if (aclrtBinaryLoadFromFile(PROBE_KERNEL, NULL, binary) ||
        aclrtBinaryGetFunction(*binary, name, &function))
        return NULL;
    return function;
}

#endif
