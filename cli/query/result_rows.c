#include "cli/query/result_rows.h"

#include <stdlib.h>
#include <string.h>

#include "cli/query/failed_tasks.h"
#include "cli/query/point_axes.h"
#include "cli/query/row_source.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

/* fields that a task without figures does not have; a task that never ran does not have
 * the first three either */
static const char *const without_figures[] = {
    "attempt", "run_id", "host",  "rank", "device", "simulated", "launch",
    "kernel",  "metric", "value", "unit", "serial", "tick_ns",   NULL,
};

struct result_rows {
    struct row_source *source;
    uint64_t job_id;
    const char *metric;
    struct result_filter *filter;
    struct point_axes *axes;
    struct failed_tasks failed;
    size_t *axis_columns; /* axes that have a column */
    char **names;         /* of these columns, then "state" */
    const char **values;  /* of one row */
    size_t axis_count;

    result_row_fn *fn; /* of result_rows_each() */
    void *arg;
};

/* Returns whether a column of all jobs has this name. */
static bool is_taken(const char *name)
{
    const struct field *field = message_find(MSG_RESULT_ROW)->fields;

    while (field->type != FIELD_END && strcmp(field->name, name) != 0)
        field++;
    return field->type != FIELD_END || strcmp(name, "state") == 0;
}

/* The axis `card` has no column of its own, because each row has its card. */
static void name_columns(struct result_rows *rows)
{
    size_t axes = point_axes_count(rows->axes);

    rows->axis_columns = xcalloc(axes + 1, sizeof(*rows->axis_columns));
    rows->names = xcalloc(axes + 1, sizeof(*rows->names));
    rows->values = xcalloc(axes + 1, sizeof(*rows->values));
    for (size_t i = 0; i < axes; i++) {
        const char *axis = point_axes_name(rows->axes, i);

        if (strcmp(axis, "card") == 0)
            continue;
        rows->names[rows->axis_count] =
            xasprintf("%s%s", is_taken(axis) ? "axis." : "", axis);
        rows->axis_columns[rows->axis_count++] = i;
    }
    rows->names[rows->axis_count] = xstrdup("state");
}

int result_rows_open(struct result_rows **out,
                     struct row_source *source,
                     uint64_t job_id,
                     const char *metric,
                     struct result_filter *filter,
                     struct err *err)
{
    struct result_rows *rows = xcalloc(1, sizeof(*rows));

    rows->source = source;
    rows->job_id = job_id;
    rows->metric = metric;
    rows->filter = filter;
    if (point_axes_read(&rows->axes, source, job_id, err) < 0 ||
        result_filter_compile(filter, rows->axes, err) < 0 ||
        failed_tasks_read(&rows->failed, source, job_id, err) < 0) {
        result_rows_close(rows);
        return -1;
    }
    name_columns(rows);
    *out = rows;
    return 0;
}

void result_rows_close(struct result_rows *rows)
{
    if (!rows)
        return;
    for (size_t i = 0; rows->names && i <= rows->axis_count; i++)
        free(rows->names[i]);
    free(rows->names);
    free(rows->values);
    free(rows->axis_columns);
    failed_tasks_clear(&rows->failed);
    point_axes_destroy(rows->axes);
    free(rows);
}

size_t result_rows_columns(const struct result_rows *rows, const char *const **names)
{
    *names = (const char *const *)rows->names;
    return rows->axis_count + 1;
}

bool result_rows_has_ended_badly(const struct result_rows *rows)
{
    return rows->failed.count > 0;
}

bool result_rows_has_failed(const struct result_rows *rows)
{
    return rows->failed.any_failed;
}

/* Adds a row with the values of the axes and the state of its task. */
static void add_row(struct result_rows *rows,
                    const struct msg_result_row *row,
                    const char *state,
                    const char *const *without)
{
    const char *const *values = point_axes_values(rows->axes, row->point);

    for (size_t i = 0; i < rows->axis_count; i++)
        rows->values[i] = values ? values[rows->axis_columns[i]] : NULL;
    rows->values[rows->axis_count] = state;
    rows->fn(row, rows->values, without, rows->arg);
}

static bool is_selected(struct result_rows *rows, const struct msg_result_row *row)
{
    return text_matches(row->metric, rows->metric) &&
           result_filter_has_figure(rows->filter, row) &&
           result_filter_has_point(rows->filter, rows->axes, row->point);
}

void result_rows_add(struct result_rows *rows,
                     const struct msg_result_row *row,
                     const char *const *without)
{
    bool has_rank = strcmp(*without, "rank") != 0;

    if (is_selected(rows, row) && (has_rank || !rows->filter->rank))
        add_row(rows, row, "done", without);
}

static void add_figure(const void *message, void *arg)
{
    const struct msg_result_row *row = message;
    struct result_rows *rows = arg;

    if (!is_selected(rows, row))
        return;
    struct failed_task *failed =
        failed_tasks_find(&rows->failed, row->point, row->repeat);
    if (failed)
        failed->has_figures = true;
    add_row(rows, row, failed ? failed->row.state : "done", NULL);
}

static void add_tasks_without_figures(struct result_rows *rows)
{
    for (size_t i = 0; i < rows->failed.count; i++) {
        const struct failed_task *failed = &rows->failed.items[i];
        const struct msg_task_row *task = &failed->row;
        const struct msg_result_row row = {
            .job_id = task->job_id,
            .point = task->point,
            .repeat = task->repeat,
            .point_text = task->point_text,
            .attempt = task->attempt,
            .run_id = task->run_id,
            .host = task->host,
            .card = task->attempt ? (int64_t)task->card : -1,
        };

        if (!failed->has_figures && result_filter_has_task(rows->filter, task) &&
            result_filter_has_point(rows->filter, rows->axes, task->point))
            add_row(rows, &row, task->state, without_figures + (task->attempt ? 3 : 0));
    }
}

int result_rows_each(struct result_rows *rows,
                     result_row_fn *fn,
                     void *arg,
                     struct err *err)
{
    rows->fn = fn;
    rows->arg = arg;
    if (row_source_results(rows->source, rows->job_id, rows->metric, add_figure, rows,
                           err) < 0)
        return -1;
    add_tasks_without_figures(rows);
    return 0;
}
