#include "cli/trend/trend_sentences.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/compare/figure.h"

enum { DATE_SIZE = 16 };

static void add_series(struct text *out, const struct night_trend *row)
{
    if (!row->kernel[0])
        text_printf(out, "card %s", row->card);
    else if (row->point[0])
        text_printf(out, "point %s of kernel %s", row->point, row->kernel);
    else
        text_printf(out, "kernel %s", row->kernel);
    if (row->rank && row->rank != FIGURE_OF_ALL_RANKS)
        text_printf(out, " in rank %" PRIu64, row->rank);
    if (row->kernel[0] && row->card[0])
        text_printf(out, " on card %s", row->card);
}

/* Adds "3.0 % slower", or "3.0 % worse (metric l2_hit_rate)". */
static void add_change(struct text *out, const struct night_trend *row, double change)
{
    bool is_duration = text_matches(row->metric, "*duration*");

    text_printf(out, "%.1f %% %s", 100 * expm1(fabs(change)),
                is_duration ? "slower" : "worse");
    if (!is_duration)
        text_printf(out, " (metric %s)", row->metric);
}

/* Adds "night-10 (2026-11-17)". */
static void add_night(struct text *out, const struct trend_night *night)
{
    time_t seconds = (time_t)(night->ended_wall_ns / 1000000000);
    char date[DATE_SIZE];
    struct tm utc;

    text_add(out, night->key);
    if (gmtime_r(&seconds, &utc) && strftime(date, sizeof(date), "%Y-%m-%d", &utc))
        text_printf(out, " (%s)", date);
}

/* Returns the change so that positive is worse. */
static double worse(const struct night_trend *row, double change)
{
    return row->more_is_better ? -change : change;
}

char *trend_sentence(const struct night_trend *row, const struct trend_nights *nights)
{
    const struct trend *trend = &row->trend;
    const struct trend_boundary *last =
        trend->boundary_count ? &trend->boundaries[trend->boundary_count - 1] : NULL;
    struct text text = {0};

    if (last && !last->forced && worse(row, last->change) > 0) {
        add_series(&text, row);
        text_add(&text, " is ");
        add_change(&text, row, last->change);
        text_add(&text, " since ");
        add_night(&text, &nights->nights[last->night]);
        text_add(&text, last->confirmed ? ", confirmed" : ", provisional");
    } else if (night_trend_drifts_from_anchor(row) &&
               worse(row, row->anchor.change) > 0) {
        add_series(&text, row);
        text_add(&text, " is ");
        add_change(&text, row, row->anchor.change);
        text_add(&text, " than the anchor");
    } else if (trend->drifts && worse(row, trend->drift) > 0) {
        add_series(&text, row);
        text_add(&text, " slowly became ");
        add_change(&text, row, trend->drift);
    } else {
        return NULL;
    }
    return text_take(&text);
}

void trend_sentences_init(struct trend_sentences *sentences,
                          const struct night_trends *trends,
                          const struct trend_nights *nights,
                          size_t most)
{
    *sentences = (struct trend_sentences){.texts = xcalloc(most + 1, sizeof(char *))};
    for (size_t i = 0; i < night_trends_count(trends); i++) {
        char *text = trend_sentence(night_trends_row(trends, i), nights);

        if (!text)
            continue;
        sentences->total++;
        if (sentences->count < most)
            sentences->texts[sentences->count++] = text;
        else
            free(text);
    }
}

void trend_sentences_clear(struct trend_sentences *sentences)
{
    for (size_t i = 0; i < sentences->count; i++)
        free(sentences->texts[i]);
    free(sentences->texts);
    *sentences = (struct trend_sentences){0};
}
