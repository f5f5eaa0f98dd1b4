/* verdict_filter.h - the list of verdicts of the option --only */
#ifndef CLI_COMPARE_VERDICT_FILTER_H
#define CLI_COMPARE_VERDICT_FILTER_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/compare/comparison.h"

/* Fails when a word between commas is not a verdict. */
int verdict_filter_check(const char *only, struct err *err);
/* An empty list matches every verdict. */
bool verdict_filter_matches(const char *only, enum comparison_outcome outcome);

#endif
