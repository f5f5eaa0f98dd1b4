#include "sim/xpti/proxy.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* All functions of a dispatcher. A real proxy refuses one that lacks any of them. */
static const char *const required[] = {
    "xptiFrameworkInitialize",
    "xptiFrameworkFinalize",
    "xptiInitialize",
    "xptiFinalize",
    "xptiGetUniversalId",
    "xptiSetUniversalId",
    "xptiGetUniqueId",
    "xptiRegisterString",
    "xptiLookupString",
    "xptiRegisterObject",
    "xptiLookupObject",
    "xptiRegisterStream",
    "xptiUnregisterStream",
    "xptiRegisterUserDefinedTracePoint",
    "xptiRegisterUserDefinedEventType",
    "xptiMakeEvent",
    "xptiFindEvent",
    "xptiQueryPayload",
    "xptiRegisterCallback",
    "xptiUnregisterCallback",
    "xptiNotifySubscribers",
    "xptiAddMetadata",
    "xptiQueryMetadata",
    "xptiTraceEnabled",
    "xptiRegisterPayload",
    "xptiQueryPayloadByUID",
    "xptiForceSetTraceEnabled",
    "xptiCheckTraceEnabled",
    "xptiReleaseEvent",
    "xptiStashTuple",
    "xptiGetStashedTuple",
    "xptiUnstashTuple",
    "xptiEnableTracepointScopeNotification",
    "xptiCheckTracepointScopeNotification",
    "xptiLookupPayload",
    "xptiLookupEvent",
    "xptiCreateTracepoint",
    "xptiDeleteTracepoint",
    "xptiGetTracepointScopeData",
    "xptiSetTracepointScopeData",
    "xptiUnsetTracepointScopeData",
    "xptiRegisterTracepointScope",
    "xptiGetDefaultStreamID",
    "xptiSetDefaultStreamID",
    "xptiGetDefaultEventType",
    "xptiSetDefaultEventType",
    "xptiGetDefaultTraceType",
    "xptiSetDefaultTraceType",
    "xptiGetEffectiveStreamDetailLevel",
};

static const struct {
    size_t at;
    const char *name;
} bound[] = {
    {offsetof(struct proxy, framework_initialize), "xptiFrameworkInitialize"},
    {offsetof(struct proxy, framework_finalize), "xptiFrameworkFinalize"},
    {offsetof(struct proxy, initialize), "xptiInitialize"},
    {offsetof(struct proxy, finalize), "xptiFinalize"},
    {offsetof(struct proxy, unique_id), "xptiGetUniqueId"},
    {offsetof(struct proxy, register_string), "xptiRegisterString"},
    {offsetof(struct proxy, register_object), "xptiRegisterObject"},
    {offsetof(struct proxy, register_stream), "xptiRegisterStream"},
    {offsetof(struct proxy, register_callback), "xptiRegisterCallback"},
    {offsetof(struct proxy, make_event), "xptiMakeEvent"},
    {offsetof(struct proxy, notify), "xptiNotifySubscribers"},
    {offsetof(struct proxy, add_metadata), "xptiAddMetadata"},
    {offsetof(struct proxy, trace_enabled), "xptiTraceEnabled"},
    {offsetof(struct proxy, check_enabled), "xptiCheckTraceEnabled"},
    {offsetof(struct proxy, release_event), "xptiReleaseEvent"},
    {offsetof(struct proxy, stash), "xptiStashTuple"},
    {offsetof(struct proxy, unstash), "xptiUnstashTuple"},
};

bool proxy_is_open;
static struct proxy functions;
static void *library;

bool proxy_open(void)
{
    const char *path = getenv("XPTI_FRAMEWORK_DISPATCHER");

    if (!path || !*path)
        return false;
    library = dlopen(path, RTLD_LAZY);
    if (!library)
        return false;
    for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++)
        if (!dlsym(library, required[i])) {
            proxy_close();
            return false;
        }
    for (size_t i = 0; i < sizeof(bound) / sizeof(bound[0]); i++) {
        void *function = dlsym(library, bound[i].name);

        memcpy((char *)&functions + bound[i].at, &function, sizeof(function));
    }
    proxy_is_open = functions.trace_enabled();
    return proxy_is_open;
}

const struct proxy *proxy_get(void)
{
    return &functions;
}

void proxy_close(void)
{
    proxy_is_open = false;
    if (library)
        dlclose(library);
    library = NULL;
}
