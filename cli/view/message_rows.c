#include "cli/view/message_rows.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

enum { COLUMNS_MAX = 32 };

struct message_rows {
    struct row_output *output;
    const struct field *fields[COLUMNS_MAX];
    struct row_output_column columns[COLUMNS_MAX];
    char *names[COLUMNS_MAX];
    size_t count;
    bool is_text;
};

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

static void add_column(struct message_rows *rows, const struct field *field)
{
    char *name = xstrdup(field->name);

    if (rows->is_text && is_time(field))
        name[strlen(name) - strlen("_wall_ns")] = '\0';
    rows->names[rows->count] = name;
    rows->fields[rows->count] = field;
    rows->columns[rows->count] =
        (struct row_output_column){name, kind_of(field, rows->is_text)};
    rows->count++;
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
                                         const char *schema,
                                         enum message_type type,
                                         const char *const *text_fields)
{
    const struct message *message = message_find(type);
    struct message_rows *rows = xcalloc(1, sizeof(*rows));

    rows->is_text = format == ROW_OUTPUT_TEXT;
    if (rows->is_text)
        for (; *text_fields; text_fields++) {
            const struct field *field = find(message, *text_fields);

            if (field && rows->count < COLUMNS_MAX)
                add_column(rows, field);
        }
    else
        for (const struct field *field = message->fields; field->type != FIELD_END;
             field++)
            if (is_flat(field) && rows->count < COLUMNS_MAX)
                add_column(rows, field);
    rows->output =
        row_output_create(format, schema, rows->columns, rows->count, stdout);
    return rows;
}

static struct cell
cell_of(const struct field *field, const void *message, char when[32])
{
    const char *at = (const char *)message + field->offset;
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

void message_rows_add(struct message_rows *rows, const void *message)
{
    struct cell cells[COLUMNS_MAX];
    char when[COLUMNS_MAX][32];

    for (size_t i = 0; i < rows->count; i++)
        cells[i] = cell_of(rows->fields[i], message, rows->is_text ? when[i] : NULL);
    row_output_row(rows->output, cells);
}

static void release(struct message_rows **rows)
{
    for (size_t i = 0; i < (*rows)->count; i++)
        free((*rows)->names[i]);
    free(*rows);
    *rows = NULL;
}

int message_rows_finish(struct message_rows **rows, struct err *err)
{
    int result = row_output_finish(&(*rows)->output, err);

    release(rows);
    return result;
}

int message_rows_destroy(struct message_rows **rows)
{
    row_output_destroy(&(*rows)->output);
    release(rows);
    return -1;
}
