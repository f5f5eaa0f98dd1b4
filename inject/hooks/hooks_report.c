/* hooks_report.c - reports of the runtime and the operators to their profiler
 *
 * The runtime sends reports inside its own calls and on its own threads, so these hooks
 * act at any depth. A report that arrives while a launch is in a pass is recorded. A
 * report about a communicator is recorded at any time.
 *
 * Modules report nothing unless a profiler starts them. When a module registers, inject
 * starts it like a profiler would: operators write time stamps (module 61), and the AI
 * CPU server writes its records (module 7, for each opened device). */
#include <string.h>

#include "inject/device/device.h"
#include "inject/hooks/hook_frame.h"
#include "inject/session/pass_context.h"
#include "inject/session/record_output.h"
#include "lib/capture/format/records.h"

enum {
    MODULE_OPERATORS = 61,
    MODULE_SERVER = 7,
    CONTROL_SWITCH = 1,
    COMMAND_START = 1,
    LEVEL_NODE = 10000,
    TYPE_COMMUNICATOR = 12,
    UNKNOWN_DEVICE = 0xffffffff,
};
static const uint64_t switch_op_timestamps = 0x100000000;
static const uint64_t switch_task_time = 0x2;
static const uint64_t switch_server_channel = 0x01000000000000; /* of the high half */

struct envelope {
    uint16_t magic, level;
    uint32_t type;
    uint32_t thread;
    uint32_t bytes;
    uint64_t time;
    uint8_t data[232];
};
_Static_assert(sizeof(struct envelope) == REPORT_BYTES, "MsprofAdditionalInfo");

/* of level 10000, type 12 */
struct communicator {
    uint64_t name_hash;
    uint32_t ranks, rank, global_rank;
    uint32_t server_stream;
    uint32_t stream_count;
    uint32_t streams[GROUP_STREAMS_MAX];
    uint32_t reserved;
};
_Static_assert(sizeof(struct communicator) == 64, "ProfilingDeviceCommResInfo");

typedef int control_fn(uint32_t type, void *data, uint32_t length);
static _Atomic(control_fn *) server_control;

static void write_communicator(const struct envelope *envelope, uint32_t device)
{
    struct communicator from;
    struct record_comm_group record = {
        .time_ns = thread_now_ns(),
        .source = GROUP_FROM_REPORT,
        .device = device,
    };

    memcpy(&from, envelope->data, sizeof(from));
    record.name_hash = from.name_hash;
    record.rank = from.rank;
    record.ranks = from.ranks;
    record.global_rank = from.global_rank;
    record.server_stream = (int32_t)from.server_stream;
    record.stream_count =
        from.stream_count < GROUP_STREAMS_MAX ? from.stream_count : GROUP_STREAMS_MAX;
    memcpy(record.streams, from.streams, sizeof(record.streams));
    record_output_record(RECORD_COMM_GROUP, &record, sizeof(record));
}

static bool is_communicator(const void *bytes, size_t size)
{
    struct envelope head;

    if (size != sizeof(head))
        return false;
    memcpy(&head, bytes, offsetof(struct envelope, data));
    return head.level == LEVEL_NODE && head.type == TYPE_COMMUNICATOR;
}

static void write_report(enum report_source source, const void *bytes, size_t size)
{
    struct record_report record = {
        .time_ns = thread_now_ns(),
        .device = UNKNOWN_DEVICE,
        .thread = thread_number(),
        .source = source,
        .bytes = (uint32_t)(size < REPORT_BYTES ? size : REPORT_BYTES),
    };
    bool always = source == REPORT_ADDITIONAL && is_communicator(bytes, size);
    struct pass_context context;

    if (!bytes || (!pass_context_get(&context) && !always))
        return;
    memcpy(record.envelope, bytes, record.bytes);
    if (pass_context_get(&context)) {
        record.launch = context.launch;
        record.pass = context.pass;
        record.pass_kind = context.pass_kind;
        record.device = context.device;
    }
    record_output_record(RECORD_REPORT, &record, sizeof(record));
    if (always)
        write_communicator((const struct envelope *)record.envelope, record.device);
}

