/* plot.h - durations as inline SVG: a row per kernel and shape, a dot per repeat */
#ifndef PARSERS_REPORTS_PLOT_H
#define PARSERS_REPORTS_PLOT_H

#include <stddef.h>

struct report_series;
struct text;

/* Draws at most `most` rows. Each row is scaled to the median of its own kernel and
 * shape (0 %), so that shapes of very different size can be compared. */
void report_plot(const struct report_series *series,
                 size_t count,
                 size_t most,
                 struct text *out);
/* Returns the CSS class that colours the dots of a card. */
const char *report_plot_class(size_t card_position);

#endif
