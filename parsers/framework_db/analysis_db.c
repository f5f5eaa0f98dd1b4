#include "parsers/framework_db/analysis_db.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/sqlite/foreign_db.h"

enum { ROWS_MAX = 1 << 24 };

/* Reads the columns of a table, in the order of the list. */
static int read_table(const char *path,
                      const char *table,
                      const char *const *columns,
                      size_t count,
                      foreign_row_fn *fn,
                      void *arg,
                      struct err *err)
{
    struct text sql = {0};
    struct foreign_db *db;
    int result;

    if (foreign_db_open(&db, path, err) < 0)
        return -1;
    if (!foreign_db_has_table(db, table)) {
        result = err_set(err, ERR_NOT_FOUND, "%s has no table %s", path, table);
    } else {
        text_add(&sql, "SELECT ");
        for (size_t i = 0; i < count; i++) {
            text_add(&sql, i > 0 ? ", " : "");
            foreign_db_add_column(db, &sql, table, "a", columns[i]);
        }
        text_printf(&sql, " FROM \"%s\" a ORDER BY a.rowid", table);
        result = foreign_db_select(db, text_get(&sql), fn, arg, err);
    }
    text_clear(&sql);
    foreign_db_close(db);
    return result;
}

static const char *const step_columns[STEP_TIME_COUNT + 1] = {
    [STEP_COMPUTING] = "computing",
    [STEP_COMMUNICATION_ALONE] = "communication_not_overlapped",
    [STEP_OVERLAPPED] = "overlapped",
    [STEP_COMMUNICATION] = "communication",
    [STEP_FREE] = "free",
    [STEP_STAGE] = "stage",
    [STEP_BUBBLE] = "bubble",
    [STEP_COMMUNICATION_NO_RECEIVE] =
        "communication_not_overlapped_and_exclude_receive",
    [STEP_PREPARING] = "preparing",
    [STEP_TIME_COUNT] = "step",
};

static int take_step(void *arg, const struct foreign_row *row, struct err *err)
{
    struct step_trace *trace = arg;
    struct step_trace_row step;
    (void)err;

    for (int i = 0; i < STEP_TIME_COUNT; i++) {
        if (foreign_row_double(row, i, &step.us[i]))
            continue;
        step.us[i] = NAN;
        if (i <= STEP_FREE) {
            trace->rows_skipped++;
            return 0;
        }
    }
    if (trace->count == ROWS_MAX)
        return err_set(err, ERR_LIMIT, "the table of steps is too long");
    step.step = xstrdup(foreign_row_text(row, STEP_TIME_COUNT));
    trace->rows = xreallocarray(trace->rows, trace->count + 1, sizeof(*trace->rows));
    trace->rows[trace->count++] = step;
    return 0;
}

int analysis_db_read_steps(struct step_trace *trace, const char *path, struct err *err)
{
    *trace = (struct step_trace){0};
    if (read_table(path, "StepTraceTime", step_columns, COUNT(step_columns), take_step,
                   trace, err) == 0)
        return 0;
    step_trace_clear(trace);
    return -1;
}

/* The rows of CommAnalyzerBandwidth are found by operator, group and step. */
struct comm_reading {
    struct comm_ops *ops;
    struct names *keys;
    size_t *places; /* per key: place in ops + 1 */
    size_t room;
    struct text key;
};

enum { COMM_NAME, COMM_GROUP, COMM_STEP, COMM_TYPE, COMM_START, COMM_TIMES };
static const char *const comm_columns[] = {
    "hccl_op_name",         "group_name",  "step",         "type",
    "start_timestamp",      "elapse_time", "transit_time", "wait_time",
    "synchronization_time", "idle_time",
};

static size_t *place_of(struct comm_reading *reading, const struct foreign_row *row)
{
    uint32_t key;

    text_reset(&reading->key);
    for (int i = COMM_NAME; i <= COMM_STEP; i++)
        text_printf(&reading->key, "%s\n", foreign_row_text(row, i));
    key = names_add(reading->keys, text_get(&reading->key));
    if (key >= reading->room) {
        size_t room = (size_t)key * 2 + 64;

        reading->places = xreallocarray(reading->places, room, sizeof(size_t));
        memset(reading->places + reading->room, 0,
               (room - reading->room) * sizeof(size_t));
        reading->room = room;
    }
    return &reading->places[key];
}

