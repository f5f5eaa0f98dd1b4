/* argument.h - a word of the job file that stands for a parameter of a kernel
 *
 *   in TYPE COUNT [from FILE]        a buffer that the kernel reads
 *   out TYPE COUNT [expect WHAT]     one that it writes; zeros before
 *   inout TYPE COUNT [from FILE] [expect WHAT]
 *   data TYPE VALUE...               a few values in the card's memory, such as a
 * tiling value TYPE VALUE                 the value itself
 *
 * COUNT is a number, or several with a * between them. Without a file the values are
 * small whole numbers that depend on place and parameter. WHAT is sum:HEX, the checksum
 * that the runner prints, or a file of values, with `within SHARE` where they need not
 * be the same to the bit. */
#ifndef RUNNER_ARGUMENT_H
#define RUNNER_ARGUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/text.h"

struct element;

enum { ARGUMENT_WORD_MAX = 512, ARGUMENT_VALUES_MAX = 512 };

enum argument_kind { ARGUMENT_BUFFER, ARGUMENT_DATA, ARGUMENT_VALUE };

struct argument {
    enum argument_kind kind;
    const struct element *element;
    bool is_read, is_written;                                /* of a buffer */
    size_t count, bytes;                                     /* of the values */
    char from[ARGUMENT_WORD_MAX], expect[ARGUMENT_WORD_MAX]; /* files; "": none */
    bool has_sum;
    uint64_t sum;
    double within;
    struct text values; /* of data and value */
};

/* Nothing is kept of the text. Clear it in any case. */
int argument_parse(struct argument *argument, const char *text, struct err *err);
void argument_clear(struct argument *argument);

#endif
