#include "parsers/framework_db/rank_db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/sqlite/foreign_db.h"
#include "parsers/framework/rank_devices.h"
#include "parsers/host_trace/trace_flags.h"
#include "parsers/host_trace/trace_list.h"

enum {
    CACHED_IDS_MAX = 1 << 24, /* texts with larger numbers are looked up each time */
    NAMES_MAX = 4 << 20,
    THREAD_BYTES = 40,
};

/* A database that is read, with the texts that were looked up. */
struct reading {
    struct foreign_db *db;
    struct names *names;
    uint32_t *known; /* per number in STRING_IDS: name + 1 */
    size_t known_room;
    bool has_texts;
    struct kernel_list *list;
    struct trace_view *trace;
    struct names *threads;
    const char *table;
};

static int open_reading(struct reading *reading, const char *path, struct err *err)
{
    if (foreign_db_open(&reading->db, path, err) < 0)
        return -1;
    reading->has_texts = foreign_db_has_table(reading->db, "STRING_IDS");
    return 0;
}

static void close_reading(struct reading *reading)
{
    foreign_db_close(reading->db);
    free(reading->known);
}

static uint32_t look_up(struct reading *reading, int64_t id)
{
    const char *text = foreign_db_lookup(reading->db, "STRING_IDS", "id", "value", id);

    return text && names_count(reading->names) < NAMES_MAX
               ? names_add(reading->names, text)
               : 0;
}

/* Returns the name of the text with the number in this column. */
static uint32_t
name_of(struct reading *reading, const struct foreign_row *row, int column)
{
    int64_t id;

    if (!reading->has_texts || !foreign_row_i64(row, column, &id) || id < 0)
        return 0;
    if (id >= CACHED_IDS_MAX)
        return look_up(reading, id);
    if ((size_t)id >= reading->known_room) {
        size_t room = (size_t)id * 2 + 1024;

        reading->known = xreallocarray(reading->known, room, sizeof(*reading->known));
        memset(reading->known + reading->known_room, 0,
               (room - reading->known_room) * sizeof(*reading->known));
        reading->known_room = room;
    }
    if (!reading->known[id])
        reading->known[id] = look_up(reading, id) + 1;
    return reading->known[id] - 1;
}

static int32_t small_of(const struct foreign_row *row, int column)
{
    int64_t value;

    return foreign_row_i64(row, column, &value) && value >= 0 && value <= INT32_MAX
               ? (int32_t)value
               : -1;
}

/* Reads start and end from columns 0 and 1. */
static bool read_times(const struct foreign_row *row, int64_t *start, int64_t *end)
{
    return foreign_row_i64(row, 0, start) && foreign_row_i64(row, 1, end) &&
           *start > 0 && *end >= *start;
}

static void skip_row(struct reading *reading)
{
    char *reason = xasprintf("%s: a row of %s has no valid start and end (row %llu)",
                             foreign_db_path(reading->db), reading->table,
                             (unsigned long long)reading->list->rows_read);

    kernel_list_skip(reading->list, reason);
    free(reason);
}

/* The columns of a statement after start and end. */
enum {
    KERNEL_NAME = 2,
    KERNEL_TYPE,
    KERNEL_UNIT,
    KERNEL_SHAPES,
    KERNEL_STREAM,
    KERNEL_TASK,
    KERNEL_DEVICE
};

