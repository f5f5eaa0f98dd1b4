/* plot.h - plots of a page: lines and points, heat map, strips, stacked bars, lanes
 *
 * A plot is JSON in the page; the script of the page draws it as SVG in the width that
 * it has. Values that are NaN are left out. Names of any length are shortened, with the
 * full text as a tooltip. All pointers are borrowed for the call. The label of a plot
 * is read by screen readers; ids may be NULL. */
#ifndef LIB_HTML_PLOT_H
#define LIB_HTML_PLOT_H

#include <stdbool.h>
#include <stddef.h>

struct text;

enum html_scale { HTML_SCALE_LINEAR, HTML_SCALE_LOG, HTML_SCALE_TIME };

struct html_axis {
    const char *name;      /* with its unit */
    enum html_scale scale; /* time: milliseconds since 1970, UTC */
};

struct html_series {
    const char *name;
    const double *x, *y;
    const double *low, *high; /* interval of each y, or NULL */
    const char *const *tips;  /* text of each point, or NULL: its x and y */
    size_t count;
    bool has_line;
    bool has_points;
    bool is_hollow; /* hollow points: simulated, provisional */
    bool is_soft;   /* in grey, behind the others: a limit, a model */
};

struct html_mark { /* a line across the plot with a text */
    bool is_vertical;
    double at;
    const char *name;
};

/* Lines and points: a trend, a scaling curve, a roofline. */
struct html_xy {
    const char *id, *label;
    struct html_axis x, y;
    const struct html_series *series;
    size_t series_count;
    const struct html_mark *marks;
    size_t mark_count;
};
void html_plot_xy(struct text *page, const struct html_xy *plot);

enum html_heat_colors {
    HTML_HEAT_CHANGE, /* two colours around 0: slower and faster */
    HTML_HEAT_SHARE,  /* one colour from 0 to the largest value */
};

/* A coloured field for each row and column. */
struct html_heat {
    const char *id, *label;
    enum html_heat_colors colors;
    const char *unit; /* of a value, in the tooltip: "%" */
    unsigned decimals;
    double full; /* the value of the strongest colour; 0: the largest value */
    const char *const *rows;
    size_t row_count;
    const char *const *columns;
    size_t column_count;
    const double *values; /* row by row */
};
void html_plot_heat(struct text *page, const struct html_heat *plot);

/* A row of values: dots, or a box from the first to the third quartile with whiskers
 * and outliers where there are more than 24 values. */
struct html_strip {
    const char *name;
    const char *note; /* at the right end, or NULL */
    const double *values;
    size_t count;
};
struct html_strips {
    const char *id, *label, *unit;
    unsigned decimals;
    bool has_zero; /* the axis contains 0 and shows it */
    const struct html_strip *rows;
    size_t row_count;
};
void html_plot_strips(struct text *page, const struct html_strips *plot);

/* Stacked bars: the parts of a whole for each row. */
struct html_bars {
    const char *id, *label, *unit;
    unsigned decimals;
    const char *const *rows;
    size_t row_count;
    const char *const *parts;
    size_t part_count;
    const double *values; /* row by row */
};
void html_plot_bars(struct text *page, const struct html_bars *plot);

/* Spans of time on a common axis from 0 on, one row per lane. */
struct html_span {
    double start, end;
    const char *tip; /* NULL: the name of the lane with start and end */
};
struct html_lane {
    const char *name;
    bool is_gap; /* idle time, in the colour of a warning */
    struct html_span *spans;
    size_t count;
};
struct html_lanes {
    const char *id, *label, *unit;
    unsigned decimals;
    double end; /* of the axis */
    const struct html_lane *lanes;
    size_t lane_count;
};
void html_plot_lanes(struct text *page, const struct html_lanes *plot);

#endif
