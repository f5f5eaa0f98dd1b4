#include "parsers/iree/irpf_profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"

enum { DEVICES_MAX = 1024, FUNCTIONS_MAX = 1 << 18, OPERATIONS_MAX = 1 << 16 };
enum { TYPE_DISPATCH = 2 };

static struct irpf_device *find_device(struct irpf_profile *profile, uint32_t device)
{
    struct irpf_device *row = key_table_put(&profile->devices, device, 0);

    if (row)
        row->device = device;
    else
        profile->uncounted++;
    return row;
}

static void add_device(struct irpf_profile *profile,
                       const struct irpf_record *record,
                       const struct irpf_item *item)
{
    struct irpf_device *row = find_device(profile, item->device);
    unsigned set = 0;

    if (!row)
        return;
    row->queues = item->queue_count;
    snprintf(row->name, sizeof(row->name), "%.*s",
             (int)(record->name_bytes < sizeof(row->name) ? record->name_bytes
                                                          : sizeof(row->name)),
             record->name);
    for (int i = 0; i < 16; i++)
        set |= item->uuid[i];
    for (int i = 0; set && i < 16; i++)
        snprintf(row->uuid + 2 * i, 3, "%02x", item->uuid[i]);
}

static void add_function(struct irpf_profile *profile, const struct irpf_item *item)
{
    struct irpf_function *row =
        key_table_put(&profile->functions, item->executable, item->function);

    if (!row) {
        profile->uncounted++;
        return;
    }
    *row = (struct irpf_function){item->executable, item->function, item->name,
                                  item->name_bytes};
}

static void add_clock(struct irpf_profile *profile, const struct irpf_item *item)
{
    struct irpf_device *row = find_device(profile, item->device);
    uint64_t first = item->bracket_first_ns, last = item->bracket_last_ns;
    unsigned at;

    if (!row)
        return;
    at = row->clocks++ > 0;
    row->ticks[at] = item->tick;
    row->driver_ns[at] = item->driver_ns;
    row->host_ns[at] = first && last >= first ? first + (last - first) / 2 : 0;
}

/* Selects the clock of each device that has two points on it. */
static void select_clocks(struct irpf_profile *profile)
{
    for (size_t i = 0; i < profile->devices.count; i++) {
        struct irpf_device *row = key_table_at(&profile->devices, i);

        if (row->clocks < 2 || row->ticks[1] <= row->ticks[0])
            continue;
        if (row->host_ns[0] && row->host_ns[1] > row->host_ns[0])
            row->clock = IRPF_CLOCK_HOST;
        else if (row->driver_ns[0] && row->driver_ns[1] > row->driver_ns[0])
            row->clock = IRPF_CLOCK_DRIVER;
    }
}

/* Converts ticks along the line through the first and the last correlation, rounded to
 * ns. Returns false when the result lies outside of 64 bits. */
static bool to_ns(uint64_t *out, const struct irpf_device *row, uint64_t ticks)
{
    const uint64_t *ns = row->clock == IRPF_CLOCK_HOST ? row->host_ns : row->driver_ns;
    __extension__ typedef __int128 wide;
    wide span = row->ticks[1] - row->ticks[0];
    wide product = ((wide)ticks - row->ticks[0]) * (wide)(ns[1] - ns[0]);
    wide result = ns[0] + (product >= 0 ? (product + span / 2) / span
                                        : (product - span / 2) / span);

    if (result < 0 || result > INT64_MAX)
        return false;
    *out = (uint64_t)result;
    return true;
}

static void fill_event(struct irpf_event *event,
                       const struct irpf_profile *profile,
                       const struct irpf_item *item)
{
    const struct irpf_device *row;

    *event = (struct irpf_event){.item = item};
    switch (item->content) {
    case IRPF_QUEUE_EVENTS:
        event->start_ns = event->end_ns = item->start;
        event->has_time = item->start > 0;
        break;
    case IRPF_HOST_EXECUTIONS:
        event->start_ns = item->start;
        event->end_ns = item->end;
        event->has_time = item->start > 0 && item->end >= item->start;
        break;
    default:
        row = key_table_get(&profile->devices, item->device, 0);
        event->has_time = row && row->clock != IRPF_CLOCK_UNKNOWN &&
                          item->end >= item->start &&
                          to_ns(&event->start_ns, row, item->start) &&
                          to_ns(&event->end_ns, row, item->end);
        event->is_driver_clock = row && row->clock == IRPF_CLOCK_DRIVER;
    }
}

