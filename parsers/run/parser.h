/* parser.h - what a parser is: a row that says what it reads and makes
 *
 * Each makes one file of a launch out of the same findings, which are read once. */
#ifndef PARSERS_RUN_PARSER_H
#define PARSERS_RUN_PARSER_H

#include "lib/base/text.h"
#include "parsers/findings/findings.h"
#include "parsers/metrics/columns.h"

struct parser {
    const char *name;
    const char *reads;
    const char *makes; /* a file in the launch's folder */
    unsigned metrics;  /* enum metric_bits: run for any of these; 0: always */
    size_t table;      /* for those that make one of column_tables() */
    bool (*has_input)(const struct findings *findings); /* NULL: always */
    void (*run)(const struct parser *parser,
                const struct findings *findings,
                struct text *out);
};

/* All of them, ended by NULL, in the order in which they run. */
extern const struct parser *const parsers[];

/* Asked for, and there is something to make it of. */
bool parser_applies(const struct parser *parser, const struct findings *findings);

#endif
