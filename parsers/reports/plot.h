/* plot.h - durations as an inline SVG: a row a shape and kernel, a dot a repeat */
#ifndef PARSERS_REPORTS_PLOT_H
#define PARSERS_REPORTS_PLOT_H

#include <stddef.h>

struct report_series;
struct text;

/* Each row is scaled to the median of its own work: 0 % is that median, so that shapes
 * of very different size can be read side by side. `most` rows at the most. */
void report_plot(const struct report_series *series,
                 size_t count,
                 size_t most,
                 struct text *out);
/* The class of the colour in which a card's dots are drawn. */
const char *report_plot_class(size_t card_position);
/* Text with & < > " ' made harmless. */
void report_escape(struct text *out, const char *text);

#endif
