#include "cli/selftest/check_rows.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

static const struct row_output_column columns[] = {
    {"check", CELL_TEXT},   {"verdict", CELL_TEXT},   {"seen", CELL_TEXT},
    {"assumed", CELL_TEXT}, {"otherwise", CELL_TEXT},
};

struct check_rows {
    struct row_output *table; /* NULL: text */
};

struct check_rows *check_rows_create(enum row_output_format format)
{
    struct check_rows *rows = xcalloc(1, sizeof(*rows));

    if (format != ROW_OUTPUT_TEXT)
        rows->table = row_output_create(format, "muster.selftest.v2", columns,
                                        COUNT(columns), stdout);
    return rows;
}

int check_rows_finish(struct check_rows **rows, struct err *err)
{
    int result = 0;

    if ((*rows)->table)
        result = row_output_finish(&(*rows)->table, err);
    else if (fflush(stdout) == EOF)
        result = err_errno(err, "writing the checks");
    free(*rows);
    *rows = NULL;
    return result;
}

void check_rows_destroy(struct check_rows **rows)
{
    if ((*rows)->table)
        row_output_destroy(&(*rows)->table);
    free(*rows);
    *rows = NULL;
}

static void put_line(const struct check_row *row)
{
    char *seen = row_output_printable(xstrdup(row->seen));

    printf("%-17s %-9s  %s", row->name, row->verdict, seen);
    if (*row->assumed)
        printf("; assumed: %s; otherwise: %s", row->assumed, row->otherwise);
    putchar('\n');
    free(seen);
}

void check_rows_put(struct check_rows *output, const struct check_row *row)
{
    const struct cell cells[] = {
        {.kind = CELL_TEXT, .text = row->name},
        {.kind = CELL_TEXT, .text = row->verdict},
        {.kind = CELL_TEXT, .text = row->seen},
        {.kind = CELL_TEXT, .text = row->assumed},
        {.kind = CELL_TEXT, .text = row->otherwise},
    };

    if (output->table)
        row_output_row(output->table, cells);
    else
        put_line(row);
}

static void add_field(struct text *lines, const char *field, char end)
{
    for (; *field; field++)
        text_add_char(lines, (unsigned char)*field < ' ' ? ' ' : *field);
    text_add_char(lines, end);
}

void check_rows_add_line(struct text *lines, const struct check_row *row)
{
    add_field(lines, row->name, '\t');
    add_field(lines, row->verdict, '\t');
    add_field(lines, row->seen, '\t');
    add_field(lines, row->assumed, '\t');
    add_field(lines, row->otherwise, '\n');
}

size_t check_rows_put_lines(struct check_rows *output, const char *lines)
{
    char *copy = xstrdup(lines), *rest = copy, *line;
    size_t differ = 0;

    while ((line = strsep(&rest, "\n"))) {
        const char *fields[5] = {"", "", "", "", ""};

        if (*line == '\0' || *line == '#')
            continue;
        for (size_t i = 0; i < COUNT(fields) && line; i++)
            fields[i] = strsep(&line, "\t");
        differ += strcmp(fields[1], "differs") == 0;
        check_rows_put(output, &(struct check_row){fields[0], fields[1], fields[2],
                                                   fields[3], fields[4]});
    }
    free(copy);
    return differ;
}
