#include "cli/view/message_rows.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/view/terminal.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

/* Values that stand for "does not apply" in messages, which have no empty numbers. */
enum none_if { NONE_IF_ZERO, NONE_IF_NEGATIVE, NONE_IF_NO_ATTEMPT, NONE_IF_NO_STATUS };

static const struct none_rule {
    enum message_type type;
    const char *field;
    enum none_if none_if;
} none_rules[] = {
    {MSG_JOB_ROW, "ended_wall_ns", NONE_IF_ZERO},
    {MSG_TASK_ROW, "attempt", NONE_IF_NO_ATTEMPT},
    {MSG_TASK_ROW, "run_id", NONE_IF_NO_ATTEMPT},
    {MSG_TASK_ROW, "card", NONE_IF_NO_ATTEMPT},
    {MSG_TASK_ROW, "launches", NONE_IF_NO_ATTEMPT},
    {MSG_TASK_ROW, "exit_code", NONE_IF_NO_STATUS},
    {MSG_TASK_ROW, "started_wall_ns", NONE_IF_ZERO},
    {MSG_TASK_ROW, "ended_wall_ns", NONE_IF_ZERO},
    {MSG_RESULT_ROW, "card", NONE_IF_NEGATIVE},
    {MSG_RESULT_ROW, "tick_ns", NONE_IF_ZERO},
    {MSG_RANK_ROW, "card", NONE_IF_NEGATIVE},
    {MSG_RANK_ROW, "environment_id", NONE_IF_ZERO},
    {MSG_LAUNCH_ROW, "tick_ns", NONE_IF_ZERO},
};

static const struct {
    enum message_type type;
    const char *name;
} schemas[] = {
    {MSG_JOB_ROW, "muster.jobs.v3"},
    {MSG_TASK_ROW, "muster.tasks.v3"},
    {MSG_RESULT_ROW, "muster.results.v3"},
    {MSG_RANK_ROW, "muster.ranks.v3"},
    {MSG_LAUNCH_ROW, "muster.launches.v6"},
    {MSG_REPLAY_ROW, "muster.replays.v2"},
    {MSG_WORKER_ROW, "muster.workers.v2"},
    {MSG_EVENT_ROW, "muster.events.v2"},
    {MSG_ALLOC_ROW, "muster.allocs.v1"},
    {MSG_ALLOCATION_ROW, "muster.allocations.v2"},
    {MSG_BASELINE_ROW, "muster.baselines.v1"},
    {MSG_BASELINE_NIGHT_ROW, "muster.baseline-nights.v2"},
    {MSG_BASELINE_SPLIT_ROW, "muster.baseline-splits.v1"},
    {MSG_QUARANTINE_ROW, "muster.quarantines.v1"},
    {MSG_SUSPECT_ROW, "muster.suspects.v2"},
};

/* Columns that a narrow terminal can miss; the highest rank is left out first. The
 * additional columns, such as axes, have rank 1. */
static const struct {
    const char *name;
    unsigned rank;
} drop_ranks[] = {
    {"simulated", 60},     {"submitted_wall_ns", 59},
    {"launch", 58},        {"cancelled", 57},
    {"waiting", 56},       {"running", 55},
    {"host_kernel", 54},   {"measurement", 53},
    {"firmware", 52},      {"driver", 51},
    {"cann", 50},          {"serial", 49},
    {"tick_ns", 48},       {"code_hash", 47},
    {"restored", 46},      {"uncertainty_us", 45},
    {"released_ns", 44},   {"arrived_ns", 43},
    {"silent_ms", 42},     {"ranks_ended", 41},
    {"ranks_done", 40},    {"status", 39},
    {"launches", 38},      {"attempt", 37},
    {"model", 36},         {"user", 35},
    {"ended_wall_ns", 34}, {"pass", 32},
    {"chip", 31},          {"exit_code", 30},
    {"ranks", 29},         {"repeat", 28},
    {"host", 27},          {"card", 26},
    {"group_found", 25},   {"rank", 3},
    {"unit", 2},
};

struct message_rows {
    enum row_output_format format;
    const struct message *message;
    const char *const *text_fields;
    char *more[MESSAGE_ROWS_COLUMNS]; /* names of the additional columns */
    size_t more_count;

    struct row_output *output; /* NULL until the first row or the end */
    struct column {
        const struct field *field;    /* NULL: an additional column */
        size_t more;                  /* its number */
        const struct none_rule *rule; /* NULL: each value applies */
        char *name;
    } list[MESSAGE_ROWS_COLUMNS];
    struct row_output_column columns[MESSAGE_ROWS_COLUMNS];
    struct line_fit_column fits[MESSAGE_ROWS_COLUMNS];
    size_t count;
    bool wide;
    const char *hint;
};