static int take_kernel(void *arg, const struct foreign_row *row, struct err *err)
{
    struct reading *reading = arg;
    struct kernel kernel = {0};
    const char *type, *shapes;
    (void)err;

    reading->list->rows_read++;
    if (!read_times(row, &kernel.start, &kernel.end)) {
        skip_row(reading);
        return 0;
    }
    kernel.name = name_of(reading, row, KERNEL_NAME);
    kernel.type = name_of(reading, row, KERNEL_TYPE);
    kernel.unit = name_of(reading, row, KERNEL_UNIT);
    kernel.shapes = name_of(reading, row, KERNEL_SHAPES);
    type = names_text(reading->names, kernel.type);
    shapes = names_text(reading->names, kernel.shapes);
    if (strcmp(type, "N/A") == 0)
        kernel.type = 0;
    if (strcmp(shapes, "N/A") == 0)
        kernel.shapes = 0;
    kernel.stream = small_of(row, KERNEL_STREAM);
    kernel.task = small_of(row, KERNEL_TASK);
    kernel.device = small_of(row, KERNEL_DEVICE);
    if (strcmp(reading->table, "COMMUNICATION_OP") == 0)
        kernel.unit = names_add(reading->names, "COMMUNICATION");
    kernel.unit_class = unit_class_of(names_text(reading->names, kernel.unit),
                                      names_text(reading->names, kernel.name));
    /* The expansion of a collective, whatever its name is. */
    if (strcmp(reading->table, "COMMUNICATION_SCHEDULE_TASK_INFO") == 0)
        kernel.type = names_add(reading->names, "AicpuKernel");
    kernel_list_add(reading->list, &kernel);
    return 0;
}

static void add_columns(struct text *sql,
                        struct foreign_db *db,
                        const char *table,
                        const char *alias,
                        const char *const *columns,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_add(sql, i > 0 ? ", " : "");
        foreign_db_add_column(db, sql, table, alias, columns[i]);
    }
}

static void add_device(struct text *sql,
                       struct foreign_db *db,
                       const char *table,
                       const char *alias,
                       int32_t device)
{
    if (device >= 0 && foreign_db_has_column(db, table, "deviceId"))
        text_printf(sql, " WHERE %s.deviceId = %d", alias, (int)device);
}

/* Reads the kernels whose times are in TASK. */
static int
read_tasks(struct reading *reading, const char *table, int32_t device, struct err *err)
{
    static const char *const times[] = {"startNs", "endNs"};
    static const char *const facts[] = {"name", "opType", "taskType", "inputShapes"};
    static const char *const places[] = {"streamId", "taskId", "deviceId"};
    struct text sql = {0};
    int result;

    reading->table = table;
    text_add(&sql, "SELECT ");
    add_columns(&sql, reading->db, "TASK", "t", times, COUNT(times));
    text_add(&sql, ", ");
    add_columns(&sql, reading->db, table, "c", facts, COUNT(facts));
    text_add(&sql, ", ");
    add_columns(&sql, reading->db, "TASK", "t", places, COUNT(places));
    text_printf(&sql, " FROM \"%s\" c JOIN TASK t ON t.globalTaskId = c.globalTaskId",
                table);
    add_device(&sql, reading->db, "TASK", "t", device);
    result = foreign_db_select(reading->db, text_get(&sql), take_kernel, reading, err);
    text_clear(&sql);
    return result;
}

static int read_collectives(struct reading *reading, int32_t device, struct err *err)
{
    static const char *const columns[] = {"startNs", "endNs", "opName", "opType",  "",
                                          "",        "",      "",       "deviceId"};
    struct text sql = {0};
    int result;

    reading->table = "COMMUNICATION_OP";
    text_add(&sql, "SELECT ");
    add_columns(&sql, reading->db, reading->table, "c", columns, COUNT(columns));
    text_add(&sql, " FROM COMMUNICATION_OP c");
    add_device(&sql, reading->db, reading->table, "c", device);
    result = foreign_db_select(reading->db, text_get(&sql), take_kernel, reading, err);
    text_clear(&sql);
    return result;
}

/* Without the column deviceId, a collective cannot be assigned to one of several
 * devices.
 */
static int check_collectives(struct reading *reading, int32_t device, struct err *err)
{
    struct rank_device devices[RANK_DEVICES_MAX];

    if (device < 0 ||
        foreign_db_has_column(reading->db, "COMMUNICATION_OP", "deviceId"))
        return 0;
    if (rank_devices_find(devices, foreign_db_path(reading->db), err) <= 1)
        return 0;
    return err_set(err, ERR_INPUT,
                   "%s has several devices, and its collectives do not name theirs; "
                   "export one database per device",
                   foreign_db_path(reading->db));
}