static int take_comm(void *arg, const struct foreign_row *row, struct err *err)
{
    struct comm_reading *reading = arg;
    struct comm_ops *ops = reading->ops;
    struct comm_op op = {0};
    double *const times[] = {&op.times.elapse_ms, &op.times.transit_ms,
                             &op.times.wait_ms, &op.times.sync_ms, &op.times.idle_ms};
    double start_us;

    if (text_has_prefix(foreign_row_text(row, COMM_NAME), "Total"))
        return 0;
    if (ops->count == ROWS_MAX)
        return err_set(err, ERR_LIMIT, "the table of collectives is too long");
    for (int i = 0; i < (int)COUNT(times); i++)
        if (!foreign_row_double(row, COMM_TIMES + i, times[i]))
            *times[i] = 0;
    if (foreign_row_double(row, COMM_START, &start_us) && fabs(start_us) < 9e15)
        op.start = (int64_t)(start_us * 1000);
    op.name = names_add(ops->names, foreign_row_text(row, COMM_NAME));
    op.group = names_add(ops->names, foreign_row_text(row, COMM_GROUP));
    op.step = names_add(ops->names, foreign_row_text(row, COMM_STEP));
    op.is_p2p = strcmp(foreign_row_text(row, COMM_TYPE), "p2p") == 0;
    if (ops->count == ops->room) {
        ops->room = ops->room ? ops->room * 2 : 64;
        ops->rows = xreallocarray(ops->rows, ops->room, sizeof(*ops->rows));
    }
    ops->rows[ops->count++] = op;
    *place_of(reading, row) = ops->count;
    return 0;
}

enum {
    TRAFFIC_TRANSPORT = COMM_STEP + 1,
    TRAFFIC_SIZE,
    TRAFFIC_TIME,
    TRAFFIC_LARGE,
    TRAFFIC_PACKAGE_SIZE,
    TRAFFIC_PACKAGE_COUNT,
    TRAFFIC_PACKAGE_TIME,
};
static const char *const traffic_columns[] = {
    [COMM_NAME] = "hccl_op_name",
    [COMM_GROUP] = "group_name",
    [COMM_STEP] = "step",
    [TRAFFIC_TRANSPORT] = "transport_type",
    [TRAFFIC_SIZE] = "transit_size",
    [TRAFFIC_TIME] = "transit_time",
    [TRAFFIC_LARGE] = "large_packet_ratio",
    [TRAFFIC_PACKAGE_SIZE] = "package_size",
    [TRAFFIC_PACKAGE_COUNT] = "count",
    [TRAFFIC_PACKAGE_TIME] = "total_duration",
};

static void add_packages(struct comm_ops *ops,
                         size_t op,
                         enum comm_transport transport,
                         const struct foreign_row *row)
{
    struct comm_packages packages = {.op = (uint32_t)op, .transport = transport};

    if (foreign_row_double(row, TRAFFIC_PACKAGE_SIZE, &packages.size_mb) &&
        foreign_row_double(row, TRAFFIC_PACKAGE_COUNT, &packages.count) &&
        foreign_row_double(row, TRAFFIC_PACKAGE_TIME, &packages.time_ms) &&
        packages.count > 0 && ops->package_count < ROWS_MAX)
        comm_ops_add_packages(ops, &packages);
}

/* A row per size of package repeats size and time of the transport. */
static int take_traffic(void *arg, const struct foreign_row *row, struct err *err)
{
    struct comm_reading *reading = arg;
    size_t place = *place_of(reading, row);
    struct comm_traffic traffic = {0};
    (void)err;

    if (place == 0 || !foreign_row_double(row, TRAFFIC_SIZE, &traffic.size_mb) ||
        !foreign_row_double(row, TRAFFIC_TIME, &traffic.time_ms))
        return 0;
    foreign_row_double(row, TRAFFIC_LARGE, &traffic.large_ratio);
    for (enum comm_transport i = 0; i < COMM_TRANSPORT_COUNT; i++)
        if (strcmp(foreign_row_text(row, TRAFFIC_TRANSPORT), comm_transport_name(i)) ==
            0) {
            reading->ops->rows[place - 1].traffic[i] = traffic;
            add_packages(reading->ops, place - 1, i, row);
        }
    return 0;
}

