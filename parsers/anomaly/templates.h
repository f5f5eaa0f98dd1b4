/* templates.h - the sequence of kernel types of a step, to find steps of the same shape
 */
#ifndef PARSERS_ANOMALY_TEMPLATES_H
#define PARSERS_ANOMALY_TEMPLATES_H

#include <stddef.h>
#include <stdint.h>

#include "parsers/framework/kernel_list.h"

/* Returns the token of each kernel: its type, or its name without numbers. A shadow has
 * the token 0. The caller frees the array. */
uint32_t *template_tokens(const struct kernel_list *kernels);

/* How alike two sequences are: twice the number of common neighbours, divided by the
 * number of neighbours in both. 1 for two sequences without neighbours. */
double
template_likeness(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count);

#endif
