#include "xpti/dispatcher/subscribers.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "xpti/abi/abi.h"
#include "xpti/dispatcher/callbacks.h"

enum { SUBSCRIBERS_MAX = 32 };
enum load_state { LOAD_NEVER, LOAD_RUNS, LOAD_DONE };

struct subscriber {
    void *library;
    xpti_init_fn *init;
    xpti_finish_fn *finish;
    xpti_detail_fn *detail; /* NULL: the subscriber has no opinion */
};

static struct subscriber subscribers[SUBSCRIBERS_MAX];
static size_t count;
static atomic_int state;    /* enum load_state */
static __thread bool loads; /* this thread runs the constructors of subscribers */

static void load_one(const char *path)
{
    struct subscriber *subscriber = &subscribers[count];
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);

    if (!library) { /* standard output, as other dispatchers do */
        printf("[%s]: %s\nFailed to load %s successfully\n", path, dlerror(), path);
        fflush(stdout);
        return;
    }
    *subscriber = (struct subscriber){
        .library = library,
        .init = (xpti_init_fn *)dlsym(library, XPTI_INIT),
        .finish = (xpti_finish_fn *)dlsym(library, XPTI_FINISH),
        .detail = (xpti_detail_fn *)dlsym(library, XPTI_DETAIL),
    };
    if (subscriber->init && subscriber->finish)
        count++;
    else
        dlclose(library);
}

/* Returns true when XPTI_TRACE_ENABLE is unset, `1` or `true`. */
static bool is_enabled(void)
{
    const char *value = getenv("XPTI_TRACE_ENABLE");

    return !value || strcmp(value, "1") == 0 || strcmp(value, "true") == 0;
}

static void load_all(void)
{
    const char *list = getenv("XPTI_SUBSCRIBERS");
    char *copy = list && is_enabled() ? strdup(list) : NULL, *rest = NULL;

    for (char *path = copy ? strtok_r(copy, ",", &rest) : NULL;
         path && count < SUBSCRIBERS_MAX; path = strtok_r(NULL, ",", &rest))
        load_one(path);
    free(copy);
    callbacks_switch(count > 0);
}

void subscribers_load(void)
{
    int never = LOAD_NEVER;

    if (atomic_load_explicit(&state, memory_order_acquire) == LOAD_DONE || loads)
        return;
    if (!atomic_compare_exchange_strong(&state, &never, LOAD_RUNS)) {
        while (atomic_load_explicit(&state, memory_order_acquire) == LOAD_RUNS)
            sched_yield();
        return;
    }
    loads = true;
    load_all();
    loads = false;
    atomic_store_explicit(&state, LOAD_DONE, memory_order_release);
}

void subscribers_announce(const char *stream,
                          uint32_t major,
                          uint32_t minor,
                          const char *version)
{
    for (size_t i = 0; i < count; i++)
        subscribers[i].init(major, minor, version, stream);
}

void subscribers_finish(const char *stream)
{
    for (size_t i = 0; i < count; i++)
        subscribers[i].finish(stream);
}

uint8_t subscribers_detail(const char *stream)
{
    uint8_t highest = XPTI_DETAIL_NONE;

    for (size_t i = 0; i < count; i++) {
        uint8_t level = XPTI_NORMAL;

        if (subscribers[i].detail && !subscribers[i].detail(stream, &level))
            level = XPTI_DETAIL_NONE;
        if (level > highest)
            highest = level;
    }
    return highest;
}

static bool has_other_threads(void)
{
    struct stat tasks; /* a folder with one folder per thread */

    return stat("/proc/self/task", &tasks) < 0 || tasks.st_nlink > 2 + 1;
}

/* Another thread may be in a callback, and notifications take no lock. Subscribers then
 * stay loaded until the process ends. */
void subscribers_end(void)
{
    const bool stays = has_other_threads();

    callbacks_switch(false);
    callbacks_forget();
    for (size_t i = 0; i < count && !stays; i++)
        dlclose(subscribers[i].library);
    count = 0;
}

void subscribers_reset(void)
{
    callbacks_switch(false);
    callbacks_reset();
    for (size_t i = 0; i < count; i++)
        dlclose(subscribers[i].library);
    count = 0;
    atomic_store(&state, LOAD_NEVER);
}
