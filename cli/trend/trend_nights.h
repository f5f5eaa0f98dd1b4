/* trend_nights.h - finds the nights of a trend and reads their figures */
#ifndef CLI_TREND_TREND_NIGHTS_H
#define CLI_TREND_TREND_NIGHTS_H

#include <stddef.h>
#include <stdint.h>

#include "cli/compare/compared_jobs.h"
#include "lib/compare/trends/night_trends.h"

struct trend_night {
    uint64_t job_id;
    char *key;
    uint64_t ended_wall_ns;
    char *environment_change; /* since the nights before; NULL: none */
};

struct trend_nights {
    struct stored_baseline baseline; /* rule NULL: the nights are jobs of one name */
    char *name;                      /* of the baseline or of the jobs */
    struct trend_night *nights;      /* oldest first */
    size_t count, room;
};

/* Finds the newest `last` nights: those of the baseline of this name, with those that
 * did not pass; else the jobs of this name that are done. NULL: the baseline that the
 * newest job is compared with, else the jobs of its name. */
int trend_nights_find(struct trend_nights *nights,
                      struct row_source *source,
                      const char *name,
                      uint64_t last,
                      struct err *err);
void trend_nights_clear(struct trend_nights *nights);

/* Adds the figures of all nights, and sets the changes of their environments: of points
 * and cards that match the patterns. A card matches by HOST, HOST:CARD or serial
 * number. */
int trend_nights_read(struct trend_nights *nights,
                      struct night_trends *trends,
                      struct row_source *source,
                      const char *points,
                      const char *cards,
                      struct err *err);
/* Adds the figures of the anchor, after those of the nights. */
int trend_nights_read_anchor(const struct compared_base *anchor,
                             struct night_trends *trends,
                             struct row_source *source,
                             const char *points,
                             const char *cards,
                             struct err *err);

#endif
