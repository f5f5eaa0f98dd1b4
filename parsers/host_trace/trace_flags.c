#include "parsers/host_trace/trace_flags.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "parsers/host_trace/layer_launches.h"

enum trace_lane trace_lane_of(const char *process_name)
{
    static const struct {
        const char *name;
        enum trace_lane lane;
    } lanes[] = {
        {"Python", LANE_HOST},
        {"Python GC", LANE_HOST},
        {"CANN", LANE_HOST},
        {"Ascend Hardware", LANE_DEVICE},
    };

    for (size_t i = 0; i < COUNT(lanes); i++)
        if (strcmp(process_name, lanes[i].name) == 0)
            return lanes[i].lane;
    return LANE_OTHER;
}

static bool is_in(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, list[i]) == 0)
            return true;
    return false;
}

unsigned trace_flags_of_category(const char *category)
{
    static const char *const host[] = {"cpu_op", "python_function", "user_annotation",
                                       "enqueue", "dequeue"};

    return is_in(category, host, COUNT(host)) ? TRACE_HOST : 0;
}

static bool has_part(const char *name, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcasestr(name, parts[i]))
            return true;
    return false;
}

unsigned trace_flags_of_name(const char *name)
{
    static const char *const host[] = {"AscendCL@", "Node@", "Hccl@", "Runtime@",
                                       "Model@"};
    static const char *const sync[] = {"HostToDevice", "torch_to_npu", "aclrtMemcpy",
                                       "aclrtSynchronize"};
    static const char *const copies[] = {"aten::to", "aten::_to_copy", "aten::copy_"};
    static const char *const comm[] = {
        "c10d", "Hccl", "hcom", "StreamWaitEvent", "Notify_Wait", "Notify Wait"};
    const char *last = strrchr(name, '@');
    unsigned flags = 0;

    for (size_t i = 0; i < COUNT(host); i++)
        if (text_has_prefix(name, host[i]))
            flags |= TRACE_HOST;
    if (has_part(name, sync, COUNT(sync)) ||
        is_in(last ? last + 1 : name, copies, COUNT(copies)))
        flags |= TRACE_SYNC;
    if (has_part(name, comm, COUNT(comm)))
        flags |= TRACE_COMM;
    if (layer_name_matches(name, NULL))
        flags |= TRACE_LAYER;
    return flags;
}

unsigned trace_flags_of_task(const char *name)
{
    static const char *const copies[] = {"MEMCPY_ASYNC", "MemcopyAsync"};
    static const char *const waits[] = {"EVENT_WAIT", "Notify Wait", "Notify_Wait"};

    if (is_in(name, copies, COUNT(copies)))
        return TRACE_COPY;
    return is_in(name, waits, COUNT(waits)) ? TRACE_WAIT : 0;
}

/* The name of the user's markers, alone or with a number: train_step, train_step#3. */
static bool is_own_marker(const char *name, const char *own, const char **step)
{
    if (!own || !text_has_prefix(name, own))
        return false;
    *step = name + strlen(own);
    if (**step == '\0')
        return true;
    *step += strchr("#_ .:-", **step) != NULL;
    return isdigit((unsigned char)**step) &&
           (*step)[strspn(*step, "0123456789")] == '\0';
}

unsigned trace_marker_kind(const char *name, const char *own, const char **step)
{
    enum { OWN = TRACE_MARKER_TABLE + 3 };
    static const struct {
        const char *prefix;
        unsigned kind;
    } kinds[] = {
        {"ProfilerStep#", TRACE_MARKER_TABLE + 1},
        {"Iteration#", TRACE_MARKER_TABLE + 2},
        {"Step#", TRACE_MARKER_TABLE + 2},
    };

    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (!text_has_prefix(name, kinds[i].prefix))
            continue;
        *step = name + strlen(kinds[i].prefix);
        if (isdigit((unsigned char)**step))
            return kinds[i].kind;
    }
    return is_own_marker(name, own, step) ? OWN : 0;
}
