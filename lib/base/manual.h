/* manual.h - writes the manual page of a program or command from its option table
 *
 * The page is roff with the man macros, for man(1), mandoc and groff. It contains no
 * date and no host name, so that the same program writes the same page. */
#ifndef LIB_BASE_MANUAL_H
#define LIB_BASE_MANUAL_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/base/options.h"

struct manual {
    const char *name;    /* of the page, such as "muster-list" */
    const char *usage;   /* such as "muster list [OPTIONS]" */
    const char *summary; /* one line, no full stop */
    const char *details; /* or NULL */
    const char *version; /* "muster 0.1.0" */
    bool is_file_format; /* page of section 5 instead of section 1 */
};

/* Writes name, synopsis, description and options; more sections may follow. */
void manual_print(const struct manual *manual,
                  const struct option_row *rows,
                  FILE *out);
/* Writes a section of options, as manual_print() does. */
void manual_options(const char *title, const struct option_row *rows, FILE *out);
void manual_section(const char *title, FILE *out);
/* Writes a term and its description inside a section. */
void manual_term(const char *term, const char *words, FILE *out);
/* Writes text literally; requests and escapes of roff are quoted. */
void manual_text(const char *text, FILE *out);

#endif
