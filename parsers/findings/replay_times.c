#include "parsers/findings/replay_times.h"

#include <math.h>

#include "lib/capture/format/records.h"
#include "parsers/records/task_log.h"
#include "parsers/source/source.h"

/* Returns the task log of a replay, or NULL. */
static const struct text *find_log(const struct source_launch *launch, uint32_t pass)
{
    if (pass == PLAIN_PASS_NUMBER)
        return &launch->plain_log;
    for (size_t i = 0; pass && i < launch->pass_count; i++)
        if (launch->passes[i].number == pass && !launch->passes[i].is_shared)
            return &launch->passes[i].task_log;
    return NULL;
}

/* The task log of a range has the times of all its launches, so a replay of a range has
 * no duration here. */
static void read_duration(struct replay_time *time, const struct source_launch *launch)
{
    const struct text *log = find_log(launch, time->pass);
    struct task_durations durations = {0};

    if (!log || launch->is_range || !log->length || !launch->info.ticks_khz)
        return;
    task_durations_read(&durations, launch->info.chip, (const uint8_t *)log->bytes,
                        log->length);
    if (!durations.has_duration)
        return;
    time->has_duration = true;
    time->started_ns = source_root_ns(launch, durations.start_ticks);
    time->duration_ns =
        (uint64_t)llround(1000 * task_durations_us(&durations, launch->info.ticks_khz));
}

void replay_times_each(const struct source_launch *launch,
                       replay_time_fn *fn,
                       void *arg)
{
    for (size_t i = 0; i < launch->replay_count; i++) {
        const struct source_replay *replay = &launch->replays[i];
        struct replay_time time = {
            .number = replay->number,
            .pass = replay->pass,
            .has_barrier = replay->has_barrier,
            .arrived_ns = (int64_t)replay->arrived_ns + replay->offset.ns,
            .released_ns = (int64_t)replay->released_ns + replay->offset.ns,
            .has_uncertainty = replay->offset.is_known,
            .uncertainty_ns = replay->offset.uncertainty_ns,
        };

        read_duration(&time, launch);
        if (time.has_duration || time.has_barrier)
            fn(&time, arg);
    }
}
