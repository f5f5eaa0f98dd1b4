/* file_kinds.h - the kinds of result files that `muster fetch --only` selects */
#ifndef CLI_FETCH_FILE_KINDS_H
#define CLI_FETCH_FILE_KINDS_H

#include <stdbool.h>

#include "lib/base/err.h"

enum {
    FILE_KIND_BIN = 1,
    FILE_KIND_CSV = 2,
    FILE_KIND_TRACE = 4,
    FILE_KIND_REPORT = 8,
    FILE_KINDS_ALL = -1, /* also files of no kind */
};

/* Reads a list such as "bin,csv". Returns ERR_INPUT for an unknown kind. */
int file_kinds_parse(int *kinds, const char *list, struct err *err);
/* Returns true when the file has one of these kinds. */
bool file_kinds_match(int kinds, const char *path);

#endif