static bool is_dispatch(const struct irpf_item *item)
{
    return item->content == IRPF_DISPATCHES ||
           (item->content == IRPF_HOST_EXECUTIONS && item->type == TYPE_DISPATCH);
}

static struct irpf_operation *find_operation(struct irpf_profile *profile,
                                             const struct irpf_item *item)
{
    bool has_function = is_dispatch(item);
    uint32_t type = item->content == IRPF_DISPATCHES ? TYPE_DISPATCH : item->type;
    uint32_t function = has_function ? item->function : IRPF_NONE;
    uint64_t executable = has_function ? item->executable : 0;
    /* types and devices are small numbers; larger ones share a row */
    uint64_t key = (uint64_t)function << 32 | (item->device & 0xffff) << 16 |
                   (type & 0xff) << 8 | item->content;
    struct irpf_operation *row = key_table_put(&profile->operations, executable, key);

    if (!row) {
        profile->uncounted++;
        return NULL;
    }
    if (row->events == 0)
        *row = (struct irpf_operation){.content = item->content,
                                       .type = type,
                                       .function = function,
                                       .device = item->device,
                                       .executable = executable};
    return row;
}

static void count_event(const struct irpf_event *event, void *arg)
{
    struct irpf_profile *profile = arg;
    const struct irpf_item *item = event->item;
    struct irpf_operation *row = find_operation(profile, item);
    uint64_t *first =
        event->is_driver_clock ? &profile->first_driver_ns : &profile->first_ns;
    uint64_t duration = event->end_ns - event->start_ns;

    if (event->has_time && event->start_ns < *first)
        *first = event->start_ns;
    if (!row)
        return;
    row->events++;
    row->operations += item->operations;
    row->payload += item->payload;
    row->failed += item->content == IRPF_HOST_EXECUTIONS && item->status != 0;
    row->is_driver_clock = event->is_driver_clock;
    if (!event->has_time || item->content == IRPF_QUEUE_EVENTS)
        return;
    if (row->timed == 0 || duration < row->min_ns)
        row->min_ns = duration;
    if (duration > row->max_ns)
        row->max_ns = duration;
    row->total_ns += duration;
    row->timed++;
}

/* Counts a record, and stores the facts that events need. */
static int read_record(struct irpf_profile *profile,
                       const struct irpf_record *record,
                       struct err *err)
{
    struct irpf_item item;
    uint64_t at = 0;
    int result;

    profile->records++;
    profile->contents[record->content]++;
    profile->truncated += record->is_truncated;
    profile->dropped += record->dropped;
    if (record->kind == IRPF_BEGIN)
        profile->has_begin = true;
    if (record->kind == IRPF_END) {
        profile->has_end = true;
        profile->status = record->status;
    }
    while ((result = irpf_next_item(record, &at, &item, err)) > 0) {
        profile->items[record->content]++;
        if (record->content == IRPF_DEVICES)
            add_device(profile, record, &item);
        if (record->content == IRPF_FUNCTIONS)
            add_function(profile, &item);
        if (record->content == IRPF_CLOCKS)
            add_clock(profile, &item);
    }
    return result;
}

static void
note_problem(struct irpf_profile *profile, uint64_t offset, const char *problem)
{
    if (!profile->problem[0] && problem[0])
        snprintf(profile->problem, sizeof(profile->problem),
                 "profile at %" PRIu64 ": %.200s", offset, problem);
}

int irpf_profile_read(struct irpf_profile *out,
                      const uint8_t *bytes,
                      uint64_t size,
                      uint64_t offset,
                      struct err *err)
{
    struct irpf_record record;
    struct irpf irpf;
    struct err damage = {0};

