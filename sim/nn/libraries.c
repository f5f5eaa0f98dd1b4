#include "sim/nn/libraries.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_MAX_BYTES 4096
#define KERNELS_MAX    64

static struct libraries found;
static bool is_complete;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Writes a path relative to the folder of this library. */
static bool path_from_own(char *path, size_t size, const char *place, const char *name)
{
    Dl_info own;
    const char *slash;

    if (!dladdr((void *)&found, &own) || !own.dli_fname)
        return false;
    slash = strrchr(own.dli_fname, '/');
    return slash && snprintf(path, size, "%.*s/%s%s", (int)(slash - own.dli_fname),
                             own.dli_fname, place, name) < (int)size;
}

static void *open_from_home(const char *name)
{
    const char *home = getenv("ASCEND_HOME_PATH");
    char path[PATH_MAX_BYTES];
    void *handle = NULL;

    if (home &&
        snprintf(path, sizeof(path), "%s/lib64/%s", home, name) < (int)sizeof(path))
        handle = dlopen(path, RTLD_NOW);
    if (!handle && path_from_own(path, sizeof(path), "", name))
        handle = dlopen(path, RTLD_NOW);
    return handle;
}

static bool look_up(void *handle, const char *name, void *into)
{
    void *symbol = handle ? dlsym(handle, name) : NULL;

    if (!symbol) {
        fprintf(stderr,
                "npu_sim: libnnopbase.so: function '%s' not found; check "
                "ASCEND_HOME_PATH\n",
                name);
        return false;
    }
    memcpy(into, &symbol, sizeof(symbol));
    return true;
}

static void find_all(void)
{
    void *hccl = dlopen("libhccl.so", RTLD_NOW);
    void *acl = open_from_home("libacl_rt.so");

    is_complete =
        look_up(hccl, "HcomGetCommHandleByGroup", &found.comm_by_group) &&
        look_up(hccl, "HcclAllocComResourceByTiling", &found.alloc_by_tiling) &&
        look_up(hccl, "HcclGetAicpuOpStreamAndNotify", &found.stream_and_notify) &&
        look_up(hccl, "HcclGetRankSize", &found.rank_size) &&
        look_up(hccl, "HcclGetRankId", &found.rank_id) &&
        look_up(acl, "aclrtLaunchKernelWithHostArgs", &found.launch);
}

const struct libraries *libraries_get(void)
{
    pthread_once(&once, find_all);
    return is_complete ? &found : NULL;
}

aclError libraries_kernel(const char *op, uint64_t key, aclrtFuncHandle *function)
{
    static struct {
        const char *op;
        aclrtBinHandle binary;
    } loaded[KERNELS_MAX];
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    char path[PATH_MAX_BYTES], file[128];
    aclError error = 0;
    int at = 0;

    snprintf(file, sizeof(file), "%s.o", op);

    pthread_mutex_lock(&mutex);
    while (at < KERNELS_MAX && loaded[at].op && strcmp(loaded[at].op, op) != 0)
        at++;
    if (at == KERNELS_MAX || !path_from_own(path, sizeof(path), "../kernels/", file))
        error = ACL_ERROR_RT_KERNEL_LOOKUP;
    else if (!loaded[at].op)
        error = aclrtBinaryLoadFromFile(path, NULL, &loaded[at].binary);
    if (!error) {
        loaded[at].op = op;
        error = aclrtBinaryGetFunctionByEntry(loaded[at].binary, key, function);
    }
    pthread_mutex_unlock(&mutex);
    return error;
}
