/* pattern.h - texts with ${name}, parsed once and filled in for each point
 *
 * `$${` gives a plain `${`; any other $ is copied. */
#ifndef LIB_JOB_SWEEP_PATTERN_H
#define LIB_JOB_SWEEP_PATTERN_H

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/text.h"
#include "lib/job/sweep/variable.h"

struct pattern;

/* The arena owns the pattern, which borrows the text and the variables. On failure
 * *offset is the position of the error in the text, in bytes. */
int pattern_parse(const struct pattern **out,
                  const char *text,
                  const struct variables *variables,
                  struct arena *arena,
                  size_t *offset,
                  struct err *err);
/* Appends the filled text to `out`. digits[a] is the index of the value on axis a. */
void pattern_fill(const struct pattern *pattern,
                  const size_t *digits,
                  struct text *out);

/* Returns the length in bytes with the longest value of each variable. */
size_t pattern_longest(const struct pattern *pattern);

#endif
