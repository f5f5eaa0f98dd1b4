#include "xpti/subscriber/dispatcher_calls.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "lib/capture/format/records.h"

static struct dispatcher_calls calls;
static unsigned generation;

static const struct {
    const char *name;
    size_t at;
    bool optional;
} rows[] = {
    {"xptiLookupString", offsetof(struct dispatcher_calls, lookup_string), false},
    {"xptiLookupObject", offsetof(struct dispatcher_calls, lookup_object), false},
    {"xptiRegisterStream", offsetof(struct dispatcher_calls, register_stream), false},
    {"xptiQueryPayload", offsetof(struct dispatcher_calls, query_payload), false},
    {"xptiRegisterCallback", offsetof(struct dispatcher_calls, register_callback),
     false},
    {"xptiQueryMetadata", offsetof(struct dispatcher_calls, query_metadata), false},
    {"xptiGetStashedTuple", offsetof(struct dispatcher_calls, get_stashed), true},
    {"xptiRegisterObject", offsetof(struct dispatcher_calls, register_object), true},
    {"xptiMakeEvent", offsetof(struct dispatcher_calls, make_event), true},
    {"xptiAddMetadata", offsetof(struct dispatcher_calls, add_metadata), true},
    {"xptiReleaseEvent", offsetof(struct dispatcher_calls, release_event), true},
};

bool dispatcher_calls_find(const char **missing)
{
    const char *path = getenv("XPTI_FRAMEWORK_DISPATCHER");
    /* Never a second copy: the producer's proxy has loaded it, with local symbols. */
    void *library = path && *path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        void *function = dlsym(library ? library : RTLD_DEFAULT, rows[i].name);

        memcpy((char *)&calls + rows[i].at, &function, sizeof(function));
        if (!function && !rows[i].optional) {
            *missing = rows[i].name;
            if (library)
                dlclose(library);
            return false;
        }
    }
    generation = dlsym(library ? library : RTLD_DEFAULT, "xptiCreateTracepoint")
                     ? XPTI_2024
                 : calls.get_stashed ? XPTI_2023
                                     : XPTI_2021;
    if (library)
        dlclose(library); /* the proxy keeps it */
    return true;
}

const struct dispatcher_calls *dispatcher_calls_get(void)
{
    return &calls;
}

unsigned dispatcher_calls_generation(void)
{
    return generation;
}

static bool
is_entry(const struct xpti_map_node *node, const char *key, const char *text)
{
    const char *name = calls.lookup_string(node->key);
    struct xpti_object object = calls.lookup_object(node->value);

    return name && strcmp(name, key) == 0 && object.data &&
           object.size == strlen(text) && memcmp(object.data, text, object.size) == 0;
}

static bool check_map(const struct xpti_map *map)
{
    const struct xpti_map_node *first = map->count == 2 ? map->first : NULL;
    const struct xpti_map_node *second = first ? first->next : NULL;

    if (!first || !second || second->next)
        return false;
    return (is_entry(first, "muster_first", "1") &&
            is_entry(second, "muster_second", "2")) ||
           (is_entry(second, "muster_first", "1") &&
            is_entry(first, "muster_second", "2"));
}

bool dispatcher_calls_check_metadata(void)
{
    struct xpti_payload payload = {
        .name = "muster", .file = "muster", .flags = XPTI_HAS_NAME | XPTI_HAS_FILE};
    struct xpti_event *event;
    uint64_t instance;
    bool good;

    if (!calls.register_object || !calls.make_event || !calls.add_metadata)
        return false;
    event = calls.make_event("muster", &payload, XPTI_EVENT_ALGORITHM, XPTI_ACTIVE,
                             &instance);
    if (!event)
        return false;
    calls.add_metadata(event, "muster_first",
                       calls.register_object("1", 1, XPTI_VALUE_TEXT));
    calls.add_metadata(event, "muster_second",
                       calls.register_object("2", 1, XPTI_VALUE_TEXT));
    good = check_map(calls.query_metadata(event));
    if (calls.release_event)
        calls.release_event(event);
    return good;
}
