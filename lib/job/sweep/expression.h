/* expression.h - which points to leave out: `m == 4096 && dtype == bf16`
 *
 *     any        = all ("||" all)*
 *     all        = not ("&&" not)*
 *     not        = "!" not | "(" any ")" | comparison
 *     comparison = operand ("==" | "!=" | "<" | "<=" | ">" | ">=") operand
 *     operand    = name | number | word | "text" | 'text'
 *
 * At least one side of a comparison is a name that the sweep has. Two numbers are
 * compared as numbers (1e3 == 1000), all else as texts, and texts only by == and !=. */
#ifndef LIB_JOB_SWEEP_EXPRESSION_H
#define LIB_JOB_SWEEP_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/job/sweep/variable.h"

struct expression;

/* The expression lives in the arena and borrows the variables' names and values. When
 * it fails, *offset is where in the text. */
int expression_parse(const struct expression **out,
                     const char *text,
                     const struct variables *variables,
                     struct arena *arena,
                     size_t *offset,
                     struct err *err);
/* digits[a]: which value of axis a. */
bool expression_is_true(const struct expression *expression, const size_t *digits);

#endif
