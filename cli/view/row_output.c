#include "cli/view/row_output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json_write.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

struct row_output {
    enum row_output_format format;
    const struct row_output_column *columns;
    size_t column_count;
    FILE *file;
    struct json_write json;
    struct text text; /* buffer of json and csv */
    char **cells;     /* text only: all rows, for the column widths */
    size_t row_count, row_room;

    size_t width; /* text only: characters of a line; 0: no limit */
    const struct line_fit_column *fits;
    const char *hint;
};

int row_output_format_parse(const char *name,
                            enum row_output_format *format,
                            struct err *err)
{
    static const char *const names[] = {"text", "json", "jsonl", "csv"};

    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(name, names[i]) == 0) {
            *format = (enum row_output_format)i;
            return 0;
        }
    return err_set(err, ERR_INPUT, "--output '%s' is not one of text, json, jsonl, csv",
                   name);
}

struct row_output *row_output_create(enum row_output_format format,
                                     const char *schema,
                                     const struct row_output_column *columns,
                                     size_t column_count,
                                     FILE *file)
{
    struct row_output *output = xcalloc(1, sizeof(*output));

    output->format = format;
    output->columns = columns;
    output->column_count = column_count;
    output->file = file;
    json_write_to_text(&output->json, &output->text);
    if (format == ROW_OUTPUT_JSON) {
        json_write_object(&output->json);
        json_write_key(&output->json, "schema");
        json_write_text(&output->json, schema);
        json_write_key(&output->json, "rows");
        json_write_array(&output->json);
    }
    for (size_t i = 0; format == ROW_OUTPUT_CSV && i < column_count; i++) {
        text_add_csv(&output->text, columns[i].name);
        text_add_char(&output->text, i + 1 < column_count ? ',' : '\n');
    }
    return output;
}

static char *cell_text(const struct cell *cell, const char *none)
{
    if (cell->none)
        return xstrdup(none);
    switch (cell->kind) {
    case CELL_U64:
    case CELL_WIDE:
        return xasprintf("%" PRIu64, cell->u64);
    case CELL_I64:
        return xasprintf("%" PRId64, cell->i64);
    case CELL_F64:
        return xasprintf("%.10g", cell->f64);
    case CELL_BOOL:
        return xstrdup(cell->yes ? "true" : "false");
    default:
        return xstrdup(cell->text);
    }
}

static void json_cell(struct json_write *json, const struct cell *cell)
{
    if (cell->none) {
        json_write_null(json);
        return;
    }
    switch (cell->kind) {
    case CELL_U64:
        json_write_u64(json, cell->u64);
        break;
    case CELL_WIDE:
        json_write_wide_u64(json, cell->u64);
        break;
    case CELL_I64:
        json_write_i64(json, cell->i64);
        break;
    case CELL_F64:
        json_write_double(json, cell->f64);
        break;
    case CELL_BOOL:
        json_write_bool(json, cell->yes);
        break;
    default:
        json_write_text(json, cell->text);
    }
}

static void write_object(struct json_write *json,
                         const struct row_output_column *columns,
                         size_t column_count,
                         const struct cell *cells)
{
    json_write_object(json);
    for (size_t i = 0; i < column_count; i++) {
        json_write_key(json, columns[i].name);
        json_cell(json, &cells[i]);
    }
    json_write_object_end(json);
}

void row_output_json(struct text *out,
                     const struct row_output_column *columns,
                     size_t column_count,
                     const struct cell *cells)
{
    struct json_write json = {0};

    json_write_to_text(&json, out);
    write_object(&json, columns, column_count, cells);
    json_write_clear(&json);
}

static void json_row(struct row_output *output, const struct cell *cells)
{
    write_object(&output->json, output->columns, output->column_count, cells);
    if (output->format == ROW_OUTPUT_JSONL)
        json_write_line(&output->json);
}

static void csv_row(struct row_output *output, const struct cell *cells)
{
    for (size_t i = 0; i < output->column_count; i++) {
        char *text = cell_text(&cells[i], "");

        text_add_csv(&output->text, text);
        text_add_char(&output->text, i + 1 < output->column_count ? ',' : '\n');
        free(text);
    }
}

char *row_output_printable(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at; at++) {
        if (*at < ' ' || *at == 0x7f)
            *at = '?';
        if (at[0] == 0xc2 && at[1] >= 0x80 &&
            at[1] < 0xa0) /* control characters in UTF-8 */
            at[0] = at[1] = '?';
    }
    return text;
}

static void text_row(struct row_output *output, const struct cell *cells)
{
    if (output->row_count == output->row_room) {
        output->row_room = output->row_room ? output->row_room * 2 : 64;
        output->cells =
            xreallocarray(output->cells, output->row_room * output->column_count,
                          sizeof(*output->cells));
    }
    char **row = output->cells + output->row_count++ * output->column_count;
    for (size_t i = 0; i < output->column_count; i++)
        row[i] = row_output_printable(cell_text(&cells[i], "-"));
}

