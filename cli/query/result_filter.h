/* result_filter.h - selects figures of a job by axis, kernel, metric, card and rank */
#ifndef CLI_QUERY_RESULT_FILTER_H
#define CLI_QUERY_RESULT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/options.h"

struct msg_result_row;
struct msg_task_row;
struct point_axes;

struct result_filter {
    /* options of the command; all zero selects everything */
    struct option_texts where; /* AXIS=VALUE; the values of one axis are alternatives */
    const char *kernel;        /* pattern */
    const char *card;          /* CARD or HOST:CARD */
    const char *rank;          /* a number */

    struct result_condition {
        size_t axis;
        const char *value; /* pattern */
    } * conditions;
    uint64_t rank_number;
    int64_t card_number;
    char host[256]; /* "": any */
};

/* Checks the texts. They are borrowed. */
int result_filter_compile(struct result_filter *filter,
                          const struct point_axes *axes,
                          struct err *err);
void result_filter_clear(struct result_filter *filter);

/* Returns whether the filter selects a point. */
bool result_filter_has_point(const struct result_filter *filter,
                             struct point_axes *axes,
                             uint64_t point);
/* Returns whether the filter selects a figure of a selected point. */
bool result_filter_has_figure(const struct result_filter *filter,
                              const struct msg_result_row *row);
/* Returns whether the filter selects the card of a task. A task that never ran has no
 * card, so it is not selected by a card. */
bool result_filter_has_task(const struct result_filter *filter,
                            const struct msg_task_row *row);

#endif