const char *message_rows_schema(enum message_type type)
{
    size_t i = 0;

    while (i < COUNT(schemas) && schemas[i].type != type)
        i++;
    assert(i < COUNT(schemas));
    return schemas[i].name;
}

static bool is_time(const struct field *field)
{
    return text_has_suffix(field->name, "_wall_ns");
}

static bool is_wide(const struct field *field)
{
    return strcmp(field->name, "run_id") == 0 || text_has_suffix(field->name, "_ns");
}

static enum cell_kind kind_of(const struct field *field, bool is_text)
{
    if (is_text && is_time(field))
        return CELL_TEXT;
    switch (field->type) {
    case FIELD_U64:
        return is_wide(field) ? CELL_WIDE : CELL_U64;
    case FIELD_I64:
        return CELL_I64;
    case FIELD_F64:
        return CELL_F64;
    case FIELD_BOOL:
        return CELL_BOOL;
    default:
        return CELL_TEXT;
    }
}

static const struct field *find(const struct message *message, const char *name)
{
    const struct field *field = message->fields;

    while (field->type != FIELD_END && strcmp(field->name, name) != 0)
        field++;
    return field->type == FIELD_END ? NULL : field;
}

static bool is_flat(const struct field *field)
{
    return field->type != FIELD_BYTES && field->type != FIELD_TEXT_LIST &&
           field->type != FIELD_U64_LIST;
}

struct message_rows *message_rows_create(enum row_output_format format,
                                         enum message_type type,
                                         const char *const *text_fields)
{
    struct message_rows *rows = xcalloc(1, sizeof(*rows));

    rows->format = format;
    rows->message = message_find(type);
    rows->text_fields = text_fields;
    rows->hint = "--output csv and json have all";
    return rows;
}

void message_rows_set_wide(struct message_rows *rows)
{
    rows->wide = true;
}

void message_rows_set_hint(struct message_rows *rows, const char *hint)
{
    rows->hint = hint;
}

void message_rows_add_column(struct message_rows *rows, const char *name)
{
    if (rows->more_count < MESSAGE_ROWS_COLUMNS)
        rows->more[rows->more_count++] = xstrdup(name);
}

static bool is_text(const struct message_rows *rows)
{
    return rows->format == ROW_OUTPUT_TEXT;
}

static const struct none_rule *find_rule(const struct message *message,
                                         const struct field *field)
{
    for (size_t i = 0; field && i < COUNT(none_rules); i++)
        if (none_rules[i].type == message->type &&
            strcmp(none_rules[i].field, field->name) == 0)
            return &none_rules[i];
    return NULL;
}

static void
put_column(struct message_rows *rows, const struct field *field, size_t more)
{
    char *name = xstrdup(field ? field->name : rows->more[more]);

    if (rows->count == MESSAGE_ROWS_COLUMNS) {
        free(name);
        return;
    }
    if (field && is_text(rows) && is_time(field))
        name[strlen(name) - strlen("_wall_ns")] = '\0';
    rows->list[rows->count] =
        (struct column){field, more, find_rule(rows->message, field), name};
    rows->columns[rows->count++] = (struct row_output_column){
        name, field ? kind_of(field, is_text(rows)) : CELL_TEXT};
}

static bool find_more(const struct message_rows *rows, const char *name, size_t *more)
{
    for (*more = 0; *more < rows->more_count; ++*more)
        if (strcmp(rows->more[*more], name) == 0)
            return true;
    return false;
}

static void select_columns(struct message_rows *rows)
{
    size_t more;

    for (const char *const *name = rows->text_fields; *name; name++) {
        const struct field *field = find(rows->message, *name);

        if (field || find_more(rows, *name, &more))
            put_column(rows, field, field ? 0 : more);
    }
}

static void choose_columns(struct message_rows *rows)
{
    if (rows->count)
        return;
    if (is_text(rows) && rows->text_fields) {
        select_columns(rows);
    } else {
        for (const struct field *field = rows->message->fields;
             field->type != FIELD_END; field++)
            if (is_flat(field))
                put_column(rows, field, 0);
        for (size_t more = 0; more < rows->more_count; more++)
            put_column(rows, NULL, more);
    }
}

static unsigned drop_rank(const struct field *field)
{
    if (!field)
        return 1;
    for (size_t i = 0; i < COUNT(drop_ranks); i++)
        if (strcmp(drop_ranks[i].name, field->name) == 0)
            return drop_ranks[i].rank;
    return 0;
}

