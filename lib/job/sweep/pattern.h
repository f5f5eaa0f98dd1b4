/* pattern.h - texts with ${name} in them, cut once and filled for each point
 *
 * `$${` stands for `${`; any other $ for itself. */
#ifndef LIB_JOB_SWEEP_PATTERN_H
#define LIB_JOB_SWEEP_PATTERN_H

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/text.h"
#include "lib/job/sweep/variable.h"

struct pattern;

/* Lives in the arena, borrows text and variables. When it fails, *offset is where in
 * the text. */
int pattern_parse(const struct pattern **out,
                  const char *text,
                  const struct variables *variables,
                  struct arena *arena,
                  size_t *offset,
                  struct err *err);
/* digits[a]: which value of axis a. */
void pattern_fill(const struct pattern *pattern,
                  const size_t *digits,
                  struct text *out);

/* How many bytes it can have when it is filled. */
size_t pattern_longest(const struct pattern *pattern);

#endif
