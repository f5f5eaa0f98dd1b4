#include "parsers/records/scheduler_tasks.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"
#include "parsers/records/pmu.h"

enum { RECORD_BYTES = 64, FUNCTION_START = 0, FUNCTION_END = 1 };

static int id_order(const void *a, const void *b)
{
    const struct scheduler_task *left = a, *right = b;
    uint32_t l = (uint32_t)left->stream << 16 | left->task;
    uint32_t r = (uint32_t)right->stream << 16 | right->task;

    return l < r ? -1 : l > r;
}

static int file_order(const void *a, const void *b)
{
    const struct scheduler_task *left = a, *right = b;
    int order = id_order(a, b);

    return order ? order : left->place < right->place ? -1 : left->place > right->place;
}

/* Adds a record as a new row. merge_rows() merges the rows of a task. */
static void add(struct scheduler_tasks *tasks, const uint8_t *record)
{
    uint16_t head = load_u16(record);
    unsigned function = head & 63;

    if (function > FUNCTION_END) {
        tasks->other_records++;
        return;
    }
    if (tasks->count == tasks->room) {
        tasks->room = tasks->room ? tasks->room * 2 : 64;
        tasks->rows = xreallocarray(tasks->rows, tasks->room, sizeof(*tasks->rows));
    }
    struct scheduler_task *task = &tasks->rows[tasks->count++];
    uint64_t ticks = load_u64(record + 8);

    *task =
        (struct scheduler_task){.type = (uint8_t)(head >> 10), .place = tasks->count};
    pmu_decode_ids(load_u16(record + 4), load_u16(record + 6), &task->stream,
                   &task->task);
    if (function == FUNCTION_START)
        task->start_ticks = ticks;
    else
        task->end_ticks = ticks;
    if (task->type == TASK_AI_CORE && function == FUNCTION_START)
        tasks->ai_core_start_ticks = ticks;
    else if (task->type == TASK_AI_CORE)
        tasks->ai_core_end_ticks = ticks;
    else if (task->type == TASK_AI_CPU && function == FUNCTION_START)
        tasks->ai_cpu_start_ticks = ticks;
}

/* Merges the rows of each task; the later record in the file is used. The rows are
 * sorted. */
static void merge_rows(struct scheduler_tasks *tasks)
{
    size_t kept = 0;

    for (size_t i = 0; i < tasks->count; i++) {
        struct scheduler_task *row = &tasks->rows[i];
        struct scheduler_task *last = kept ? &tasks->rows[kept - 1] : NULL;

        if (!last || last->stream != row->stream || last->task != row->task) {
            tasks->rows[kept++] = *row;
            continue;
        }
        last->type = row->type;
        if (row->start_ticks)
            last->start_ticks = row->start_ticks;
        if (row->end_ticks)
            last->end_ticks = row->end_ticks;
    }
    tasks->count = kept;
}

void scheduler_tasks_read(struct scheduler_tasks *tasks,
                          enum chip chip,
                          const uint8_t *bytes,
                          size_t size)
{
    *tasks = (struct scheduler_tasks){0};
    if (chip != CHIP_A2)
        return;
    for (size_t at = 0; size - at >= RECORD_BYTES; at += RECORD_BYTES)
        add(tasks, bytes + at);
    if (tasks->count)
        qsort(tasks->rows, tasks->count, sizeof(*tasks->rows), file_order);
    merge_rows(tasks);
}

void scheduler_tasks_clear(struct scheduler_tasks *tasks)
{
    free(tasks->rows);
    *tasks = (struct scheduler_tasks){0};
}

const struct scheduler_task *scheduler_tasks_find(const struct scheduler_tasks *tasks,
                                                  uint16_t stream,
                                                  uint16_t task)
{
    struct scheduler_task key = {.stream = stream, .task = task};

    if (!tasks->count)
        return NULL;
    return bsearch(&key, tasks->rows, tasks->count, sizeof(key), id_order);
}

/* name in the log, and name in timelines */
#define QUEUED(name)                                                                   \
    {                                                                                  \
        name, name "_SQE"                                                              \
    }
static const struct {
    const char *name, *slice;
} types[] = {
    {"AI_CORE", "AI_CORE"},  {"AI_CPU", "AI_CPU"},   QUEUED("AIV"),
    QUEUED("PLACE_HOLDER"),  QUEUED("EVENT_RECORD"), QUEUED("EVENT_WAIT"),
    QUEUED("NOTIFY_RECORD"), QUEUED("NOTIFY_WAIT"),  QUEUED("WRITE_VALUE"),
    QUEUED("VQ6"),           QUEUED("TOF"),          QUEUED("SDMA"),
    QUEUED("VPC"),           QUEUED("JPEGE"),        QUEUED("JPEGD"),
    QUEUED("DSA"),           QUEUED("ROCCE"),        QUEUED("PCIE_DMA"),
    QUEUED("HOST_CPU"),      QUEUED("CDQM"),         QUEUED("C_CORE"),
};

const char *task_type_name(unsigned type)
{
    return type < COUNT(types) ? types[type].name : "INVALID_TYPE";
}

const char *task_slice_name(unsigned type)
{
    return type < COUNT(types) ? types[type].slice : "INVALID_TYPE_SQE";
}
