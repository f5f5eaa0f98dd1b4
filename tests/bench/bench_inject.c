/* bench_inject.c - cost of the inject library in a process that is not profiled
 *
 * Two figures: a call through a hook compared with the direct call, and the start of a
 * program that does nothing. INJECT is the path of the library; TOY/lib64 has a runtime
 * whose functions do nothing (toy_acl.c). */
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/bench/ratio.h"

enum { CALLS = 20 * 1000 * 1000, STARTS = 100 };

typedef int free_fn(void *address);

struct calls {
    free_fn *hook, *direct;
    const char *library;
};

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double time_calls(free_fn *volatile function)
{
    free_fn *called = function;
    double start = now_ns();

    for (int i = 0; i < CALLS; i++)
        called(NULL);
    return (now_ns() - start) / CALLS;
}

static double through_hook(void *arg)
{
    return time_calls(((struct calls *)arg)->hook);
}

static double directly(void *arg)
{
    return time_calls(((struct calls *)arg)->direct);
}

static double time_starts(const char *preload)
{
    char *const argv[] = {"/bin/true", NULL};
    char line[4096];
    char *with[] = {line, NULL}, *without[] = {NULL};
    double start = now_ns();

    snprintf(line, sizeof(line), "LD_PRELOAD=%s", preload ? preload : "");
    for (int i = 0; i < STARTS; i++) {
        pid_t pid;

        if (posix_spawn(&pid, argv[0], NULL, NULL, argv, preload ? with : without) != 0)
            abort();
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    return (now_ns() - start) / STARTS;
}

static double start_preloaded(void *arg)
{
    return time_starts(((struct calls *)arg)->library);
}

static double start_bare(void *arg)
{
    (void)arg;
    return time_starts(NULL);
}

/* Returns the difference of the two best times in nanoseconds; noise only adds time. */
static double extra_ns(struct calls *calls)
{
    double hook = 1e9, direct = 1e9;

    for (int i = 0; i < RATIO_PAIRS; i++) {
        double a = through_hook(calls), b = directly(calls);

        hook = a < hook ? a : hook;
        direct = b < direct ? b : direct;
    }
    return hook - direct;
}

static double one(void *arg)
{
    (void)arg;
    return 1;
}

static double extra(void *arg)
{
    return extra_ns(arg);
}

int main(void)
{
    struct calls calls = {.library = INJECT};
    void *inject, *toy;
    double ratio;

    unsetenv("MUSTER_INJECT_FD");
    setenv("ASCEND_HOME_PATH", TOY, 1);
    toy = dlopen(TOY "/lib64/libascendcl.so", RTLD_NOW);
    inject = dlopen(INJECT, RTLD_NOW);
    if (!toy || !inject) {
        fprintf(stderr, "bench_inject: %s\n", dlerror());
        return 2;
    }
    calls.direct = (free_fn *)dlsym(toy, "aclrtFree");
    calls.hook = (free_fn *)dlsym(inject, "aclrtFree");
    if (!calls.direct || !calls.hook || calls.hook(NULL) != 0)
        return 2;

    ratio = ratio_median(extra, one, &calls);
    ratio_print("inject: pass-through, ns", ratio, "1 ns over a direct call", "<= 1",
                ratio <= 1);
    ratio = ratio_median(start_preloaded, start_bare, &calls);
    ratio_print("inject: start of a no-op program", ratio, "the same without preload",
                "<= 1.2", ratio <= 1.2);
    return 0;
}
