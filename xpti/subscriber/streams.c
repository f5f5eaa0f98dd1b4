#include "xpti/subscriber/streams.h"

#include <stdio.h>
#include <string.h>

#include "inject/base/thread.h"
#include "lib/capture/format/records.h"
#include "xpti/abi/trace_names.h"
#include "xpti/subscriber/dispatcher_calls.h"
#include "xpti/subscriber/output.h"

enum { TYPES_MAX = 16 };

static const struct known_stream {
    const char *name;
    enum stream_kind kind;
    uint16_t types[TYPES_MAX]; /* then 0; none: all types */
} known[] = {
    {"sycl",
     STREAM_GRAPH,
     {XPTI_GRAPH_CREATE, XPTI_NODE_CREATE, XPTI_EDGE_CREATE, XPTI_TASK_BEGIN,
      XPTI_TASK_END, XPTI_SIGNAL, XPTI_WAIT_BEGIN, XPTI_WAIT_END, XPTI_BARRIER_BEGIN,
      XPTI_BARRIER_END, XPTI_QUEUE_CREATE, XPTI_QUEUE_DESTROY, XPTI_DIAGNOSTICS}},
    {"sycl.debug",
     STREAM_GRAPH,
     {XPTI_GRAPH_CREATE, XPTI_NODE_CREATE, XPTI_EDGE_CREATE, XPTI_TASK_BEGIN,
      XPTI_TASK_END, XPTI_SIGNAL, XPTI_WAIT_BEGIN, XPTI_WAIT_END, XPTI_BARRIER_BEGIN,
      XPTI_BARRIER_END, XPTI_QUEUE_CREATE, XPTI_QUEUE_DESTROY, XPTI_DIAGNOSTICS}},
    {"ur.call", STREAM_CALLS, {XPTI_CALL_BEGIN, XPTI_CALL_END}},
    {"ur.call.debug", STREAM_CALLS, {XPTI_CALL_BEGIN, XPTI_CALL_END}},
    {"ur.api", STREAM_CALLS, {XPTI_CALL_BEGIN, XPTI_CALL_END}},
    {"ur", STREAM_CALLS, {XPTI_CALL_BEGIN, XPTI_CALL_END}},
    {"sycl.pi", STREAM_NAMES, {XPTI_FUNCTION_BEGIN, XPTI_FUNCTION_END}},
    {"sycl.pi.debug",
     STREAM_CALLS,
     {XPTI_CALL_BEGIN, XPTI_CALL_END, XPTI_CALL_END_2021}},
    {"sycl.experimental.level_zero.call",
     STREAM_NAMES,
     {XPTI_FUNCTION_BEGIN, XPTI_FUNCTION_END}},
    {"sycl.experimental.level_zero.debug",
     STREAM_CALLS,
     {XPTI_CALL_BEGIN, XPTI_CALL_END, XPTI_CALL_END_2021}},
    {"sycl.experimental.cuda.call",
     STREAM_NAMES,
     {XPTI_FUNCTION_BEGIN, XPTI_FUNCTION_END}},
    {"sycl.experimental.cuda.debug",
     STREAM_CALLS,
     {XPTI_CALL_BEGIN, XPTI_CALL_END, XPTI_CALL_END_2021}},
    {"sycl.experimental.mem_alloc",
     STREAM_MEMORY,
     {XPTI_ALLOC_BEGIN, XPTI_ALLOC_END, XPTI_RELEASE_BEGIN, XPTI_RELEASE_END,
      XPTI_OFFLOAD_CONSTRUCT, XPTI_OFFLOAD_RELEASE}}, /* the last two: 2021 */
    {"sycl.experimental.buffer",
     STREAM_BUFFER,
     {XPTI_OFFLOAD_CONSTRUCT, XPTI_OFFLOAD_DESTRUCT, XPTI_OFFLOAD_ASSOCIATE,
      XPTI_OFFLOAD_RELEASE, XPTI_OFFLOAD_ACCESSOR}},
    {"sycl.experimental.image",
     STREAM_IMAGE,
     {XPTI_OFFLOAD_CONSTRUCT, XPTI_OFFLOAD_DESTRUCT, XPTI_OFFLOAD_ASSOCIATE,
      XPTI_OFFLOAD_RELEASE, XPTI_OFFLOAD_ACCESSOR}},
};

static struct added_stream {
    struct record_xpti_stream record;
    enum stream_kind kind;
} added[STREAMS_MAX];
static unsigned count;

static const struct known_stream *find_known(const char *name)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i].name, name) == 0)
            return &known[i];
    return NULL;
}

static struct added_stream *find_added(const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(added[i].record.name, name) == 0)
            return &added[i];
    return NULL;
}

static bool register_type(uint8_t stream, uint16_t type, xpti_callback_fn *fn)
{
    int32_t result = dispatcher_calls_get()->register_callback(stream, type, fn);

    return result >= XPTI_SUCCESS || result == XPTI_DUPLICATE ||
           result == XPTI_UNDELETE;
}

static bool
register_types(const struct known_stream *row, uint8_t stream, xpti_callback_fn *fn)
{
    bool good = true;

    for (size_t i = 0; row && i < TYPES_MAX && row->types[i]; i++)
        good &= register_type(stream, row->types[i], fn);
    for (uint16_t type = 1; !row && type < XPTI_TYPE_COUNT; type++)
        if (xpti_trace_type_is_known(type))
            good &= register_type(stream, type, fn);
    return good;
}

static void fill_record(struct record_xpti_stream *record,
                        const char *name,
                        uint32_t major,
                        uint32_t minor,
                        const char *version)
{
    *record = (struct record_xpti_stream){
        .time_ns = thread_now_ns(),
        .stream = count + 1,
        .major = major,
        .minor = minor,
    };
    snprintf(record->name, sizeof(record->name), "%s", name);
    snprintf(record->version, sizeof(record->version), "%s", version ? version : "");
}

void streams_add(const char *name,
                 uint32_t major,
                 uint32_t minor,
                 const char *version,
                 stream_callback_fn *callback,
                 const char **note)
{
    const struct known_stream *row = find_known(name);
    struct added_stream *stream = find_added(name);
    uint8_t id;

    if (stream)
        return; /* announced again after its end */
    id = dispatcher_calls_get()->register_stream(name);
    if (count == STREAMS_MAX || id == XPTI_NO_STREAM || id == 0) {
        *note = "too many streams; select fewer";
        return;
    }
    stream = &added[count];
    fill_record(&stream->record, name, major, minor, version);
    stream->kind = row ? row->kind : STREAM_OTHER;
    if (!register_types(row, id, callback(count)))
        *note = "the dispatcher refused a callback";
    count++;
    output_write(RECORD_XPTI_STREAM, &stream->record, sizeof(stream->record));
}

void streams_write(void)
{
    for (unsigned i = 0; i < count; i++)
        output_write(RECORD_XPTI_STREAM, &added[i].record, sizeof(added[i].record));
}

enum stream_kind streams_kind(unsigned stream)
{
    return added[stream].kind;
}

bool streams_is_verbose(const char *name)
{
    size_t length = strlen(name), suffix = strlen(".debug");

    return length > suffix && strcmp(name + length - suffix, ".debug") == 0;
}
