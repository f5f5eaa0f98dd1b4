/* iree_files.h - prints and converts the dumps and profiles of IREE
 *
 * A capture of muster is such a file too when an IREE dump was appended to it. */
#ifndef CLI_CAPTURE_IREE_FILES_H
#define CLI_CAPTURE_IREE_FILES_H

#include <stdbool.h>

#include "lib/base/err.h"

/* Returns true when the first bytes are those of a file of IREE or of a capture. */
bool iree_file_is(const char *path);

/* The next three return an exit code, or -1. Problems in the file are printed and give
 * EXIT_SOME_FAILED. */
int iree_file_inspect(const char *path, bool as_json, bool explain, struct err *err);
/* Writes all tables, and the timeline where there are times, into the folder `out`. */
int iree_file_import(const char *path, const char *out, bool as_jsonl, struct err *err);

enum iree_file_form { IREE_FILE_TRACE, IREE_FILE_CSV, IREE_FILE_JSON };
/* `out` is a file, or a folder for CSV; NULL: stdout. */
int iree_file_export(const char *path,
                     enum iree_file_form form,
                     const char *out,
                     struct err *err);

#endif
