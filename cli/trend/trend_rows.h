/* trend_rows.h - prints the series of a trend as rows, and describes their changes */
#ifndef CLI_TREND_TREND_ROWS_H
#define CLI_TREND_TREND_ROWS_H

#include "cli/trend/trend_nights.h"
#include "cli/view/row_output.h"

struct text;

int trend_rows_print(const struct night_trends *trends,
                     const struct trend_nights *nights,
                     enum row_output_format format,
                     struct err *err);

/* Add the changes of a series: "night-13 +4.02 % confirmed, ..."; its spikes:
 * "night-5, night-9". */
void trend_rows_add_changes(struct text *out,
                            const struct night_trend *row,
                            const struct trend_nights *nights);
/* Adds the nights at which the environment of a card changed: "night-7, night-9". */
void trend_rows_add_environments(struct text *out, const struct trend_nights *nights);
void trend_rows_add_spikes(struct text *out,
                           const struct night_trend *row,
                           const struct trend_nights *nights);

#endif
