/* sensitive_programs.c - programs that could break when a library is injected into them
 *
 *   threads  two threads launch on one device, each with its own stream and memory
 *   fork     the parent launches, a child ends without exec, the parent launches again
 *   early    the program forks before its first NPU call; parent and child launch
 *   local    launches; built as sensitive_programs_local the program finds the runtime
 *            with dlopen(RTLD_LOCAL) and dlsym() only
 *
 * Prints the result, which must be the same with and without inject. */
#include <acl/acl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 2048, LAUNCHES = 3 };

/* arguments of accumulate_inplace: output += input */
struct arguments {
    void *input, *output;
    void *count_address;
    uint32_t count;
    uint32_t pad;
};

/* Every call uses these pointers, so that the way local can set them with dlsym(). */
#define CALLS(X)                                                                       \
    X(aclInit)                                                                         \
    X(aclFinalize)                                                                     \
    X(aclrtSetDevice)                                                                  \
    X(aclrtResetDevice)                                                                \
    X(aclrtCreateStream)                                                               \
    X(aclrtDestroyStream)                                                              \
    X(aclrtSynchronizeStream)                                                          \
    X(aclrtBinaryLoadFromFile)                                                         \
    X(aclrtBinaryGetFunction)                                                          \
    X(aclrtLaunchKernelWithHostArgs)                                                   \
    X(aclrtMalloc)                                                                     \
    X(aclrtFree)                                                                       \
    X(aclrtMemcpy)

static struct {
#define MEMBER(call) __typeof__(&call) call;
    CALLS(MEMBER)
} acl;

static aclrtFuncHandle function;
static const char *kernel;

static void check(int error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "%s: %d\n", what, error);
    exit(1);
}
#define CHECK(call) check((int)(call), #call)

#ifndef PROGRAMS_LOCAL
static void find_calls(void)
{
#define TAKE(call) acl.call = call;
    CALLS(TAKE)
}
#else
static void find_calls(void)
{
    void *library = dlopen("libascendcl.so", RTLD_NOW | RTLD_LOCAL);

    check(!library, "dlopen");
#define FIND(call)                                                                     \
    acl.call = (__typeof__(&call))dlsym(library, #call);                               \
    check(!acl.call, #call);
    CALLS(FIND)
}
#endif

static void open_card(void)
{
    aclrtBinHandle binary;

    CHECK(acl.aclInit(NULL));
    CHECK(acl.aclrtSetDevice(0));
    CHECK(acl.aclrtBinaryLoadFromFile(kernel, NULL, &binary));
    CHECK(acl.aclrtBinaryGetFunction(binary, "accumulate_inplace", &function));
}

/* Adds the input to the output LAUNCHES times, on a new stream. Returns the number of
 * wrong elements. */
static long accumulate(float start)
{
    static const size_t size = COUNT * sizeof(float);
    aclrtPlaceHolderInfo holder = {offsetof(struct arguments, count_address),
                                   offsetof(struct arguments, count)};
    struct arguments arguments = {.count = COUNT};
    float *values = malloc(size);
    aclrtStream stream;
    long wrong = 0;

    for (int i = 0; i < COUNT; i++)
        values[i] = start + (float)i;
    CHECK(acl.aclrtSetDevice(0));
    CHECK(acl.aclrtCreateStream(&stream));
    CHECK(acl.aclrtMalloc(&arguments.input, size, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(acl.aclrtMalloc(&arguments.output, size, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(acl.aclrtMemcpy(arguments.input, size, values, size,
                          ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(acl.aclrtMemcpy(arguments.output, size, values, size,
                          ACL_MEMCPY_HOST_TO_DEVICE));
    for (int i = 0; i < LAUNCHES; i++)
        CHECK(acl.aclrtLaunchKernelWithHostArgs(function, 4, stream, NULL, &arguments,
                                                sizeof(arguments), &holder, 1));
    CHECK(acl.aclrtSynchronizeStream(stream));
    CHECK(acl.aclrtMemcpy(values, size, arguments.output, size,
                          ACL_MEMCPY_DEVICE_TO_HOST));
    for (int i = 0; i < COUNT; i++)
        wrong += values[i] != (start + (float)i) * (LAUNCHES + 1);
    CHECK(acl.aclrtFree(arguments.input));
    CHECK(acl.aclrtFree(arguments.output));
    CHECK(acl.aclrtDestroyStream(stream));
    free(values);
    return wrong;
}

static void *thread(void *arg)
{
    return (void *)accumulate((float)(intptr_t)arg);
}

static long in_threads(void)
{
    pthread_t threads[2];
    long wrong = 0;

    for (intptr_t i = 0; i < 2; i++)
        check(pthread_create(&threads[i], NULL, thread, (void *)(1 + 100 * i)),
              "thread");
    for (int i = 0; i < 2; i++) {
        void *result;

        pthread_join(threads[i], &result);
        wrong += (long)result;
    }
    return wrong;
}

static int child_code(pid_t pid)
{
    int status = 0;

    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    const char *way = argc == 3 ? argv[1] : "";
    int code = 0;
    pid_t pid = -1;

    kernel = argv[argc - 1];
    find_calls();
    if (strcmp(way, "early") == 0 && (pid = fork()) == 0) {
        open_card();
        _exit(accumulate(7) ? 1 : 0);
    }
    open_card();
    long wrong = strcmp(way, "threads") == 0 ? in_threads() : accumulate(1);
    if (strcmp(way, "early") == 0)
        code = child_code(pid);
    if (strcmp(way, "fork") == 0) {
        if ((pid = fork()) == 0)
            _exit(3);
        code = child_code(pid);
        wrong += accumulate(2);
    }
    CHECK(acl.aclrtResetDevice(0));
    CHECK(acl.aclFinalize());
    printf("%s: wrong=%ld child=%d\n", way, wrong, code);
    return wrong != 0;
}
