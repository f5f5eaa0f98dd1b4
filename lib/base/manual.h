/* manual.h - the manual page of a program or command, from the table of its options
 *
 * Written as roff with the man macros, for man(1), mandoc and groff. No date and no
 * name of a machine stands in it: the same program makes the same page. */
#ifndef LIB_BASE_MANUAL_H
#define LIB_BASE_MANUAL_H

#include <stdio.h>

#include "lib/base/options.h"

struct manual {
    const char *name;    /* of the page: "muster-list" */
    const char *usage;   /* what is typed: "muster list [OPTIONS]" */
    const char *summary; /* one line, no full stop */
    const char *details; /* or NULL */
    const char *version; /* "muster 0.1.0" */
};

/* Name, synopsis, description and options; more sections may follow. */
void manual_print(const struct manual *manual,
                  const struct option_row *rows,
                  FILE *out);
/* A section of options: what manual_print() does with its own. */
void manual_options(const char *title, const struct option_row *rows, FILE *out);
void manual_section(const char *title, FILE *out);
/* A term and what it means, in a section. */
void manual_term(const char *term, const char *words, FILE *out);
/* Text as it is: nothing in it is taken for a request or an escape. */
void manual_text(const char *text, FILE *out);

#endif
