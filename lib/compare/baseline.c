#include "lib/compare/baseline.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

#define DAY_NS (24 * 3600 * 1000000000ull)

struct split {
    uint64_t job_id;
    char *points;
};

struct quarantine {
    char *points, *reason;
};

struct baseline {
    bool frozen;
    uint64_t keep;
    struct baseline_night *nights;
    struct split *splits;
    struct quarantine *quarantines;
    size_t night_count, night_room, split_count, quarantine_count;
};

struct baseline *baseline_create(bool frozen, uint64_t keep)
{
    struct baseline *baseline = xcalloc(1, sizeof(*baseline));

    baseline->frozen = frozen;
    baseline->keep = keep;
    return baseline;
}

void baseline_destroy(struct baseline *baseline)
{
    if (!baseline)
        return;
    for (size_t i = 0; i < baseline->split_count; i++)
        free(baseline->splits[i].points);
    for (size_t i = 0; i < baseline->quarantine_count; i++) {
        free(baseline->quarantines[i].points);
        free(baseline->quarantines[i].reason);
    }
    free(baseline->nights);
    free(baseline->splits);
    free(baseline->quarantines);
    free(baseline);
}

void baseline_add_night(struct baseline *baseline, const struct baseline_night *night)
{
    if (baseline->night_count == baseline->night_room) {
        baseline->night_room = baseline->night_room ? baseline->night_room * 2 : 16;
        baseline->nights = xreallocarray(baseline->nights, baseline->night_room,
                                         sizeof(*baseline->nights));
    }
    baseline->nights[baseline->night_count++] = *night;
}

void baseline_add_split(struct baseline *baseline, uint64_t job_id, const char *points)
{
    baseline->splits = xreallocarray(baseline->splits, baseline->split_count + 1,
                                     sizeof(*baseline->splits));
    baseline->splits[baseline->split_count++] = (struct split){job_id, xstrdup(points)};
}

void baseline_add_quarantine(struct baseline *baseline,
                             const char *points,
                             const char *reason)
{
    baseline->quarantines =
        xreallocarray(baseline->quarantines, baseline->quarantine_count + 1,
                      sizeof(*baseline->quarantines));
    baseline->quarantines[baseline->quarantine_count++] =
        (struct quarantine){xstrdup(points), xstrdup(reason)};
}

size_t baseline_night_count(const struct baseline *baseline)
{
    return baseline->night_count;
}

const struct baseline_night *baseline_night(const struct baseline *baseline,
                                            size_t index)
{
    return &baseline->nights[index];
}

static bool is_before(uint64_t job_id, uint64_t before)
{
    return before == 0 || job_id < before;
}

uint64_t
baseline_level(const struct baseline *baseline, const char *point, uint64_t before)
{
    uint64_t first = 0;

    for (size_t i = 0; i < baseline->split_count; i++) {
        const struct split *split = &baseline->splits[i];

        if (split->job_id > first && is_before(split->job_id, before) &&
            text_matches(point, split->points))
            first = split->job_id;
    }
    return first;
}

/* Returns true when the night is among the newest ones of a level that begins with job
 * `level`. */
static bool is_in_window(const struct baseline *baseline,
                         uint64_t level,
                         uint64_t job_id,
                         uint64_t before)
{
    size_t newer = 0;

    for (size_t i = baseline->night_count; i-- > 0;) {
        const struct baseline_night *night = &baseline->nights[i];

        if (night->job_id < level || night->job_id < job_id)
            return false;
        if (!is_before(night->job_id, before) ||
            !(night->passed || night->job_id == level))
            continue;
        if (night->job_id == job_id)
            return true;
        if (++newer == baseline->keep)
            return false;
    }
    return false;
}

bool baseline_uses(const struct baseline *baseline,
                   const char *point,
                   uint64_t job_id,
                   uint64_t before)
{
    return is_in_window(baseline, baseline_level(baseline, point, before), job_id,
                        before);
}

bool baseline_may_use(const struct baseline *baseline, uint64_t job_id, uint64_t before)
{
    if (is_in_window(baseline, 0, job_id, before))
        return true;
    for (size_t i = 0; i < baseline->split_count; i++)
        if (baseline->splits[i].job_id == job_id && is_before(job_id, before))
            return true;
    return false;
}

const char *baseline_quarantine(const struct baseline *baseline, const char *point)
{
    for (size_t i = 0; i < baseline->quarantine_count; i++)
        if (text_matches(point, baseline->quarantines[i].points))
            return baseline->quarantines[i].reason;
    return NULL;
}

bool baseline_is_stale(const struct baseline *baseline,
                       uint64_t before,
                       uint64_t wall_ns)
{
    uint64_t newest_ns = 0;

    if (baseline->frozen)
        return false;
    for (size_t i = 0; i < baseline->night_count; i++) {
        const struct baseline_night *night = &baseline->nights[i];

        if (night->passed && is_before(night->job_id, before) &&
            night->ended_wall_ns > newest_ns)
            newest_ns = night->ended_wall_ns;
    }
    return wall_ns > newest_ns && wall_ns - newest_ns > BASELINE_EXPIRY_DAYS * DAY_NS;
}
