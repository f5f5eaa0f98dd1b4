#include "cli/selftest/check_rows.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

static const struct row_output_column columns[] = {
    {"check", CELL_TEXT},   {"verdict", CELL_TEXT},   {"seen", CELL_TEXT},
    {"assumed", CELL_TEXT}, {"otherwise", CELL_TEXT},
};

struct row_output *check_rows_create(enum row_output_format format)
{
    return row_output_create(format, "muster.selftest.v2", columns, COUNT(columns),
                             stdout);
}

void check_rows_put(struct row_output *output, const struct check_row *row)
{
    const struct cell cells[] = {
        {.kind = CELL_TEXT, .text = row->name},
        {.kind = CELL_TEXT, .text = row->verdict},
        {.kind = CELL_TEXT, .text = row->seen},
        {.kind = CELL_TEXT, .text = row->assumed},
        {.kind = CELL_TEXT, .text = row->otherwise},
    };

    row_output_row(output, cells);
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

size_t check_rows_put_lines(struct row_output *output, const char *lines)
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
