/* start.c - errors of init, devices, contexts and host properties */
#include <acl/acl_prof.h>
#include <runtime/rt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/tests/errors/errors.h"

static int version_without_result(void)
{
    return aclrtGetVersion(NULL, NULL, NULL);
}

static int end_before_start(void)
{
    return aclFinalize();
}

static int start_twice(void)
{
    MUST(aclInit(NULL));
    return aclInit(NULL);
}

static int end_twice(void)
{
    MUST(aclInit(NULL));
    MUST(aclFinalize());
    return aclFinalize();
}

static int configuration_that_is_not_there(void)
{
    return aclInit("/no/such/file.json");
}

/* Creates a temporary file with this text and size. */
static int start_with(const char *text, long bytes)
{
    const char *folder = getenv("TMPDIR");
    char path[256];
    int fd, error;

    snprintf(path, sizeof(path), "%.200s/npu_sim_errors_XXXXXX",
             folder ? folder : "/tmp");
    fd = mkstemp(path);
    must(fd < 0 || dprintf(fd, "%s", text) < 0 || (bytes && ftruncate(fd, bytes)),
         path);
    error = aclInit(path);
    unlink(path);
    close(fd);
    return error;
}

static int configuration_that_is_cut_off(void)
{
    return start_with("{\"dump\": {\"path\": \"a}\"", 0);
}

static int configuration_that_is_too_large(void)
{
    return start_with("{}", 11 << 20);
}

static int device_that_is_not_there(void)
{
    return aclrtSetDevice(99);
}

static int malloc_without_a_device(void)
{
    void *memory;

    return aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
}

static int stream_of_another_device(void)
{
    aclrtStream stream;

    MUST(aclrtSetDevice(0));
    MUST(aclrtCreateStream(&stream));
    MUST(aclrtSetDevice(1));
    return aclrtSynchronizeStream(stream);
}

/* The runtime threads of the parent do not exist in the child. */
static int use_after_fork(void)
{
    void *memory;
    int status;
    pid_t child;

    MUST(aclrtSetDevice(0));
    child = fork();
    if (child == 0)
        _exit(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) ==
                      ACL_ERROR_RT_DRV_INTERNAL_ERROR
                  ? 0
                  : 1);
    must(waitpid(child, &status, 0) != child, "the child");
    return status == 0 ? ACL_ERROR_RT_DRV_INTERNAL_ERROR : -1;
}

static int stop_what_does_not_run(void)
{
    return aclprofFinalize();
}

static int profile_twice(void)
{
    MUST(aclprofInit("/tmp", 4));
    return aclprofInit("/tmp", 4);
}

static const struct error_case cases[] = {
    REACH(ACL_ERROR_PROF_NOT_RUN,
          "aclprofFinalize without aclprofInit",
          stop_what_does_not_run),
    REACH(ACL_ERROR_PROF_ALREADY_RUN, "aclprofInit twice", profile_twice),
    REACH(ACL_ERROR_INVALID_PARAM, "aclrtGetVersion(NULL)", version_without_result),
    REACH(ACL_ERROR_UNINITIALIZE, "aclFinalize without aclInit", end_before_start),
    REACH(ACL_ERROR_REPEAT_INITIALIZE, "aclInit twice", start_twice),
    REACH(ACL_ERROR_REPEAT_FINALIZE, "aclFinalize twice", end_twice),
    REACH(ACL_ERROR_INVALID_FILE,
          "aclInit of no file",
          configuration_that_is_not_there),
    REACH(ACL_ERROR_PARSE_FILE,
          "aclInit of half a file",
          configuration_that_is_cut_off),
    REACH(ACL_ERROR_INVALID_FILE_SIZE,
          "aclInit of a huge file",
          configuration_that_is_too_large),
    REACH(ACL_ERROR_RT_INVALID_DEVICEID,
          "aclrtSetDevice(99)",
          device_that_is_not_there),
    REACH(ACL_ERROR_RT_CONTEXT_NULL,
          "aclrtMalloc without a device",
          malloc_without_a_device),
    REACH(ACL_ERROR_RT_STREAM_CONTEXT,
          "a stream of another device",
          stream_of_another_device),
    REACH(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "a card used on after fork", use_after_fork),
};

const struct error_list errors_start = {cases, COUNT(cases)};
