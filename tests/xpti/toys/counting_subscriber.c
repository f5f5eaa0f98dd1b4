/* counting_subscriber.c - a subscriber of another tool: counts the events of `sycl`
 * and `ur.call`, and prints the sum at the end */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xpti/abi/abi.h"

xpti_init_fn xptiTraceInit;
xpti_finish_fn xptiTraceFinish;

static atomic_uint events;

static void on_event(uint16_t type,
                     struct xpti_event *parent,
                     struct xpti_event *object,
                     uint64_t instance,
                     const void *user)
{
    (void)type, (void)parent, (void)object, (void)instance, (void)user;
    atomic_fetch_add(&events, 1);
}

void xptiTraceInit(unsigned major,
                   unsigned minor,
                   const char *version,
                   const char *stream)
{
    void *dispatcher =
        dlopen(getenv("XPTI_FRAMEWORK_DISPATCHER"), RTLD_LAZY | RTLD_NOLOAD);
    uint8_t (*number)(const char *) =
        (uint8_t(*)(const char *))dlsym(dispatcher, "xptiRegisterStream");
    int32_t (*subscribe)(uint8_t, uint16_t, xpti_callback_fn *) =
        (int32_t(*)(uint8_t, uint16_t, xpti_callback_fn *))dlsym(
            dispatcher, "xptiRegisterCallback");

    (void)major, (void)minor, (void)version;
    if (strcmp(stream, "sycl") == 0 || strcmp(stream, "ur.call") == 0)
        for (uint16_t type = 1; type < XPTI_TYPE_COUNT; type++)
            subscribe(number(stream), type, on_event);
    dlclose(dispatcher);
}

void xptiTraceFinish(const char *stream)
{
    if (strcmp(stream, "sycl") == 0) {
        printf("counted %u\n", atomic_load(&events));
        fflush(stdout);
    }
}
