/* expression.h - conditions that select points: `m == 4096 && dtype == bf16`
 *
 *     or         = and ("||" and)*
 *     and        = not ("&&" not)*
 *     not        = "!" not | "(" or ")" | comparison
 *     comparison = operand ("==" | "!=" | "<" | "<=" | ">" | ">=") operand
 *     operand    = name | number | word | "text" | 'text'
 *
 * At least one side of a comparison is a variable of the sweep. Two numbers are
 * compared as numbers (1e3 == 1000), everything else as texts. Texts allow only == and
 * !=. */
#ifndef LIB_JOB_SWEEP_EXPRESSION_H
#define LIB_JOB_SWEEP_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/job/sweep/variable.h"

struct expression;

/* The arena owns the expression, which borrows the names and values of the variables.
 * On failure *offset is the position of the error in the text, in bytes. */
int expression_parse(const struct expression **out,
                     const char *text,
                     const struct variables *variables,
                     struct arena *arena,
                     size_t *offset,
                     struct err *err);
/* digits[a] is the index of the value on axis a. */
bool expression_is_true(const struct expression *expression, const size_t *digits);

#endif
