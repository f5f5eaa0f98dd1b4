/* parser.h - a parser makes one output file of a launch from its findings */
#ifndef PARSERS_RUN_PARSER_H
#define PARSERS_RUN_PARSER_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/text.h"
#include "parsers/findings/findings.h"

struct parser {
    const char *name;
    const char *reads; /* input data, for `muster-parser list` */
    const char *makes; /* file name in the launch's folder */
    unsigned metrics;  /* enum metric_bits: run for any of these metrics; 0: always */
    size_t table;      /* index into column_tables(), for a parser without `write` */
    bool has_advice;   /* the file contains the advice of the launch */
    bool (*has_input)(const struct findings *findings); /* NULL: always */
    void (*write)(const struct findings *findings, struct text *out);
};

/* All parsers in the order in which they run. The last row has no name. */
extern const struct parser parsers[];

/* Returns true when the launch measured a metric of the parser and has its input. */
bool parser_applies(const struct parser *parser, const struct findings *findings);
/* Writes the content of the parser's file. */
void parser_run(const struct parser *parser,
                const struct findings *findings,
                struct text *out);

#endif