int analysis_db_read_comm(struct comm_ops *ops,
                          struct names *names,
                          const char *path,
                          struct err *err)
{
    struct comm_reading reading = {.ops = ops, .keys = names_create()};
    struct err ignored;
    int result;

    *ops = (struct comm_ops){.names = names};
    result = read_table(path, "CommAnalyzerTime", comm_columns, COUNT(comm_columns),
                        take_comm, &reading, err);
    if (result == 0 &&
        read_table(path, "CommAnalyzerBandwidth", traffic_columns,
                   COUNT(traffic_columns), take_traffic, &reading, &ignored) < 0 &&
        ignored.code != ERR_NOT_FOUND) {
        *err = ignored;
        result = -1;
    }
    if (result < 0)
        comm_ops_clear(ops);
    else
        comm_ops_sort_packages(ops);
    names_destroy(reading.keys);
    free(reading.places);
    text_clear(&reading.key);
    return result;
}

static const char *const matrix_columns[] = {
    "hccl_op_name", "group_name",   "src_rank", "dst_rank", "transport_type",
    "transit_size", "transit_time", "step",     "op_name",
};

static int take_link(void *arg, const struct foreign_row *row, struct err *err)
{
    enum { RANK_MAX = 1 << 20 };
    struct comm_matrix *matrix = arg;
    struct comm_link link = {0};
    int64_t from, to;

    if (!foreign_row_i64(row, 2, &from) || !foreign_row_i64(row, 3, &to) || from < 0 ||
        from > RANK_MAX || to < 0 || to > RANK_MAX ||
        !foreign_row_double(row, 5, &link.size_mb) ||
        !foreign_row_double(row, 6, &link.time_ms))
        return 0;
    if (matrix->count == ROWS_MAX)
        return err_set(err, ERR_LIMIT, "the table of links is too long");
    link.from = (unsigned)from;
    link.to = (unsigned)to;
    link.group = names_add(matrix->names, foreign_row_text(row, 1));
    link.transport = names_add(matrix->names, foreign_row_text(row, 4));
    link.kind = names_add(matrix->names, foreign_row_text(row, 0));
    link.step = names_add(matrix->names, foreign_row_text(row, 7));
    link.op = names_add(matrix->names, foreign_row_text(row, 8));
    link.is_sum = text_has_suffix(foreign_row_text(row, 0), "-total");
    comm_matrix_add(matrix, &link);
    return 0;
}

int analysis_db_read_matrix(struct comm_matrix *matrix,
                            struct names *names,
                            const char *path,
                            struct err *err)
{
    *matrix = (struct comm_matrix){.names = names};
    if (read_table(path, "CommAnalyzerMatrix", matrix_columns, COUNT(matrix_columns),
                   take_link, matrix, err) == 0)
        return 0;
    comm_matrix_clear(matrix);
    return -1;
}

struct metadata_reading {
    struct text json; /* the values as the members of one object */
};

static int take_metadata(void *arg, const struct foreign_row *row, struct err *err)
{
    struct metadata_reading *reading = arg;
    const char *name = foreign_row_text(row, 0), *value = foreign_row_text(row, 1);
    (void)err;

    if (strcmp(name, "distributed_args") != 0 &&
        strcmp(name, "parallel_group_info") != 0)
        return 0;
    text_printf(&reading->json, "%s\"%s\":%s", reading->json.length > 0 ? "," : "",
                name, value[0] ? value : "null");
    return 0;
}

int analysis_db_read_metadata(struct profiler_metadata *metadata,
                              const char *path,
                              struct err *err)
{
    static const char *const columns[] = {"name", "value"};
    struct metadata_reading reading = {0};
    char *json = NULL;
    int result = read_table(path, "META_DATA", columns, COUNT(columns), take_metadata,
                            &reading, err);

    if (result == 0 && reading.json.length == 0)
        result = err_set(err, ERR_NOT_FOUND,
                         "%s has no distributed_args and no parallel_group_info", path);
    if (result == 0) {
        json = xasprintf("{%s}", text_get(&reading.json));
        result = profiler_metadata_parse(metadata, path, json, strlen(json), err);
    }
    free(json);
    text_clear(&reading.json);
    return result;
}
