/* parser.h - what a parser is: a row that says what it reads and makes
 *
 * Each makes one file of a launch out of the same measure, which is read once. */
#ifndef PARSERS_PARSER_H
#define PARSERS_PARSER_H

#include "base/text.h"
#include "parsers/metrics/columns.h"
#include "parsers/metrics/measure.h"

struct parser {
    const char *name;
    const char *reads;
    const char *makes; /* a file in the launch's folder */
    unsigned metrics;  /* enum metric_bits: run for any of these; 0: always */
    size_t table;      /* for those that make one of column_tables() */
    void (*run)(const struct parser *parser,
                const struct measure *measure,
                unsigned metrics,
                struct text *out);
};

/* All of them, ended by NULL, in the order in which they run. */
extern const struct parser *const parsers[];

#endif
