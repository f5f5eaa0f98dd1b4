/* heat_table.h - the figures of a metric of a job by point, kernel and card
 *
 * A row is a point without its card and one kernel, a column is a card. A field has the
 * median of one metric over all repeats, ranks and launches there. A point that failed
 * without figures has a row without a kernel. */
#ifndef CLI_ANSWERS_HEAT_TABLE_H
#define CLI_ANSWERS_HEAT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct map;
struct row_source;

struct heat_field {
    double *values, median;
    size_t count, room;
    uint64_t failed; /* tasks */
    uint64_t point;  /* the first one of this shape on this card */
};

struct heat_row {
    char *shape, *kernel;
    uint64_t point; /* the first one of this shape */
    struct heat_field *fields;
    size_t field_room;
    double median, spread; /* of the medians; spread: most / least - 1 */
};

struct heat_card {
    char *host;
    int64_t card;
};

struct heat_table {
    const char *metric, *kernel, *points; /* points: a pattern, or NULL */
    char *unit;
    bool simulated, measured;
    struct heat_row **rows;
    size_t row_count, row_room;
    struct heat_card *cards;
    size_t card_count, card_room;
    struct map *row_of, *card_of, *shape_of; /* values: number + 1 */
};

/* Set metric, kernel (NULL: all) and points, which are borrowed, first. Reads
 * the figures and failed tasks of the job and computes the medians. The caller clears
 * the table, also after an error. */
int heat_table_read(struct heat_table *table,
                    struct row_source *source,
                    uint64_t job_id,
                    struct err *err);
void heat_table_clear(struct heat_table *table);

#endif
