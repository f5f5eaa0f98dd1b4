/* gang_figures.h - the figures of a job on several cards, which its analyses read
 *
 * A launch of the job has one entry per rank. Order of calls: create, add all figures
 * and replays, finish; then the entries are sorted by place (point, repeat, launch,
 * kernel) and rank. All texts are copied. */
#ifndef LIB_GANG_GANG_FIGURES_H
#define LIB_GANG_GANG_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gang_figures;
struct job;

struct gang_figure {
    uint64_t point, repeat, launch;
    uint32_t rank;
    const char *kernel, *metric;
    double value;
    const char *host, *serial; /* of the card; "": unknown */
    int64_t card;
    bool simulated;
    double tick_ns; /* step of the clock of the card; 0: unknown */
};

/* A replay of a launch by one rank. Times are of one clock for all ranks. */
struct gang_replay {
    uint64_t point, repeat, launch;
    uint32_t rank;
    const char *kernel;
    uint64_t number;
    bool in_step;       /* all ranks were released together */
    double duration_us; /* NaN: unknown */
    uint64_t started_ns;
    double uncertainty_us; /* of the comparison of the hosts' clocks; NaN: unknown */
};

/* One rank of a launch. */
struct gang_rank {
    uint64_t point, repeat, launch;
    const char *kernel;
    uint32_t rank;
    const char *card; /* name: its serial number, else HOST:CARD */
    const char *host;
    double duration_us;          /* NaN: not measured */
    double compute_us;           /* NaN: not measured */
    double tick_us;              /* 0: unknown */
    const double *transfer_us;   /* by peer; NaN: not measured; NULL: none is */
    size_t transfer_count;       /* of peers */
    struct gang_replay *replays; /* by number; those without a duration are left out */
    size_t replay_count;
    bool is_range; /* a marked range: other launches are parts of it */
    bool simulated;
};

/* Returns NULL when this version cannot read the job file, or no task of the job has
 * several cards. */
struct gang_figures *gang_figures_create(const char *yaml);
void gang_figures_destroy(struct gang_figures *figures); /* NULL is allowed */

/* Patterns of the metrics that the analyses read; others are ignored. */
#define GANG_FIGURES_METRICS "duration_us|compute_us|transfer_us_rank_*|range_segment"

void gang_figures_add(struct gang_figures *figures, const struct gang_figure *figure);
void gang_figures_add_replay(struct gang_figures *figures,
                             const struct gang_replay *replay);
void gang_figures_finish(struct gang_figures *figures);

const struct job *gang_figures_job(const struct gang_figures *figures);
const struct gang_rank *gang_figures_ranks(const struct gang_figures *figures,
                                           size_t *count);

/* Returns the position of the first entry of this or a later point. */
size_t gang_figures_find_point(const struct gang_figures *figures, uint64_t point);

/* A launch of a task with all its ranks. */
struct gang_launch {
    const struct gang_rank *ranks; /* by rank */
    size_t count;
    bool is_whole; /* every rank of the task has a duration */
};
/* Sets the launch that begins at entry *at, and moves *at behind it. Returns false at
 * the end. */
bool gang_figures_next_launch(const struct gang_figures *figures,
                              size_t *at,
                              struct gang_launch *launch);

#endif
