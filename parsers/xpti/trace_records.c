#include "parsers/xpti/trace_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/format/kinds.h"
#include "xpti/abi/abi.h"

/* Numbers above are damage: the producer counts from 1. */
enum { TEXTS_MAX = 1 << 20 };
/* Later times are damage. Differences of times below them fit into an int64_t. */
#define TIME_END_NS (UINT64_C(1) << 61) /* since the start of the host: 73 years */
#define WALL_END_NS (UINT64_C(1) << 62) /* the year 2116 */

static struct trace_process *find_process(struct trace_records *records, uint32_t shard)
{
    for (size_t i = 0; i < records->count; i++)
        if (records->processes[i].shard == shard)
            return &records->processes[i];
    records->processes = xrealloc(records->processes,
                                  (records->count + 1) * sizeof(*records->processes));
    records->processes[records->count] = (struct trace_process){.shard = shard};
    return &records->processes[records->count++];
}

/* Makes room for index `at` with zeros. */
static void *grow(void *array, size_t *room, size_t at, size_t size)
{
    size_t larger = *room ? *room : 64;

    if (at < *room)
        return array;
    while (larger <= at)
        larger *= 2;
    array = xrealloc(array, larger * size);
    memset((char *)array + *room * size, 0, (larger - *room) * size);
    *room = larger;
    return array;
}

static struct trace_object *put_object(struct trace_records *records,
                                       struct trace_process *process,
                                       uint64_t number)
{
    struct trace_object *object = trace_objects_put(&process->objects, number);

    records->bad += !object;
    return object;
}

static void take_rank(struct trace_process *process, const uint8_t *bytes)
{
    struct record_run_rank rank;

    memcpy(&rank, bytes, sizeof(rank));
    process->pid = rank.pid;
    process->rank = rank.rank;
    snprintf(process->host, sizeof(process->host), "%.63s", rank.host);
    snprintf(process->program, sizeof(process->program), "%.127s", rank.program);
}

static void take_process(struct trace_records *records,
                         struct trace_process *process,
                         const uint8_t *bytes)
{
    struct record_xpti_process record;

    memcpy(&record, bytes, sizeof(record));
    if (record.note[0])
        snprintf(process->note, sizeof(process->note), "%.127s", record.note);
    if (process->has_first)
        return;
    if (record.time_ns >= TIME_END_NS || record.wall_ns >= WALL_END_NS) {
        records->bad++;
        return;
    }
    process->has_first = true;
    process->to_wall_ns = (int64_t)(record.wall_ns - record.time_ns);
}

static void take_text(struct trace_records *records,
                      struct trace_process *process,
                      const uint8_t *bytes,
                      size_t size)
{
    struct record_xpti_text record;

    memcpy(&record, bytes, sizeof(record));
    if (record.text == 0 || record.text > TEXTS_MAX ||
        record.bytes > size - sizeof(record)) {
        records->bad++;
        return;
    }
    process->texts =
        grow(process->texts, &process->text_room, record.text, sizeof(*process->texts));
    free(process->texts[record.text]);
    process->texts[record.text] =
        xstrndup((const char *)bytes + sizeof(record), record.bytes);
}

static void take_object(struct trace_records *records,
                        struct trace_process *process,
                        const uint8_t *bytes)
{
    struct record_xpti_object record;
    struct trace_object *object;

    memcpy(&record, bytes, sizeof(record));
    object = put_object(records, process, record.object);
    if (!object)
        return;
    object->object = record.object;
    object->name = record.name;
    object->file = record.file;
    object->line = record.line;
    object->event_type = record.event_type;
    object->place = record.place;
}

static void take_value(struct trace_process *process,
                       struct trace_object *object,
                       const struct record_xpti_metadata *record,
                       const uint8_t *value)
{
    const struct {
        const char *key;
        char **text;
    } texts[] = {
        {"kernel_name", &object->kernel_name},
        {"copy_from", &object->copy_from},
        {"copy_to", &object->copy_to},
        {"sycl_device_name", &object->device},
    };
    const char *key = trace_text(process, record->key);

    for (size_t i = 0; i < COUNT(texts); i++)
        if (record->type == XPTI_VALUE_TEXT && strcmp(key, texts[i].key) == 0) {
            free(*texts[i].text);
            *texts[i].text = xstrndup((const char *)value, record->bytes);
        }
    if (strcmp(key, "enqueue_kernel_data") == 0 &&
        record->bytes == sizeof(*object->enqueue)) {
        free(object->enqueue);
        object->enqueue = xmemdup(value, record->bytes);
    }
    if (strcmp(key, "memory_size") == 0 && record->bytes == sizeof(object->bytes))
        memcpy(&object->bytes, value, sizeof(object->bytes));
}

static void take_metadata(struct trace_records *records,
                          struct trace_process *process,
                          const uint8_t *bytes,
                          size_t size)
{
    struct record_xpti_metadata record;
    struct trace_object *object;

    memcpy(&record, bytes, sizeof(record));
    if (record.bytes > size - sizeof(record)) {
        records->bad++;
        return;
    }
    object = put_object(records, process, record.object);
    if (object)
        take_value(process, object, &record, bytes + sizeof(record));
}