int rank_db_read_kernels(struct kernel_list *list,
                         const char *path,
                         int32_t device,
                         struct err *err)
{
    static const char *const tasks[] = {"COMPUTE_TASK_INFO",
                                        "COMMUNICATION_SCHEDULE_TASK_INFO"};
    struct reading reading = {.names = list->names, .list = list};
    bool has_tasks, has_collectives, found = false;
    int result = open_reading(&reading, path, err);

    if (result < 0)
        return -1;
    list->has_wait = false;
    has_tasks = foreign_db_has_table(reading.db, "TASK");
    for (size_t i = 0; i < COUNT(tasks) && result == 0; i++)
        if (has_tasks && foreign_db_has_table(reading.db, tasks[i])) {
            found = true;
            result = read_tasks(&reading, tasks[i], device, err);
        }
    has_collectives = foreign_db_has_table(reading.db, "COMMUNICATION_OP");
    if (result == 0 && has_collectives)
        result = check_collectives(&reading, device, err);
    if (result == 0 && has_collectives)
        result = read_collectives(&reading, device, err);
    if (result == 0 && !found && !has_collectives)
        result = err_set(err, ERR_INPUT,
                         "%s has no tables TASK and COMPUTE_TASK_INFO, and no "
                         "COMMUNICATION_OP; it is no database of the profiler, or its "
                         "export was interrupted",
                         path);
    close_reading(&reading);
    return result;
}

static uint32_t thread_of(struct reading *reading, const char *lane, int64_t id)
{
    char key[THREAD_BYTES];

    snprintf(key, sizeof(key), "%s %lld", lane, (long long)id);
    return names_add(reading->threads, key);
}

static void add_event(struct reading *reading, const struct trace_event *event)
{
    if (event->flags & TRACE_HOST)
        trace_list_extend(reading->trace, event);
    trace_list_add(reading->trace, event);
}

enum { API_NAME = 2, API_THREAD, API_TYPE };
/* Types of ENUM_API_TYPE; the text export writes their names in front of a call. */
static const struct {
    int64_t type;
    const char *prefix;
} api_types[] = {
    {20000, "AscendCL@"}, {15000, "Model@"},  {10000, "Node@"},
    {5500, "Hccl@"},      {5000, "Runtime@"},
};

static uint32_t api_name(struct reading *reading, const struct foreign_row *row)
{
    uint32_t name = name_of(reading, row, API_NAME);
    int64_t type;
    char *full;

    if (!foreign_row_i64(row, API_TYPE, &type))
        return name;
    for (size_t i = 0; i < COUNT(api_types); i++) {
        if (api_types[i].type != type)
            continue;
        full = xasprintf("%s%s", api_types[i].prefix, names_text(reading->names, name));
        name = names_add(reading->names, full);
        free(full);
        break;
    }
    return name;
}

static int take_api(void *arg, const struct foreign_row *row, struct err *err)
{
    struct reading *reading = arg;
    struct trace_event event = {0};
    const char *name, *step;
    int64_t thread = -1;
    unsigned kind;
    (void)err;

    reading->trace->events_read++;
    if (!read_times(row, &event.start, &event.end)) {
        reading->trace->events_skipped++;
        return 0;
    }
    event.name = api_name(reading, row);
    name = names_text(reading->names, event.name);
    foreign_row_i64(row, API_THREAD, &thread);
    event.thread = thread_of(reading, reading->table, thread);
    kind = trace_marker_kind(name, NULL, &step);
    if (kind > 0) {
        trace_list_add_marker(reading->trace, kind, event.start, event.end, step);
        return 0;
    }
    event.flags = (uint8_t)(TRACE_HOST | trace_flags_of_name(name));
    add_event(reading, &event);
    return 0;
}

