#include "cli/reference/markdown.h"

#include <stdlib.h>

#include "lib/base/mem.h"

void markdown_title(struct text *out, const char *title)
{
    text_printf(out,
                "# %s\n\n<!-- Written by `make reference` from the tables of the "
                "programs; do not edit. -->\n",
                title);
}

void markdown_section(struct text *out, const char *title)
{
    text_printf(out, "\n## %s\n", title);
}

static void add_line(struct text *out, const char *const *cells)
{
    for (; *cells; cells++) {
        text_add(out, "| ");
        for (const char *at = *cells; *at; at++) {
            if (*at == '|')
                text_add_char(out, '\\'); /* otherwise it would end the cell */
            text_add_char(out, *at == '\n' ? ' ' : *at);
        }
        text_add_char(out, ' ');
    }
    text_add(out, "|\n");
}

void markdown_table(struct text *out, const char *const *columns)
{
    text_add_char(out, '\n');
    add_line(out, columns);
    for (; *columns; columns++)
        text_add(out, "| --- ");
    text_add(out, "|\n");
}

void markdown_row(struct text *out, const char *const *cells)
{
    add_line(out, cells);
}

static char *option_words(const struct option_row *row)
{
    struct text out = {0};

    text_add(&out, "`");
    if (row->letter)
        text_printf(&out, "-%c, ", row->letter);
    text_printf(&out, "--%s", row->name);
    if (row->kind != OPTION_FLAG)
        text_printf(&out, " %s", row->value);
    text_add(&out, "`");
    return text_take(&out);
}

static char *option_meaning(const struct option_row *row)
{
    struct text out = {0};

    text_add(&out, row->help);
    for (size_t i = 0; row->kind == OPTION_CHOICE && row->choices[i]; i++)
        text_printf(&out, "%s`%s`", i ? ", " : "; one of ", row->choices[i]);
    return text_take(&out);
}

void markdown_options(struct text *out, const struct option_row *rows)
{
    markdown_table(out, (const char *const[]){"option", "meaning", NULL});
    for (; rows->name; rows++) {
        if (!option_is_listed(rows))
            continue;
        char *words = option_words(rows), *meaning = option_meaning(rows);

        markdown_row(out, (const char *const[]){words, meaning, NULL});
        free(words);
        free(meaning);
    }
}