static void take_event(struct trace_records *records,
                       struct trace_process *process,
                       const uint8_t *bytes)
{
    struct record_xpti_event record;

    memcpy(&record, bytes, sizeof(record));
    if (record.time_ns >= TIME_END_NS) {
        records->bad++;
        return;
    }
    process->events = grow(process->events, &process->event_room, process->event_count,
                           sizeof(*process->events));
    process->events[process->event_count++] = record;
    records->events++;
}

static void take_drop(struct trace_records *records, const uint8_t *bytes)
{
    struct record_drop record;

    memcpy(&record, bytes, sizeof(record));
    records->drops =
        xrealloc(records->drops, (records->drop_count + 1) * sizeof(*records->drops));
    records->drops[records->drop_count++] =
        (struct trace_drop){record.kind, record.reason, record.count};
}

static void take(struct trace_records *records,
                 uint32_t shard,
                 unsigned kind,
                 const uint8_t *bytes,
                 size_t size)
{
    switch (kind) {
    case RECORD_RUN_RANK:
        take_rank(find_process(records, shard), bytes);
        break;
    case RECORD_XPTI_PROCESS:
        take_process(records, find_process(records, shard), bytes);
        break;
    case RECORD_XPTI_TEXT:
        take_text(records, find_process(records, shard), bytes, size);
        break;
    case RECORD_XPTI_OBJECT:
        take_object(records, find_process(records, shard), bytes);
        break;
    case RECORD_XPTI_METADATA:
        take_metadata(records, find_process(records, shard), bytes, size);
        break;
    case RECORD_XPTI_EVENT:
        take_event(records, find_process(records, shard), bytes);
        break;
    case RECORD_DROP:
        take_drop(records, bytes);
        break;
    default:
        break;
    }
}

int trace_records_add(const struct capture_block *block, void *arg, struct err *err)
{
    const struct record_kind_row *kind = record_kind_find(block->type);
    const uint8_t *record;
    size_t at = 0, size;

    (void)err;
    while (kind && capture_record_next(block, &at, &record, &size))
        if (size >= kind->least && (!kind->size || size == kind->size))
            take(arg, block->head.shard, kind->kind, record, size);
    return 0;
}

struct event_key {
    uint64_t time_ns;
    size_t index;
};

static int compare_keys(const void *a, const void *b)
{
    const struct event_key *left = a, *right = b;

    if (left->time_ns != right->time_ns)
        return left->time_ns < right->time_ns ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

static bool is_sorted(const struct trace_process *process)
{
    for (size_t i = 1; i < process->event_count; i++)
        if (process->events[i].time_ns < process->events[i - 1].time_ns)
            return false;
    return true;
}

/* The events of a thread come in the order of its clock; those of several threads have
 * no order. Equal times keep their order. */
static void sort_events(struct trace_process *process)
{
    struct record_xpti_event *sorted;
    struct event_key *keys;

    if (is_sorted(process))
        return;
    keys = xcalloc(process->event_count, sizeof(*keys));
    sorted = xcalloc(process->event_count, sizeof(*sorted));
    for (size_t i = 0; i < process->event_count; i++)
        keys[i] = (struct event_key){process->events[i].time_ns, i};
    qsort(keys, process->event_count, sizeof(*keys), compare_keys);
    for (size_t i = 0; i < process->event_count; i++)
        sorted[i] = process->events[keys[i].index];
    free(keys);
    free(process->events);
    process->events = sorted;
    process->event_room = process->event_count;
}

/* The queue and the kind of a node are in the event that creates it. */
static void complete_objects(struct trace_process *process)
{
    for (size_t i = 0; i < process->event_count; i++) {
        const struct record_xpti_event *event = &process->events[i];

        struct trace_object *object =
            event->type == XPTI_NODE_CREATE || event->type == XPTI_QUEUE_CREATE
                ? trace_objects_find(&process->objects, event->object)
                : NULL;

        if (object) {
            object->queue = event->size;
            object->kind = event->text;
        }
    }
}

void trace_records_finish(struct trace_records *records)
{
    for (size_t i = 0; i < records->count; i++) {
        sort_events(&records->processes[i]);
        complete_objects(&records->processes[i]);
    }
}

void trace_records_clear(struct trace_records *records)
{
    for (size_t i = 0; i < records->count; i++) {
        struct trace_process *process = &records->processes[i];

        for (size_t k = 0; k < process->text_room; k++)
            free(process->texts[k]);
        trace_objects_clear(&process->objects);
        free(process->texts);
        free(process->events);
    }
    free(records->processes);
    free(records->drops);
    *records = (struct trace_records){0};
}

const char *trace_text(const struct trace_process *process, uint32_t number)
{
    return number < process->text_room && process->texts[number]
               ? process->texts[number]
               : "";
}

const struct trace_object *trace_object(const struct trace_process *process,
                                        uint64_t number)
{
    const struct trace_object *object = trace_objects_find(&process->objects, number);

    return object && object->object ? object : NULL;
}

const char *trace_object_name(const struct trace_process *process,
                              const struct trace_object *object)
{
    return object->kernel_name ? object->kernel_name
                               : trace_text(process, object->name);
}