static int read_apis(struct reading *reading, const char *table, struct err *err)
{
    static const char *const columns[] = {"startNs", "endNs", "name", "globalTid",
                                          "type"};
    struct text sql = {0};
    int result;

    reading->table = table;
    text_add(&sql, "SELECT ");
    add_columns(&sql, reading->db, table, "a", columns, COUNT(columns));
    text_printf(&sql, " FROM \"%s\" a", table);
    result = foreign_db_select(reading->db, text_get(&sql), take_api, reading, err);
    text_clear(&sql);
    return result;
}

static int take_task(void *arg, const struct foreign_row *row, struct err *err)
{
    struct reading *reading = arg;
    struct trace_event event = {0};
    const char *name;
    (void)err;

    event.name = name_of(reading, row, 2);
    name = names_text(reading->names, event.name);
    event.flags = (uint8_t)trace_flags_of_task(name);
    if (!event.flags)
        return 0;
    event.flags |= (uint8_t)trace_flags_of_name(name);
    reading->trace->events_read++;
    if (!read_times(row, &event.start, &event.end)) {
        reading->trace->events_skipped++;
        return 0;
    }
    event.thread = thread_of(reading, "device", small_of(row, 3));
    add_event(reading, &event);
    return 0;
}

static int read_device(struct reading *reading, int32_t device, struct err *err)
{
    static const char *const columns[] = {"startNs", "endNs", "taskType", "streamId"};
    struct text sql = {0};
    int result;

    text_add(&sql, "SELECT ");
    add_columns(&sql, reading->db, "TASK", "t", columns, COUNT(columns));
    text_add(&sql, " FROM TASK t");
    add_device(&sql, reading->db, "TASK", "t", device);
    result = foreign_db_select(reading->db, text_get(&sql), take_task, reading, err);
    text_clear(&sql);
    return result;
}

static int take_step(void *arg, const struct foreign_row *row, struct err *err)
{
    struct reading *reading = arg;
    int64_t start, end;
    (void)err;

    if (read_times(row, &start, &end))
        trace_list_add_marker(reading->trace, TRACE_MARKER_TABLE, start, end,
                              foreign_row_text(row, 2));
    else
        reading->trace->events_skipped++;
    return 0;
}

static int read_trace(struct reading *reading, int32_t device, struct err *err)
{
    static const char *const apis[] = {"PYTORCH_API", "MINDSPORE_API", "CANN_API"};
    bool found = false;

    if (foreign_db_has_table(reading->db, "STEP_TIME")) {
        found = true;
        if (foreign_db_select(reading->db, "SELECT startNs, endNs, id FROM STEP_TIME",
                              take_step, reading, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < COUNT(apis); i++) {
        if (!foreign_db_has_table(reading->db, apis[i]))
            continue;
        found = true;
        if (read_apis(reading, apis[i], err) < 0)
            return -1;
    }
    if (!found)
        return err_set(err, ERR_NOT_FOUND,
                       "%s has no tables STEP_TIME, PYTORCH_API and CANN_API",
                       foreign_db_path(reading->db));
    if (foreign_db_has_table(reading->db, "TASK") &&
        read_device(reading, device, err) < 0)
        return -1;
    reading->trace->has_stacks =
        foreign_db_has_table(reading->db, "PYTORCH_CALLCHAINS");
    return 0;
}

int rank_db_read_trace(struct trace_view *trace,
                       struct names *names,
                       const char *path,
                       int32_t device,
                       struct err *err)
{
    struct reading reading = {
        .names = names, .trace = trace, .threads = names_create()};
    int result = open_reading(&reading, path, err);

    *trace = (struct trace_view){.names = names};
    if (result == 0)
        result = read_trace(&reading, device, err);
    if (result == 0)
        trace_list_finish(trace, names_count(reading.threads));
    else
        trace_view_clear(trace);
    close_reading(&reading);
    names_destroy(reading.threads);
    return result;
}
