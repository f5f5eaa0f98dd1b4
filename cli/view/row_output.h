/* row_output.h - writes rows as text, json, jsonl or csv
 *
 * The text format is an aligned table for people. The others are machine-readable: json
 * is one object {"schema": NAME, "rows": [...]}, jsonl one object per line, csv a
 * header line and RFC 4180 rows. The name of a schema ends in its version. */
#ifndef CLI_VIEW_ROW_OUTPUT_H
#define CLI_VIEW_ROW_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/view/line_fit.h"
#include "lib/base/err.h"
#include "lib/base/text.h"

enum row_output_format {
    ROW_OUTPUT_TEXT,
    ROW_OUTPUT_JSON,
    ROW_OUTPUT_JSONL,
    ROW_OUTPUT_CSV
};
/* CELL_WIDE is an id or a time that can exceed 2^53: a u64, in JSON a text of digits.
 */
enum cell_kind { CELL_TEXT, CELL_U64, CELL_WIDE, CELL_I64, CELL_F64, CELL_BOOL };

struct row_output_column {
    const char *name;
    enum cell_kind kind;
};

struct cell {
    enum cell_kind kind; /* must be the column's, unless none */
    bool none;           /* no value: "-", null or empty */
    union {
        const char *text;
        uint64_t u64;
        int64_t i64;
        double f64;
        bool yes;
    };
};

struct row_output;

int row_output_format_parse(const char *name,
                            enum row_output_format *format,
                            struct err *err);

/* Columns and schema are borrowed. */
struct row_output *row_output_create(enum row_output_format format,
                                     const char *schema,
                                     const struct row_output_column *columns,
                                     size_t column_count,
                                     FILE *file);
/* Limits the lines of the text format to `width` characters: long cells lose their
 * middle, and columns are left out. `fits` has an element for each column, of which
 * can_shorten and drop_rank are read; borrowed. `hint` ends the note on stderr about
 * columns that are left out. */
void row_output_fit(struct row_output *output,
                    size_t width,
                    const struct line_fit_column *fits,
                    const char *hint);
void row_output_row(struct row_output *output, const struct cell *cells);
/* Appends a row to `out` as one JSON object. */
void row_output_json(struct text *out,
                     const struct row_output_column *columns,
                     size_t column_count,
                     const struct cell *cells);
/* Writes the rest and destroys the output. Fails when the file cannot be written. */
int row_output_finish(struct row_output **output, struct err *err);
/* Replaces control characters in place, so that a text from outside cannot move the
 * cursor or break a line. The text format does this for each cell. */
char *row_output_printable(char *text);
/* Destroys the output without writing the rest. */
void row_output_destroy(struct row_output **output);

#endif
