/* argument.h - parses a kernel argument of the job file
 *
 * in TYPE COUNT [from FILE]: a buffer that the kernel reads.
 *
 * out TYPE COUNT [expect WHAT]: a buffer that the kernel writes, with zeros before.
 *
 * inout TYPE COUNT [from FILE] [expect WHAT]: a buffer that the kernel reads and
 * writes.
 *
 * data TYPE VALUE...: values in device memory, such as a tiling.
 *
 * value TYPE VALUE: one value that is passed directly.
 *
 * COUNT is a number or a product such as 64*64. Without a file, a buffer has small
 * integers that depend on position and argument number. WHAT is sum:HEX, the checksum
 * that the runner prints, or a file of values. `within SHARE` after a file allows a
 * relative difference. */
#ifndef LIB_JOB_ARGUMENT_ARGUMENT_H
#define LIB_JOB_ARGUMENT_ARGUMENT_H

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
    bool is_read, is_written;                                /* buffers only */
    size_t count, bytes;                                     /* of all values */
    char from[ARGUMENT_WORD_MAX], expect[ARGUMENT_WORD_MAX]; /* files; "": none */
    bool has_sum;
    uint64_t sum;
    double within;
    struct text values; /* for data and value */
};

/* Copies what it needs of the text. Call argument_clear() also after a failure. */
int argument_parse(struct argument *argument, const char *text, struct err *err);
void argument_clear(struct argument *argument);

#endif
