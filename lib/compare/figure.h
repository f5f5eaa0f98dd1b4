/* figure.h - a figure of a job, and its identity across jobs
 *
 * The number of a point changes when the sweep changes, and a card moves between slots.
 * A figure is identified by the values of its point, its kernel, rank and metric, and
 * the serial number of the card when the job pins its cards (`cards.ids`). */
#ifndef LIB_COMPARE_FIGURE_H
#define LIB_COMPARE_FIGURE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/compare/cell_identities.h"

/* The rank of a figure of all ranks together. */
#define FIGURE_OF_ALL_RANKS UINT64_MAX

struct comparison_figure {
    const char *point;
    uint64_t repeat;
    uint64_t rank;
    const char *host,
        *serial;  /* an empty serial: the card is named by host and number */
    int64_t card; /* negative: the figure belongs to no card */
    const char *kernel, *metric, *unit;
    double value;
    bool simulated;
    double tick_ns;     /* step of the clock of the card; 0: unknown */
    const char *method; /* method.h; NULL: unknown */
};

/* Computes identities. It keeps the keys of points: each point has many figures, and
 * its key takes longer than the search for it. It also stores each text of a figure
 * once and numbers it. */
struct figure_keys;

/* `point` is valid until the keys are destroyed, the others until the next figure. */
struct figure_identity {
    const char *point; /* point_key.h */
    const char *card;  /* "": the job does not pin its cards */
    const char *key;   /* of the whole identity */
};

/* The same identity as numbers: equal numbers are equal texts. */
struct figure_numbers {
    struct cell_identity cell; /* numbers of figure_text() */
    uint32_t task_point;       /* number of figure_task_point() */
};

struct figure_keys *figure_keys_create(void);
void figure_keys_destroy(struct figure_keys *keys); /* NULL is allowed */

/* Returns the serial number of the card, else HOST:CARD; "": it belongs to no card. The
 * text is valid until the next figure. */
const char *figure_card_name(struct figure_keys *keys,
                             const struct comparison_figure *figure);
/* Returns the number of the text of a point in a job. */
uint32_t figure_task_point_number(struct figure_keys *keys, const char *point);
struct figure_numbers figure_numbers_of(struct figure_keys *keys,
                                        const struct comparison_figure *figure);
/* Returns the number of any other text of a figure. */
uint32_t figure_text_number(struct figure_keys *keys, const char *text);
/* Return the text of a number. It is valid until the keys are destroyed. */
const char *figure_task_point(const struct figure_keys *keys, uint32_t number);
const char *figure_text(const struct figure_keys *keys, uint32_t number);

/* The texts of the figure must stay valid as long as the identity. */
struct figure_identity figure_identity_of(struct figure_keys *keys,
                                          const struct comparison_figure *figure);

#endif