void row_output_row(struct row_output *output, const struct cell *cells)
{
    switch (output->format) {
    case ROW_OUTPUT_TEXT:
        text_row(output, cells);
        return;
    case ROW_OUTPUT_CSV:
        csv_row(output, cells);
        break;
    default:
        json_row(output, cells);
    }
    if (output->text.length > 64 * 1024) { /* limits the memory of a long result */
        fwrite(output->text.bytes, 1, output->text.length, output->file);
        text_reset(&output->text);
    }
}

void row_output_fit(struct row_output *output,
                    size_t width,
                    const struct line_fit_column *fits,
                    const char *hint)
{
    output->width = width;
    output->fits = fits;
    output->hint = hint;
}

static char *cell_at(const struct row_output *output, size_t row, size_t column)
{
    return output->cells[row * output->column_count + column];
}

/* Writes one row: numbers right-aligned, the last column without padding. The row is
 * NULL for the header. */
static void write_aligned(const struct row_output *output,
                          char *const *row,
                          const struct line_fit_column *fits)
{
    size_t last = output->column_count;

    while (last > 0 && fits[last - 1].is_dropped)
        last--;
    for (size_t i = 0; i < last; i++) {
        const char *cell = row ? row[i] : output->columns[i].name;
        bool is_number = output->columns[i].kind != CELL_TEXT;
        size_t width = line_fit_width(cell);
        int padding = (int)(fits[i].width > width ? fits[i].width - width : 0);

        if (fits[i].is_dropped)
            continue;
        if (is_number)
            fprintf(output->file, "%*s%s", padding, "", cell);
        else
            fprintf(output->file, "%s%*s", cell, i + 1 == last ? 0 : padding, "");
        fprintf(output->file, "%*s", i + 1 == last ? 0 : LINE_FIT_GAP, "");
    }
    fputc('\n', output->file);
}

/* Returns whether all rows have the same cell in the column. */
static bool is_constant(const struct row_output *output, size_t column)
{
    for (size_t row = 1; row < output->row_count; row++)
        if (strcmp(cell_at(output, row, column), cell_at(output, 0, column)) != 0)
            return false;
    return output->row_count > 0;
}

/* Names the columns that were left out, with the value of those that have only one. */
static void print_left_out(const struct row_output *output,
                           const struct line_fit_column *fits)
{
    struct text names = {0}, lines = {0};

    for (size_t i = 0; i < output->column_count; i++) {
        if (!fits[i].is_dropped)
            continue;
        text_printf(&names, "%s%s", names.length ? ", " : "", output->columns[i].name);
        if (is_constant(output, i) && line_fit_width(cell_at(output, 0, i)) < 32)
            text_printf(&names, " (%s)", cell_at(output, 0, i));
    }
    if (names.length) {
        text_printf(&names, "; %s", output->hint);
        line_fit_wrap(&lines, "not shown: ", text_get(&names), output->width);
        fflush(output->file);
        fputs(text_get(&lines), stderr);
    }
    text_clear(&names);
    text_clear(&lines);
}

static void measure_columns(const struct row_output *output,
                            struct line_fit_column *fits)
{
    for (size_t i = 0; i < output->column_count; i++) {
        if (output->fits)
            fits[i] = output->fits[i];
        fits[i].header = fits[i].width = line_fit_width(output->columns[i].name);
        for (size_t row = 0; row < output->row_count; row++) {
            size_t width = line_fit_width(cell_at(output, row, i));

            if (width > fits[i].width)
                fits[i].width = width;
        }
    }
}

static void text_table(struct row_output *output)
{
    struct line_fit_column *fits = xcalloc(output->column_count, sizeof(*fits));

    measure_columns(output, fits);
    if (output->width) {
        line_fit_columns(fits, output->column_count, output->width);
        for (size_t row = 0; row < output->row_count; row++)
            for (size_t i = 0; i < output->column_count; i++)
                if (fits[i].can_shorten)
                    line_fit_shorten(cell_at(output, row, i), fits[i].width);
    }
    write_aligned(output, NULL, fits);
    for (size_t row = 0; row < output->row_count; row++)
        write_aligned(output, output->cells + row * output->column_count, fits);
    print_left_out(output, fits);
    free(fits);
}

void row_output_destroy(struct row_output **output)
{
    struct row_output *owned = *output;

    for (size_t i = 0; i < owned->row_count * owned->column_count; i++)
        free(owned->cells[i]);
    free(owned->cells);
    json_write_clear(&owned->json);
    text_clear(&owned->text);
    free(owned);
    *output = NULL;
}

int row_output_finish(struct row_output **output, struct err *err)
{
    struct row_output *owned = *output;

    if (owned->format == ROW_OUTPUT_TEXT)
        text_table(owned);
    if (owned->format == ROW_OUTPUT_JSON) {
        json_write_array_end(&owned->json);
        json_write_object_end(&owned->json);
        json_write_line(&owned->json);
    }
    if (owned->text.length)
        fwrite(owned->text.bytes, 1, owned->text.length, owned->file);
    int result = fflush(owned->file) == EOF || ferror(owned->file)
                     ? err_errno(err, "writing the result")
                     : 0;
    row_output_destroy(output);
    return result;
}