static void write_batch(const void *bytes, size_t size)
{
    for (size_t at = 0; bytes && size - at >= REPORT_BYTES; at += REPORT_BYTES)
        write_report(REPORT_ADDITIONAL, (const uint8_t *)bytes + at, REPORT_BYTES);
}

/* A hook that acts at any depth. `then` runs when the real function succeeded. */
#define HOOK_ANY_DEPTH(name, wanted, then, ...)                                        \
    HOOK_FRONT(name, __VA_ARGS__)                                                      \
    static int name##_slow(ARGS_DECLARED(__VA_ARGS__))                                 \
    {                                                                                  \
        int saved = errno, result;                                                     \
        name##_fn *real = (name##_fn *)real_function_get(HOOKED_##name);               \
                                                                                       \
        if (!real)                                                                     \
            return real_function_missing(HOOKED_##name);                               \
        errno = saved;                                                                 \
        result = real(ARGS_NAMES(__VA_ARGS__));                                        \
        saved = errno;                                                                 \
        if (result == 0 && wanted) {                                                   \
            hook_depth++;                                                              \
            then;                                                                      \
            hook_leave();                                                              \
        }                                                                              \
        errno = saved;                                                                 \
        return result;                                                                 \
    }
#define REPORT(name, kept, ...) HOOK_ANY_DEPTH(name, session_is_on(), kept, __VA_ARGS__)

REPORT(MsprofReportAdditionalInfo,
       write_report(REPORT_ADDITIONAL, data, length),
       (uint32_t, flag),
       (const void *, data),
       (uint32_t, length))
REPORT(MsprofReportBatchAdditionalInfo,
       write_batch(data, length),
       (uint32_t, flag),
       (const void *, data),
       (uint32_t, length))
REPORT(MsprofReportCompactInfo,
       write_report(REPORT_COMPACT, data, length),
       (uint32_t, flag),
       (const void *, data),
       (uint32_t, length))
REPORT(MsprofReportApi,
       write_report(REPORT_API, api, 40),
       (uint32_t, flag),
       (const void *, api))
REPORT(MsprofReportEvent,
       write_report(REPORT_EVENT, event, 40),
       (uint32_t, flag),
       (const void *, event))

static void start_module(control_fn *control, struct prof_command *command)
{
    command->type = COMMAND_START;
    control(CONTROL_SWITCH, command, sizeof(*command));
}

static void on_module(uint32_t module, control_fn *control)
{
    struct prof_command command = {.switches = switch_op_timestamps};

    if (module == MODULE_SERVER)
        atomic_store(&server_control, control);
    if (module == MODULE_OPERATORS && control)
        start_module(control, &command);
}

/* Starts the AI CPU server once for each device of this process. */
static void on_device(uint32_t device, bool opened)
{
    static _Atomic uint64_t started;
    control_fn *control = atomic_load(&server_control);
    struct prof_command command = {
        .switches = switch_task_time,
        .switches_high = switch_server_channel,
        .device_count = 1,
        .devices = {device},
    };

    if (!opened || !control || device >= ABI_DEVICES_MAX ||
        atomic_fetch_or(&started, 1ull << device) >> device & 1)
        return;
    start_module(control, &command);
}

/* These functions are called before any device is used, also in processes that never
 * use one. So the hooks do not connect to the worker. */
#define REGISTRATION(name, followed, ...)                                              \
    HOOK_ANY_DEPTH(name, lifecycle_is_requested(), followed, __VA_ARGS__)

REGISTRATION(MsprofRegisterCallback,
             on_module(module, control),
             (uint32_t, module),
             (control_fn *, control))
REGISTRATION(MsprofNotifySetDevice,
             on_device(device, opened),
             (uint32_t, chip),
             (uint32_t, device),
             (bool, opened))
