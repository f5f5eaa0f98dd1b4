#include "parsers/reports/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "parsers/reports/escape.h"
#include "parsers/reports/model.h"

enum {
    WIDTH = 960,
    LEFT = 330, /* space for the names of the rows */
    RIGHT = 120,
    ROW = 26,
    TOP = 30,
    INNER = WIDTH - LEFT - RIGHT,
    NAME_BYTES = 46,
};

const char *report_plot_class(size_t card_position)
{
    static const char *const classes[] = {"c0", "c1", "c2", "c3",
                                          "c4", "c5", "c6", "c7"};

    return classes[card_position % COUNT(classes)];
}

static bool same_work(const struct report_series *a, const struct report_series *b)
{
    return strcmp(a->shape, b->shape) == 0 && strcmp(a->kernel, b->kernel) == 0;
}

/* Returns the position of a card in the order of first occurrence. */
static size_t position_of(const struct report_series *series, size_t at)
{
    size_t position = 0;

    for (size_t i = 0; i < at; i++) {
        bool first = true;

        if (series[i].card == series[at].card &&
            strcmp(series[i].host, series[at].host) == 0)
            return position_of(series, i);
        for (size_t j = 0; j < i && first; j++)
            first = series[j].card != series[i].card ||
                    strcmp(series[j].host, series[i].host) != 0;
        position += first;
    }
    return position;
}

/* Returns the deviation of a value from the median of all cards, which is the median of
 * the series divided by its ratio. */
static double deviation(const struct report_series *series, double value_us)
{
    double base = series->ratio > 0 ? series->median_us / series->ratio : 0;

    return base > 0 ? value_us / base - 1 : 0;
}

static double find_range(const struct report_series *series, size_t count)
{
    double most = 0.005; /* at least 0.5 %: a smaller range would only show noise */

    for (size_t i = 0; i < count; i++) {
        double low = fabs(deviation(&series[i], series[i].values_us[0]));
        double high =
            fabs(deviation(&series[i], series[i].values_us[series[i].count - 1]));

        most = fmax(most, fmax(low, high));
    }
    return most * 1.08;
}

static double x_of(double part, double range)
{
    return LEFT + INNER / 2.0 + part / range * INNER / 2.0;
}

static void draw_grid(struct text *out, double range, int height)
{
    for (int step = -2; step <= 2; step++) {
        double part = range / 1.08 * step / 2;
        double x = x_of(part, range);
        char label[32] = "0";

        if (step)
            snprintf(label, sizeof(label), "%+.1f", part * 100);
        text_printf(out,
                    "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>"
                    "<text class=\"tick\" x=\"%.1f\" y=\"%d\">%s %%</text>\n",
                    step ? "grid" : "zero", x, x, TOP - 6, height - 4, x, TOP - 12,
                    label);
    }
}

static void draw_row_name(struct text *out, const struct report_series *first, int y)
{
    char name[512];

    snprintf(name, sizeof(name), "%s  %s", first->kernel, first->shape);
    text_printf(out, "<text class=\"name\" x=\"%d\" y=\"%d\"><title>", LEFT - 14,
                y + 4);
    escape_xml(out, name);
    text_add(out, "</title>");
    if (strlen(name) > NAME_BYTES)
        snprintf(name + NAME_BYTES - 1, 4, "%s", "\u2026");
    escape_xml(out, name);
    text_add(out, "</text>\n");
}

static void draw_dots(struct text *out,
                      const struct report_series *series,
                      double range,
                      double y,
                      const char *class)
{
    for (size_t i = 0; i < series->count; i++) {
        text_printf(out,
                    "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.6\"><title>",
                    class, x_of(deviation(series, series->values_us[i]), range), y);
        escape_xml(out, series->host);
        text_printf(out, " card %llu: %.3f us</title></circle>",
                    (unsigned long long)series->card, series->values_us[i]);
    }
    text_printf(
        out,
        "<line class=\"mid %s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
        class, x_of(deviation(series, series->median_us), range),
        x_of(deviation(series, series->median_us), range), y - 6, y + 6);
}

void report_plot(const struct report_series *series,
                 size_t count,
                 size_t most,
                 struct text *out)
{
    size_t rows = 0, shown = 0;

    for (; shown < count; shown++) {
        if (shown == 0 || !same_work(&series[shown - 1], &series[shown]))
            rows++;
        if (rows > most) {
            rows = most;
            break;
        }
    }
    double range = find_range(series, shown);
    int height = TOP + (int)rows * ROW + 10;

    text_printf(out,
                "<svg role=\"img\" aria-label=\"durations by point and card\" "
                "viewBox=\"0 0 %d %d\">\n",
                WIDTH, height);
    draw_grid(out, range, height);
    int y = TOP - ROW / 2;
    for (size_t i = 0; i < shown; i++) {
        size_t position = position_of(series, i);

        if (i == 0 || !same_work(&series[i - 1], &series[i])) {
            y += ROW;
            draw_row_name(out, &series[i], y);
            text_printf(out, "<text class=\"value\" x=\"%d\" y=\"%d\">%.2f us</text>\n",
                        WIDTH - RIGHT + 14, y + 4,
                        series[i].ratio > 0 ? series[i].median_us / series[i].ratio
                                            : 0);
        }
        draw_dots(out, &series[i], range, y - 4 + 8 * (double)(position % 2),
                  report_plot_class(position));
    }
    text_add(out, "</svg>\n");
}