    *out = (struct irpf_profile){
        .offset = offset,
        .start = bytes,
        .first_ns = UINT64_MAX,
        .first_driver_ns = UINT64_MAX,
        .devices = {.row_bytes = sizeof(struct irpf_device), .most = DEVICES_MAX},
        .functions = {.row_bytes = sizeof(struct irpf_function), .most = FUNCTIONS_MAX},
        .operations = {.row_bytes = sizeof(struct irpf_operation),
                       .most = OPERATIONS_MAX},
    };
    if (irpf_open(&irpf, bytes, size, err) < 0)
        return -1;
    out->major = irpf.major;
    out->minor = irpf.minor;
    out->stated = irpf.stated;
    out->missing = irpf.missing;
    while (irpf_next(&irpf, &record))
        if (read_record(out, &record, &damage) < 0)
            note_problem(out, offset, damage.text);
    note_problem(out, offset, irpf.problem);
    out->bytes = irpf.stated && !irpf.missing ? irpf.stated : irpf.at;
    select_clocks(out);
    irpf_profile_each_event(out, count_event, out);
    return 0;
}

void irpf_profile_clear(struct irpf_profile *profile)
{
    key_table_clear(&profile->devices);
    key_table_clear(&profile->functions);
    key_table_clear(&profile->operations);
}

const struct irpf_device *irpf_profile_device(const struct irpf_profile *profile,
                                              size_t index)
{
    return key_table_at(&profile->devices, index);
}

const struct irpf_operation *irpf_profile_operation(const struct irpf_profile *profile,
                                                    size_t index)
{
    return key_table_at(&profile->operations, index);
}

static void write_name(char *out,
                       size_t size,
                       const struct irpf_profile *profile,
                       uint32_t type,
                       uint64_t executable,
                       uint32_t function)
{
    const struct irpf_function *row;

    if (function == IRPF_NONE) {
        snprintf(out, size, "%s", irpf_operation_name(type));
        return;
    }
    row = key_table_get(&profile->functions, executable, function);
    if (row && row->name_bytes > 0)
        snprintf(out, size, "%.*s",
                 (int)(row->name_bytes < size ? row->name_bytes : size), row->name);
    else
        snprintf(out, size, "executable %" PRIu64 " function %" PRIu32, executable,
                 function);
}

void irpf_profile_name(char *out,
                       size_t size,
                       const struct irpf_profile *profile,
                       const struct irpf_item *item)
{
    bool has_function = is_dispatch(item);

    write_name(out, size, profile,
               item->content == IRPF_DISPATCHES ? TYPE_DISPATCH : item->type,
               item->executable, has_function ? item->function : IRPF_NONE);
}

void irpf_profile_operation_name(char *out,
                                 size_t size,
                                 const struct irpf_profile *profile,
                                 const struct irpf_operation *operation)
{
    write_name(out, size, profile, operation->type, operation->executable,
               operation->function);
}

static bool is_event(enum irpf_content content)
{
    return content == IRPF_DISPATCHES || content == IRPF_QUEUE_EVENTS ||
           content == IRPF_QUEUE_DEVICE_EVENTS || content == IRPF_HOST_EXECUTIONS;
}

void irpf_profile_each_event(const struct irpf_profile *profile,
                             irpf_event_fn *fn,
                             void *arg)
{
    struct irpf_record record;
    struct irpf_item item;
    struct irpf irpf;
    struct err ignored;

    /* irpf_profile_read() has reported all problems */
    if (irpf_open(&irpf, profile->start, profile->bytes, &ignored) < 0)
        return;
    while (irpf_next(&irpf, &record)) {
        uint64_t at = 0;

        if (!is_event(record.content))
            continue;
        while (irpf_next_item(&record, &at, &item, &ignored) > 0) {
            struct irpf_event event;

            fill_event(&event, profile, &item);
            fn(&event, arg);
        }
    }
}

void irpf_profile_each_item(const struct irpf_profile *profile,
                            enum irpf_content content,
                            irpf_item_fn *fn,
                            void *arg)
{
    struct irpf_record record;
    struct irpf_item item;
    struct irpf irpf;
    struct err ignored;

    if (irpf_open(&irpf, profile->start, profile->bytes, &ignored) < 0)
        return;
    while (irpf_next(&irpf, &record)) {
        uint64_t at = 0;

        while (record.content == content &&
               irpf_next_item(&record, &at, &item, &ignored) > 0)
            fn(&item, arg);
    }
}
