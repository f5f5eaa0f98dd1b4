/* row_output.h - rows on stdout, as text, json, jsonl or csv
 *
 * Text is a table aligned to its widest cell, for people. The others are for machines:
 * json is one object {"schema": NAME, "rows": [...]}, jsonl an object a line, csv a
 * header line and RFC 4180 rows. A schema's name ends in its version. */
#ifndef CLI_VIEW_ROW_OUTPUT_H
#define CLI_VIEW_ROW_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/err.h"

enum row_output_format {
    ROW_OUTPUT_TEXT,
    ROW_OUTPUT_JSON,
    ROW_OUTPUT_JSONL,
    ROW_OUTPUT_CSV
};
enum cell_kind { CELL_TEXT, CELL_U64, CELL_I64, CELL_F64, CELL_BOOL };

struct row_output_column {
    const char *name;
    enum cell_kind kind;
};

struct cell {
    enum cell_kind kind; /* must be the column's, unless none */
    bool none;           /* nothing to tell: "-", null, empty */
    union {
        const char *text;
        uint64_t u64;
        int64_t i64;
        double f64;
        bool yes;
    };
};

struct row_output;

int row_output_format_parse(const char *word,
                            enum row_output_format *format,
                            struct err *err);

/* Columns and schema are borrowed. */
struct row_output *row_output_create(enum row_output_format format,
                                     const char *schema,
                                     const struct row_output_column *columns,
                                     size_t column_count,
                                     FILE *file);
void row_output_row(struct row_output *output, const struct cell *cells);
/* Writes what is left, and destroys it; fails when the file could not take it. */
int row_output_finish(struct row_output **output, struct err *err);
/* For a terminal, in place: what programs print and hosts call themselves moves no
 * cursor and breaks no line. Text does so by itself. */
char *row_output_printable(char *words);
/* Destroys it without another word. */
void row_output_drop(struct row_output **output);

#endif
