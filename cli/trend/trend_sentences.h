/* trend_sentences.h - the series of a trend that became worse, in sentences */
#ifndef CLI_TREND_TREND_SENTENCES_H
#define CLI_TREND_TREND_SENTENCES_H

#include "cli/trend/trend_nights.h"

/* Returns "point m=1 of kernel add is 3.0 % slower since night-10 (2026-11-17),
 * confirmed", or NULL when the series neither became worse at its last change nor
 * drifts to worse values. A known change does not count. The caller frees it. */
char *trend_sentence(const struct night_trend *row, const struct trend_nights *nights);

struct trend_sentences {
    char **texts; /* the first ones, in the order of the series */
    size_t count; /* of the texts */
    size_t total; /* series that have a sentence */
};

/* Keeps at most `most` sentences. */
void trend_sentences_init(struct trend_sentences *sentences,
                          const struct night_trends *trends,
                          const struct trend_nights *nights,
                          size_t most);
void trend_sentences_clear(struct trend_sentences *sentences);

#endif
