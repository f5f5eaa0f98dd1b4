/* libraries.c - opens the libraries of the installation and finds functions in them */
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "probe/probe.h"

static const char *const files[LIBRARY_COUNT] = {
    [LIBRARY_ACL] = "libascendcl.so", [LIBRARY_RUNTIME] = "libruntime.so",
    [LIBRARY_HCCL] = "libhccl.so",    [LIBRARY_HCOMM] = "libhcomm.so",
    [LIBRARY_PROF] = "libprofapi.so", [LIBRARY_DRIVER] = "libascend_hal.so",
    [LIBRARY_BOARD] = "libdcmi.so",   [LIBRARY_DUMP] = "libascend_dump.so",
};
static void *handles[LIBRARY_COUNT];

const char *probe_library_file(enum probe_library library)
{
    return files[library];
}

void *probe_open(enum probe_library library)
{
    const char *home = getenv("ASCEND_HOME_PATH");
    char path[PATH_MAX];

    if (!handles[library] && home && *home) {
        snprintf(path, sizeof(path), "%s/lib64/%s", home, files[library]);
        handles[library] = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
    if (!handles[library])
        handles[library] = dlopen(files[library], RTLD_NOW | RTLD_GLOBAL);
    return handles[library];
}

void *probe_find(enum probe_library library, const char *name)
{
    void *handle = probe_open(library);

    return handle ? dlsym(handle, name) : NULL;
}

int probe_cards(void)
{
    int (*ask)(uint32_t *) =
        (int (*)(uint32_t *))probe_find(LIBRARY_ACL, "aclrtGetDeviceCount");
    uint32_t count = 0;

    if (!ask)
        return -1;
    return ask(&count) == 0 ? (int)count : 0;
}

int probe_is_simulated(void)
{
    return probe_find(LIBRARY_RUNTIME, "npu_sim_version") != NULL;
}
