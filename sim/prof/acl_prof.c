/* acl_prof.c - lets a program start and stop the profiling of itself
 *
 * The commands are sent to all modules that have registered a callback. */
#include <acl/acl_prof.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <toolchain/prof_api.h>
#include <unistd.h>

#define PATH_BYTES_MAX 4096
#define COMMAND_START  1
#define COMMAND_STOP   2
#define ALL_MODELS     0xFFFFFFFFu

struct aclprofConfig {
    uint64_t switches;
    uint32_t device_count;
    uint32_t devices[ACL_PROF_MAX_DEVICES];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool ready, running;

aclError aclprofInit(const char *profilerResultPath, size_t length)
{
    char path[PATH_BYTES_MAX];
    struct stat found;
    aclError error = 0;

    if (!profilerResultPath || length == 0 || length >= sizeof(path))
        return ACL_ERROR_INVALID_PARAM;
    memcpy(path, profilerResultPath, length);
    path[length] = '\0';
    if (stat(path, &found) < 0 || !S_ISDIR(found.st_mode) || access(path, W_OK) < 0)
        return ACL_ERROR_INVALID_FILE;
    pthread_mutex_lock(&mutex);
    if (ready)
        error = ACL_ERROR_PROF_ALREADY_RUN;
    ready = true;
    pthread_mutex_unlock(&mutex);
    return error;
}

aclError aclprofFinalize(void)
{
    aclError error = 0;

    pthread_mutex_lock(&mutex);
    if (!ready)
        error = ACL_ERROR_PROF_NOT_RUN;
    else if (running)
        error = ACL_ERROR_PROF_ALREADY_RUN; /* stop the profiling first */
    else
        ready = false;
    pthread_mutex_unlock(&mutex);
    return error;
}

static bool is_metric(aclprofAicoreMetrics metrics)
{
    return (unsigned)metrics <= ACL_AICORE_MEMORY_ACCESS || metrics == ACL_AICORE_NONE;
}

aclprofConfig *aclprofCreateConfig(uint32_t *deviceIdList,
                                   uint32_t deviceNums,
                                   aclprofAicoreMetrics aicoreMetrics,
                                   const aclprofAicoreEvents *aicoreEvents,
                                   uint64_t dataTypeConfig)
{
    aclprofConfig *config;

    if (deviceNums > ACL_PROF_MAX_DEVICES || (deviceNums > 0 && !deviceIdList) ||
        !is_metric(aicoreMetrics) || aicoreEvents || dataTypeConfig == 0)
        return NULL;
    config = calloc(1, sizeof(*config));
    if (!config)
        return NULL;
    config->switches = dataTypeConfig;
    config->device_count = deviceNums;
    if (deviceNums > 0)
        memcpy(config->devices, deviceIdList, deviceNums * sizeof(*deviceIdList));
    return config;
}

aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig)
{
    if (!profilerConfig)
        return ACL_ERROR_INVALID_PARAM;
    free((aclprofConfig *)profilerConfig);
    return 0;
}

static void command(const aclprofConfig *config, uint32_t type)
{
    struct MsprofCommandHandle *handle = calloc(1, sizeof(*handle));

    if (!handle)
        return;
    handle->profSwitch = config->switches;
    handle->devNums = config->device_count;
    memcpy(handle->devIdList, config->devices,
           config->device_count * sizeof(config->devices[0]));
    handle->modelId = ALL_MODELS;
    handle->type = type;
    profSetProfCommand(handle, sizeof(*handle));
    free(handle);
}

/* Starts or stops the profiling. The mutex is free while the command is sent, because
 * callbacks may call these functions. */
static aclError switch_profiling(const aclprofConfig *config, bool on)
{
    aclError error = 0;

    if (!config)
        return ACL_ERROR_INVALID_PARAM;
    pthread_mutex_lock(&mutex);
    if (!ready || (!on && !running))
        error = ACL_ERROR_PROF_NOT_RUN;
    else if (on && running)
        error = ACL_ERROR_PROF_ALREADY_RUN;
    else
        running = on;
    pthread_mutex_unlock(&mutex);
    if (!error)
        command(config, on ? COMMAND_START : COMMAND_STOP);
    return error;
}

aclError aclprofStart(const aclprofConfig *profilerConfig)
{
    return switch_profiling(profilerConfig, true);
}

aclError aclprofStop(const aclprofConfig *profilerConfig)
{
    return switch_profiling(profilerConfig, false);
}
