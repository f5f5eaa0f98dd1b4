#include "lib/base/manual.h"

#include <ctype.h>
#include <string.h>

void manual_text(const char *text, FILE *out)
{
    bool line_starts = true;

    for (; *text; text++) {
        if (line_starts && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out); /* readers copy it, so no typographic hyphen */
        else
            fputc(*text, out);
        line_starts = *text == '\n';
    }
}

void manual_section(const char *title, FILE *out)
{
    fprintf(out, ".SH %s\n", title);
}

void manual_term(const char *term, const char *words, FILE *out)
{
    fputs(".TP\n.B ", out);
    manual_text(term, out);
    fputc('\n', out);
    manual_text(words, out);
    fputc('\n', out);
}

static void print_head(const struct manual *manual, FILE *out)
{
    fputs(".TH ", out);
    for (const char *letter = manual->name; *letter; letter++)
        if (*letter == '-')
            fputs("\\-", out);
        else
            fputc(toupper((unsigned char)*letter), out);
    fprintf(out, " %s \"\" \"%s\" \"%s\"\n", manual->is_file_format ? "5" : "1",
            manual->version, manual->is_file_format ? "File Formats" : "User Commands");
}

static void print_option(const struct option_row *row, FILE *out)
{
    fputs(".TP\n", out);
    if (row->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
    fputs("\\fB\\-\\-", out);
    manual_text(row->name, out);
    fputs("\\fR", out);
    if (row->kind != OPTION_FLAG) {
        fputs(" \\fI", out);
        manual_text(row->value, out);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    manual_text(row->help, out);
    for (int i = 0; row->kind == OPTION_CHOICE && row->choices[i]; i++) {
        fputs(i ? ", " : ": ", out);
        manual_text(row->choices[i], out);
    }
    fputc('\n', out);
}

void manual_options(const char *title, const struct option_row *rows, FILE *out)
{
    manual_section(title, out);
    for (; rows->name; rows++)
        if (option_is_listed(rows))
            print_option(rows, out);
}

void manual_print(const struct manual *manual, const struct option_row *rows, FILE *out)
{
    print_head(manual, out);
    manual_section("NAME", out);
    manual_text(manual->name, out);
    fputs(" \\- ", out);
    manual_text(manual->summary, out);
    fputc('\n', out);
    manual_section("SYNOPSIS", out);
    fputs(".B ", out);
    manual_text(manual->usage, out);
    fputc('\n', out);
    if (manual->details) {
        manual_section("DESCRIPTION", out);
        fputs(".nf\n", out); /* keeps the line breaks */
        manual_text(manual->details, out);
        fputs("\n.fi\n", out);
    }
    if (rows->name)
        manual_options("OPTIONS", rows, out);
}
