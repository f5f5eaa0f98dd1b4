/* options.h - reads the command line by a table
 *
 * Each option is a row. The help is printed from the same table, so both always agree.
 * Accepts --name VALUE, --name=VALUE, -n VALUE, -nVALUE, -abc, and -- (the rest are
 * arguments). Options and arguments may be mixed. Errors are ERR_INPUT: the program
 * prints them and exits with 2.
 *
 *     static uint64_t limit = 10;
 *     static const struct option_row rows[] = {
 *         {"limit", 'n', OPTION_U64, &limit, "N", "Print N points (default: 10)"},
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
    OPTION_PATH,     /* const char *: made absolute; valid until the process ends */
    OPTION_TEXTS,    /* struct option_texts: may be given several times */
    OPTION_U64,      /* uint64_t */
    OPTION_COUNT,    /* uint64_t, at least 1: a default of 0 means "not given" */
    OPTION_I64,      /* int64_t */
    OPTION_DOUBLE,   /* double */
    OPTION_DURATION, /* uint64_t, milliseconds: 250ms 10s 5m 2h 1d, bare: seconds */
    OPTION_BYTES,    /* uint64_t: 4096 64KiB 1MiB 2GiB */
    OPTION_CHOICE,   /* int: the index of the word in `choices` */
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
    void *target;      /* unchanged when the option is not given */
    const char *value; /* name of the value in the help: "FILE" */
    const char *help;
    const char *const *choices; /* of OPTION_CHOICE; NULL-terminated */
};

/* Reads argv[1..] and sets *args to the NULL-terminated list of arguments, inside argv.
 * After an error the targets of earlier options are set. */
int options_parse(const struct option_row *rows,
                  int argc,
                  char **argv,
                  char ***args,
                  struct err *err);
/* Returns whether the words contain the option. Call it before options_parse(), which
 * removes the options from argv. */
bool options_has(const struct option_row *rows, char *const *argv, const char *name);
/* Does what `--name value` would do; a flag ignores the value and becomes true. */
int options_set(const struct option_row *row, const char *value, struct err *err);
/* Returns false for an old name: help, manual and completion leave it out. */
bool option_is_listed(const struct option_row *row);
/* Returns the words of argv[1..] without the named options and their values. Each name
 * is that of an option with a value, without --. The list ends with NULL; the caller
 * frees it, the words are borrowed. */
const char **options_without(char *const *argv, const char *const *names);
/* Prints one line per option, in columns. */
void options_print(const struct option_row *rows, FILE *out);

#endif
