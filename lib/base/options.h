/* options.h - the command line, read by a table
 *
 * A row an option; the help is printed from the same table, so that it cannot lie.
 * Understood: --name VALUE, --name=VALUE, -n VALUE, -nVALUE, -abc, -- (the rest are
 * arguments). Options and arguments may mix. Errors are ERR_INPUT: a program tells
 * them and exits with 2.
 *
 *     static uint64_t limit = 10;
 *     static const struct option_row rows[] = {
 *         {"limit", 'n', OPTION_U64, &limit, "N", "at most N points"},
 *         {0},
 *     };
 */
#ifndef LIB_BASE_OPTIONS_H
#define LIB_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/err.h"

enum option_kind {
    OPTION_FLAG,     /* bool: becomes true; takes no value */
    OPTION_TEXT,     /* const char *: borrowed from argv */
    OPTION_TEXTS,    /* struct option_texts: may come several times */
    OPTION_U64,      /* uint64_t */
    OPTION_I64,      /* int64_t */
    OPTION_DOUBLE,   /* double */
    OPTION_DURATION, /* uint64_t, milliseconds: 250ms 10s 5m 2h 1d, bare: seconds */
    OPTION_BYTES,    /* uint64_t: 4096 64KiB 1MiB 2GiB */
    OPTION_CHOICE,   /* int: the place of the word in `choices` */
    OPTION_RENAMED,  /* an old name: `value` is the name of the row that replaces it */
};

struct option_texts {
    const char **items; /* NULL-terminated once there is one; free() it */
    size_t count;
};

struct option_row {
    const char *name; /* without --; NULL ends the table */
    char letter;      /* or 0 */
    enum option_kind kind;
    void *target;      /* keeps its value when the option is not given */
    const char *value; /* what the value is called in the help: "FILE" */
    const char *help;
    const char *const *choices; /* of OPTION_CHOICE; NULL-terminated */
};

/* Reads argv[1..]; afterwards *args is a NULL-terminated list of what is no option, in
 * their order, inside argv. Targets of options before a wrong one are set. */
int options_parse(const struct option_row *rows,
                  int argc,
                  char **argv,
                  char ***args,
                  struct err *err);
/* What `--name value` would do; a flag takes nothing and becomes true. */
int options_set(const struct option_row *row, const char *value, struct err *err);
/* Returns false for an old name: help, manual and completion leave it out. */
bool option_is_listed(const struct option_row *row);
/* Returns the words of argv[1..] without the named options and their values. Each name
 * is that of an option with a value, without --. The list ends with NULL; the caller
 * frees it, the words are borrowed. */
const char **options_without(char *const *argv, const char *const *names);
/* One line an option, in columns. */
void options_print(const struct option_row *rows, FILE *out);

#endif
