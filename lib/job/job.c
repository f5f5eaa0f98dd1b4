#include "lib/job/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/capture/counter_schedule.h"
#include "lib/capture/soc_facts.h"
#include "lib/capture/vendor_simulator.h"
#include "lib/job/job_internal.h"
#include "lib/job/sweep/shuffle.h"
#include "lib/verdict/cause/pair_order.h"

void job_destroy(struct job *job)
{
    if (!job)
        return;
    sweep_clear(&job->sweep);
    arena_destroy(job->arena);
    free(job);
}

const struct job_settings *job_settings(const struct job *job)
{
    return &job->settings;
}

bool job_has_overrides(const struct job *job)
{
    return job->override_count > 0;
}

size_t job_variable_count(const struct job *job)
{
    return job->sweep.variables.count;
}

const char *job_variable_name(const struct job *job, size_t variable)
{
    return job->sweep.variables.items[variable].name;
}

bool job_variable_is_used(const struct job *job, size_t variable)
{
    return job->sweep.variables.used[variable] ||
           (job->has_cards && variable + 1 == job->sweep.variables.count);
}

size_t job_exclude_count(const struct job *job)
{
    return job->sweep.exclude_count;
}

bool job_exclude_is_used(const struct job *job, size_t exclude)
{
    return job->sweep.excludes_used && job->sweep.excludes_used[exclude];
}

size_t job_override_count(const struct job *job)
{
    return job->override_count;
}

uint64_t job_point_count(const struct job *job)
{
    return job->sweep.points;
}

uint64_t job_task_count(const struct job *job)
{
    return job->sweep.points * job->settings.repeat;
}

size_t job_variable_axis(const struct job *job, size_t variable)
{
    return job->sweep.variables.items[variable].axis;
}

size_t job_ranks_variable(const struct job *job)
{
    return job->ranks ? (size_t)(job->ranks - job->sweep.variables.items) : SIZE_MAX;
}

uint64_t job_point_ranks(const struct job *job, uint64_t point)
{
    size_t digits[JOB_AXES_MAX];

    if (!job->ranks)
        return job->settings.ranks;
    sweep_find(&job->sweep, point, digits);
    return (uint64_t)job->ranks->values[digits[job->ranks->axis]].number;
}

size_t job_part_variable(const struct job *job)
{
    return job->part ? (size_t)(job->part - job->sweep.variables.items) : SIZE_MAX;
}

size_t job_point_shift(const struct job *job, uint64_t point)
{
    size_t digits[JOB_AXES_MAX];

    if (!job->shift)
        return 0;
    sweep_find(&job->sweep, point, digits);
    return (size_t)job->shift->values[digits[job->shift->axis]].number;
}

bool job_has_rotation(const struct job *job)
{
    return job->shift != NULL;
}

bool job_has_pairs(const struct job *job)
{
    return job->pair != NULL;
}

/* Returns true when the points of this repeat run forwards. */
static bool runs_forwards(const struct job_settings *settings, uint64_t repeat)
{
    uint64_t session = 0, count;

    while (session < settings->sessions &&
           repeat >= (count = pair_order_count(settings->repeat, settings->sessions,
                                               session))) {
        repeat -= count;
        session++;
    }
    return pair_order_base_first(session, repeat);
}

struct job_task job_task_at(const struct job *job, uint64_t n)
{
    uint64_t points = job->sweep.points, repeat = job->settings.repeat;

    switch (job->settings.order) {
    case JOB_INTERLEAVED:
        return (struct job_task){n % points, n / points};
    case JOB_BALANCED: {
        uint64_t point = n % points;

        if (!runs_forwards(&job->settings, n / points))
            point = points - 1 - point;
        return (struct job_task){point, n / points};
    }
    case JOB_RANDOM:
        n = shuffle_at(n, points * repeat, job->settings.seed);
        break;
    }
    return (struct job_task){n / repeat, n % repeat};
}

bool job_place_parse(const char *place, char *host, size_t size, uint32_t *card)
{
    const char *colon = strrchr(place, ':');
    uint64_t number;

    if (!colon || colon == place || (size_t)(colon - place) >= size ||
        !num_parse_u64(colon + 1, &number) || number > INT32_MAX)
        return false;
    snprintf(host, size, "%.*s", (int)(colon - place), place);
    *card = (uint32_t)number;
    return true;
}

const char *job_replay_word(int replay)
{
    static const char *const words[] = {[JOB_REPLAY_KERNEL] = "kernel",
                                        [JOB_REPLAY_APPLICATION] = "application",
                                        [JOB_REPLAY_RANGE] = "range"};

    return words[replay];
}

