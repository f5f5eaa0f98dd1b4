#include "coordinator/confirmation/rotated_figures.h"

#include <stdlib.h>
#include <string.h>

#include "coordinator/confirmation/confirmation_rotation.h"
#include "coordinator/confirmation/confirmation_text.h"
#include "coordinator/confirmation/rotated_times.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/job/job.h"
#include "lib/store/store_confirmation.h"

static const char transfer[] = "transfer_us_rank_";

struct reading {
    struct store *store;
    const struct store_suspect *suspect;
    struct rotated_times *times;
    struct rotated_time next; /* side and placement of the figures */
};

static int
add_figure(const struct store_point_figure *figure, void *arg, struct err *err)
{
    struct reading *reading = arg;
    struct rotated_time time = reading->next;
    uint64_t peer = PLACED_COMPUTING;

    (void)err;
    if (strncmp(figure->metric, transfer, sizeof(transfer) - 1) == 0 &&
        (!num_parse_u64(figure->metric + sizeof(transfer) - 1, &peer) ||
         peer >= CONFIRMATION_ROTATED_RANKS_MAX))
        return 0;
    if (figure->rank >= CONFIRMATION_ROTATED_RANKS_MAX)
        return 0;
    time.rank = figure->rank;
    time.peer = peer;
    time.repeat = figure->repeat;
    time.us = figure->value;
    char *place = xasprintf("%s:%d", figure->host, figure->card);
    rotated_times_add(reading->times, &time, *figure->serial ? figure->serial : place);
    free(place);
    return 0;
}

static int read_point(struct reading *reading,
                      uint64_t job_id,
                      uint64_t point,
                      struct rotated_time next,
                      struct err *err)
{
    reading->next = next;
    return store_each_rank_figure(reading->store, job_id, point,
                                  reading->suspect->kernel, add_figure, reading, err);
}

static int read_base(struct reading *reading, uint64_t job_id, struct err *err)
{
    const struct rotated_time before = {.side = ROTATED_BEFORE};
    struct suspect_points points;
    int result = suspect_points_find(&points, reading->store, job_id,
                                     reading->suspect->point, err);

    for (size_t i = 0; result == 0 && i < points.count; i++)
        result = read_point(reading, job_id, points.numbers[i], before, err);
    suspect_points_clear(&points);
    return result;
}

/* Returns the placement of a point: 0 as the suspect ran, then the rotated ones; -1 for
 * other points. */
static int placement_of(const struct confirmation_point *at,
                        const struct store_suspect *suspect)
{
    if (at->suspect + 1 != suspect->number)
        return -1;
    return at->place == AB_SUSPECT  ? 0
           : at->place >= AB_PLACES ? at->place - AB_PLACES + 1
                                    : -1;
}

/* Reads the points of the suspect. Without a rotated one *rotated stays false. */
static int read_now(struct reading *reading,
                    uint64_t job_id,
                    const struct job *job,
                    bool *rotated,
                    struct err *err)
{
    struct job_points *points = job_points_create(job);
    struct confirmation_point at;
    struct job_point point;
    int result = 0;

    while (result == 0 && job_points_next(points, &point)) {
        int placement = confirmation_point_read(&at, job, point.values)
                            ? placement_of(&at, reading->suspect)
                            : -1;
        const struct rotated_time now = {.side =
                                             at.fresh ? ROTATED_FRESH : ROTATED_BASE,
                                         .placement = (size_t)placement};

        *rotated |= placement > 0;
        if (placement >= 0)
            result = read_point(reading, job_id, point.index, now, err);
    }
    job_points_destroy(points);
    return result;
}

int rotated_figures_read(struct rotated_times **out,
                         struct store *store,
                         const struct store_confirmation *confirmation,
                         const struct job *job,
                         const struct store_suspect *suspect,
                         struct err *err)
{
    struct reading reading = {store, suspect, rotated_times_create(), {0}};
    bool rotated = false;
    int result = 0;

    if (job_settings(job)->ranks > 1)
        result = read_now(&reading, confirmation->job_id, job, &rotated, err);
    if (result == 0 && rotated)
        result = read_base(&reading, confirmation->base_job_id, err);
    if (result == 0 && rotated)
        *out = reading.times;
    else
        rotated_times_destroy(reading.times);
    return result;
}
