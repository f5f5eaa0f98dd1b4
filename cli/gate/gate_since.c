#include "cli/gate/gate_since.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/compare/job_name.h"
#include "lib/base/mem.h"

enum { NIGHTS_MOST = 10, DATE_SIZE = 16 };

struct night {
    uint64_t job_id, submitted_wall_ns;
    char *key;
};

/* The jobs before the new one that are nights, newest first. */
struct nights {
    const struct compared_base *base;
    const struct compared_job *fresh;
    char *name; /* of the new job */
    struct night list[NIGHTS_MOST + 1];
    size_t count;
};

struct suspect_nights {
    size_t count;               /* nights in a row that show the suspect */
    const struct night *oldest; /* of them */
    bool ended;                 /* a night did not show it */
};

static bool is_night(const struct nights *nights, const struct msg_job_row *job)
{
    const struct baseline *baseline = nights->base->baseline.rule;

    if (job->job_id >= nights->fresh->job_id)
        return false;
    if (!baseline)
        return job->job_id > nights->base->job.job_id &&
               job_has_name(job->job_key, nights->name);
    for (size_t i = 0; i < baseline_night_count(baseline); i++)
        if (baseline_night(baseline, i)->job_id == job->job_id)
            return true;
    return false;
}

static void keep_night(const void *row, void *arg)
{
    const struct msg_job_row *job = row;
    struct nights *nights = arg;
    size_t at = nights->count;

    if (!is_night(nights, job))
        return;
    for (; at > 0 && nights->list[at - 1].job_id < job->job_id; at--)
        nights->list[at] = nights->list[at - 1];
    nights->list[at] =
        (struct night){job->job_id, job->submitted_wall_ns, xstrdup(job->job_key)};
    if (nights->count < NIGHTS_MOST)
        nights->count++;
    else
        free(nights->list[NIGHTS_MOST].key);
}

static void clear_nights(struct nights *nights)
{
    for (size_t i = 0; i < nights->count; i++)
        free(nights->list[i].key);
    free(nights->name);
}

/* A night without a value of the cell does not show it. */
static bool is_as_slow(const struct comparison_row *night,
                       const struct comparison_row *cell)
{
    double change = night ? log(night->new_median / cell->base_median) : NAN;

    return (cell->more_is_better ? -change : change) >= cell->margin;
}

/* Reads a night, and counts it for the suspects that all later nights show. Returns
 * their number, or -1. */
static long read_night(const struct gate *gate,
                       const struct night *night,
                       struct suspect_nights *found,
                       struct row_source *source,
                       struct err *err)
{
    struct comparison *comparison = comparison_create(
        &(struct comparison_settings){.metric = gate_rules(gate)->suspects.metric});
    size_t count;
    const struct suspect *suspects = gate_suspects(gate, &count);
    long left = compared_night_read(comparison, source, night->job_id, err);

    if (left == 0) {
        comparison_judge(comparison);
        struct comparison_row *rows = suspects_sort(comparison);
        size_t row_count = comparison_count(comparison);

        for (size_t i = 0; i < count; i++) {
            const struct comparison_row *cell = &suspects[i].cell;

            found[i].ended =
                found[i].ended ||
                !is_as_slow(suspects_find_cell(rows, row_count, cell), cell);
            if (found[i].ended)
                continue;
            found[i].count++;
            found[i].oldest = night;
            left++;
        }
        free(rows);
    }
    comparison_destroy(comparison);
    return left;
}

static char *describe(const struct night *night)
{
    time_t seconds = (time_t)(night->submitted_wall_ns / 1000000000);
    char date[DATE_SIZE];
    struct tm utc;

    if (!gmtime_r(&seconds, &utc) || !strftime(date, sizeof(date), "%Y-%m-%d", &utc))
        return xstrdup(night->key);
    return xasprintf("%s (%s)", night->key, date);
}

static void
set_since(struct gate *gate, const struct suspect_nights *found, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!found[i].oldest)
            continue;
        char *since = describe(found[i].oldest);

        gate_set_since(gate, i, found[i].count, since);
        free(since);
    }
}

int gate_since_read(struct gate *gate,
                    struct row_source *source,
                    const struct compared_base *base,
                    const struct compared_job *fresh,
                    struct err *err)
{
    struct nights nights = {.base = base, .fresh = fresh};
    struct suspect_nights *found;
    long left = 1;
    size_t count;

    gate_suspects(gate, &count);
    if (count == 0)
        return 0;
    nights.name = job_name_of(fresh->key);
    found = xcalloc(count, sizeof(*found));
    if (row_source_uncounted_jobs(source, keep_night, &nights, err) < 0)
        left = -1;
    for (size_t i = 0; left > 0 && i < nights.count; i++)
        left = read_night(gate, &nights.list[i], found, source, err);
    if (left >= 0)
        set_since(gate, found, count);
    free(found);
    clear_nights(&nights);
    return left < 0 ? -1 : 0;
}