/* Names and sentences can be shortened; numbers, times and hashes cannot. */
static void fit_columns(struct message_rows *rows)
{
    size_t limit = terminal_line_limit(fileno(stdout));

    if (!is_text(rows) || rows->wide || !limit)
        return;
    for (size_t i = 0; i < rows->count; i++) {
        const struct field *field = rows->list[i].field;

        rows->fits[i] = (struct line_fit_column){
            .can_shorten =
                rows->columns[i].kind == CELL_TEXT &&
                !(field && (is_time(field) || strcmp(field->name, "code_hash") == 0)),
            .drop_rank = drop_rank(field),
        };
    }
    row_output_fit(rows->output, limit, rows->fits, rows->hint);
}

static void start_output(struct message_rows *rows)
{
    if (rows->output)
        return;
    choose_columns(rows);
    rows->output =
        row_output_create(rows->format, message_rows_schema(rows->message->type),
                          rows->columns, rows->count, stdout);
    fit_columns(rows);
}

static bool is_zero(const struct field *field, const void *row)
{
    const char *at = (const char *)row + field->offset;

    return field->type == FIELD_F64 ? *(const double *)at == 0
                                    : *(const uint64_t *)at == 0;
}

static bool
does_not_apply(const struct column *column, const void *row, const char *const *without)
{
    const struct msg_task_row *task = row;

    for (; without && *without; without++)
        if (strcmp(*without, column->field->name) == 0)
            return true;
    if (!column->rule)
        return false;
    switch (column->rule->none_if) {
    case NONE_IF_ZERO:
        return is_zero(column->field, row);
    case NONE_IF_NEGATIVE:
        return *(const int64_t *)((const char *)row + column->field->offset) < 0;
    case NONE_IF_NO_ATTEMPT:
        return task->attempt == 0;
    default:
        return !task->status || !*task->status;
    }
}

static struct cell cell_of(const struct field *field, const void *row, char when[32])
{
    const char *at = (const char *)row + field->offset;
    struct cell cell = {.kind = kind_of(field, when != NULL)};

    if (when && is_time(field)) {
        uint64_t wall_ns = *(const uint64_t *)at;

        cell.none = wall_ns == 0;
        cell.text = clock_format(when, wall_ns);
        return cell;
    }
    switch (field->type) {
    case FIELD_U64:
        cell.u64 = *(const uint64_t *)at;
        break;
    case FIELD_I64:
        cell.i64 = *(const int64_t *)at;
        break;
    case FIELD_F64:
        cell.f64 = *(const double *)at;
        cell.none = isnan(cell.f64);
        break;
    case FIELD_BOOL:
        cell.yes = *(const bool *)at;
        break;
    default:
        cell.text = *(const char *const *)at;
        if (!cell.text)
            cell.text = "";
        cell.none = when && *cell.text == '\0';
    }
    return cell;
}

/* `when` has room for the dates of the text format; NULL in the other formats. */
static void fill_cells(const struct message_rows *rows,
                       const void *message,
                       const char *const *values,
                       const char *const *without,
                       char (*when)[32],
                       struct cell *cells)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct field *field = rows->list[i].field;

        if (field) {
            cells[i] = cell_of(field, message, when ? when[i] : NULL);
            if (does_not_apply(&rows->list[i], message, without))
                cells[i].none = true;
        } else {
            const char *value = values ? values[rows->list[i].more] : NULL;

            cells[i] = (struct cell){.kind = CELL_TEXT, .none = !value, .text = value};
        }
    }
}

size_t message_rows_columns(struct message_rows *rows,
                            const struct row_output_column **columns)
{
    choose_columns(rows);
    *columns = rows->columns;
    return rows->count;
}

void message_rows_cells(struct message_rows *rows,
                        const void *message,
                        const char *const *values,
                        const char *const *without,
                        struct cell *cells)
{
    choose_columns(rows);
    fill_cells(rows, message, values, without, NULL, cells);
}

void message_rows_add_more(struct message_rows *rows,
                           const void *message,
                           const char *const *values,
                           const char *const *without)
{
    struct cell cells[MESSAGE_ROWS_COLUMNS];
    char when[MESSAGE_ROWS_COLUMNS][32];

    start_output(rows);
    fill_cells(rows, message, values, without, is_text(rows) ? when : NULL, cells);
    row_output_row(rows->output, cells);
}

void message_rows_add(struct message_rows *rows, const void *message)
{
    message_rows_add_more(rows, message, NULL, NULL);
}

static void release(struct message_rows **rows)
{
    for (size_t i = 0; i < (*rows)->count; i++)
        free((*rows)->list[i].name);
    for (size_t i = 0; i < (*rows)->more_count; i++)
        free((*rows)->more[i]);
    free(*rows);
    *rows = NULL;
}

int message_rows_finish(struct message_rows **rows, struct err *err)
{
    start_output(*rows);
    int result = row_output_finish(&(*rows)->output, err);

    release(rows);
    return result;
}

int message_rows_destroy(struct message_rows **rows)
{
    if ((*rows)->output)
        row_output_destroy(&(*rows)->output);
    release(rows);
    return -1;
}