const char *job_tool_word(int tool)
{
    static const char *const words[] = {
        [JOB_TOOL_NPU] = "npu",
        [JOB_TOOL_IREE] = "iree",
        [JOB_TOOL_XPTI] = "xpti",
        [JOB_TOOL_FRAMEWORK] = "framework",
        [JOB_TOOL_SIMULATOR] = "simulator",
    };

    return words[tool];
}

bool job_collects_files(int tool)
{
    return tool == JOB_TOOL_IREE || tool == JOB_TOOL_FRAMEWORK;
}

const char *job_files_key(int tool)
{
    return tool == JOB_TOOL_FRAMEWORK ? "collect" : "dump";
}

bool job_is_measured(const struct job_settings *settings)
{
    return settings->metrics.count > 0 || settings->tool != JOB_TOOL_NPU;
}

/* Returns the chip of the first model that matches the pattern. If none matches, the
 * pattern may be the exact name of another model; otherwise any model is assumed. */
static enum chip chip_of_pattern(const char *soc, const char **name)
{
    const char *model = soc_first_match(soc);

    if (!model && chip_of_soc(soc) != CHIP_UNKNOWN)
        model = soc;
    *name = model ? model : soc_first_match("*");
    return chip_of_soc(*name);
}

/* Returns the number of marked ranges that have a launch count of their own. */
static uint64_t count_ranges(const struct job_settings *settings)
{
    uint64_t count = 1;

    for (const char *at = settings->launch_range; *at; at++)
        count += *at == '\n';
    return count;
}

/* Adds the launches and time limits of `times` points with these settings. */
static void
add_point(struct job_forecast *out, const struct job_settings *settings, uint64_t times)
{
    uint64_t tasks = times * settings->repeat;

    if (settings->metrics.count > 0)
        out->launches += tasks * settings->ranks * count_ranges(settings) *
                         (settings->launch_count ? settings->launch_count : 1) *
                         (1 + settings->warmup + out->passes);
    out->limit_ms += tasks * settings->time_ms;
}

static void add_points(struct job_forecast *out, const struct job *job)
{
    struct job_point point;

    if (job->override_count == 0 && !job->ranks) {
        add_point(out, &job->settings, job_point_count(job));
        return;
    }
    struct job_points *points = job_points_create(job);
    while (job_points_next(points, &point))
        add_point(out, point.settings, 1);
    job_points_destroy(points);
}

int job_check_model(const struct job *job, const char *model, struct err *err)
{
    const struct job_settings *settings = &job->settings;
    enum chip chip = chip_of_soc(model);

    if (chip == CHIP_UNKNOWN || settings->metrics.count == 0 ||
        metrics_check(chip, settings->metric_bits, err) == 0)
        return 0;
    return err_wrap(err, "profile.metrics");
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value ? value : "";
}

/* Returns whether the first point has another runtime, with a simulator of its own. */
static bool has_own_runtime(const struct job *job)
{
    struct job_points *points = job_points_create(job);
    struct job_point point;
    bool found = false;

    if (job_points_next(points, &point))
        for (size_t i = 0; i < point.env.count; i++)
            found |=
                text_has_prefix(point.env.items[i], VENDOR_SIMULATOR_VARIABLE "=") ||
                text_has_prefix(point.env.items[i], "ASCEND_HOME_PATH=");
    job_points_destroy(points);
    return found;
}

int job_check_vendor_simulator(const struct job *job,
                               const char *model,
                               struct err *err)
{
    struct vendor_simulator found;

    if (job->settings.tool != JOB_TOOL_SIMULATOR || has_own_runtime(job))
        return 0;
    return vendor_simulator_find(&found, model, variable(VENDOR_SIMULATOR_VARIABLE),
                                 variable("ASCEND_HOME_PATH"), err) < 0
               ? err_wrap(err, "profile.tool")
               : 0;
}

int job_forecast(const struct job *job,
                 const char *model,
                 struct job_forecast *out,
                 struct err *err)
{
    const struct job_settings *settings = &job->settings;
    struct counter_schedule schedule;
    const char *name;
    enum chip chip = chip_of_pattern(settings->soc, &name);

    if (model && chip_of_soc(model) != CHIP_UNKNOWN) {
        chip = chip_of_soc(model);
        name = model;
    }
    if (job_check_model(job, name, err) < 0 ||
        counter_schedule_pack(chip, settings->metric_bits, &schedule, err) < 0)
        return -1;
    *out = (struct job_forecast){
        .points = job_point_count(job),
        .tasks = job_task_count(job),
        .has_dumps = job_collects_files(settings->tool),
        .is_traced = settings->tool == JOB_TOOL_XPTI,
        .is_simulation = settings->tool == JOB_TOOL_SIMULATOR,
        .passes = settings->metrics.count == 0
                      ? 0 /* the program runs without a measurement */
                      : counter_schedule_executions(&schedule),
    };
    snprintf(out->chip, sizeof(out->chip), "%s", name);
    add_points(out, job);
    return 0;
}
