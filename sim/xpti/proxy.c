#include "sim/xpti/proxy.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* All functions of a dispatcher, with the year of the first producers that bind them. A
 * real proxy refuses a dispatcher that lacks any of its own. */
static const struct {
    const char *name;
    unsigned since;
} required[] = {
    {"xptiFrameworkInitialize", 2021},
    {"xptiFrameworkFinalize", 2021},
    {"xptiInitialize", 2020},
    {"xptiFinalize", 2020},
    {"xptiGetUniversalId", 2021},
    {"xptiSetUniversalId", 2021},
    {"xptiGetUniqueId", 2020},
    {"xptiRegisterString", 2020},
    {"xptiLookupString", 2020},
    {"xptiRegisterObject", 2021},
    {"xptiLookupObject", 2021},
    {"xptiRegisterStream", 2020},
    {"xptiUnregisterStream", 2020},
    {"xptiRegisterUserDefinedTracePoint", 2020},
    {"xptiRegisterUserDefinedEventType", 2020},
    {"xptiMakeEvent", 2020},
    {"xptiFindEvent", 2020},
    {"xptiQueryPayload", 2020},
    {"xptiRegisterCallback", 2020},
    {"xptiUnregisterCallback", 2020},
    {"xptiNotifySubscribers", 2020},
    {"xptiAddMetadata", 2020},
    {"xptiQueryMetadata", 2020},
    {"xptiTraceEnabled", 2020},
    {"xptiRegisterPayload", 2021},
    {"xptiQueryPayloadByUID", 2021},
    {"xptiForceSetTraceEnabled", 2021},
    {"xptiCheckTraceEnabled", 2023},
    {"xptiReleaseEvent", 2023},
    {"xptiStashTuple", 2023},
    {"xptiGetStashedTuple", 2023},
    {"xptiUnstashTuple", 2023},
    {"xptiEnableTracepointScopeNotification", 2024},
    {"xptiCheckTracepointScopeNotification", 2024},
    {"xptiLookupPayload", 2024},
    {"xptiLookupEvent", 2024},
    {"xptiCreateTracepoint", 2024},
    {"xptiDeleteTracepoint", 2024},
    {"xptiGetTracepointScopeData", 2024},
    {"xptiSetTracepointScopeData", 2024},
    {"xptiUnsetTracepointScopeData", 2024},
    {"xptiRegisterTracepointScope", 2024},
    {"xptiGetDefaultStreamID", 2024},
    {"xptiSetDefaultStreamID", 2024},
    {"xptiGetDefaultEventType", 2024},
    {"xptiSetDefaultEventType", 2024},
    {"xptiGetDefaultTraceType", 2024},
    {"xptiSetDefaultTraceType", 2024},
    {"xptiGetEffectiveStreamDetailLevel", 2026},
};

/* The functions that the simulated program calls; NULL in the table when the program is
 * older. */
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
    {offsetof(struct proxy, detail_level), "xptiGetEffectiveStreamDetailLevel"},
};

bool proxy_is_open;
static struct proxy functions;
static void *library;

static bool has_required(unsigned year)
{
    for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++)
        if (required[i].since <= year && !dlsym(library, required[i].name))
            return false;
    return true;
}

bool proxy_open(unsigned year)
{
    const char *path = getenv("XPTI_FRAMEWORK_DISPATCHER");

    if (!path || !*path)
        return false;
    library = dlopen(path, RTLD_LAZY);
    if (!library)
        return false;
    if (!has_required(year)) {
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
