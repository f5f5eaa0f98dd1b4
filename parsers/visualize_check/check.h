/* check.h - checks a visualize_data.bin against the rules of MindStudio Insight
 *
 * The rules describe the reader, not our writer: a file of ours that breaks a rule is
 * wrong. */
#ifndef PARSERS_VISUALIZE_CHECK_CHECK_H
#define PARSERS_VISUALIZE_CHECK_CHECK_H

#include "parsers/visualize_check/check_problem.h"

/* Calls fn for each problem. Returns the number of errors, without the warnings. */
size_t visualize_check(const uint8_t *bytes, size_t size, check_fn *fn, void *arg);

#endif
