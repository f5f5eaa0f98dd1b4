/* text_plot.h - a plot of a series in one line of text */
#ifndef CLI_TREND_TEXT_PLOT_H
#define CLI_TREND_TEXT_PLOT_H

#include <stdbool.h>
#include <stddef.h>

struct text;

/* Adds at most `width` characters from the smallest to the largest value: blocks of
 * eight heights, or _ . - = * # without UTF-8. The heights span at least 2 % of the
 * value. When there are more values, a character is the median of its values. A
 * character without a value is a blank. */
void text_plot_add(struct text *out,
                   const double *values,
                   size_t count,
                   size_t width,
                   bool utf8);

#endif
