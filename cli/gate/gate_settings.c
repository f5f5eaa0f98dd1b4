#include "cli/gate/gate_settings.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

/* Applies the entries of gate.tolerances that match; the last one counts. */
static void apply_tolerances(struct comparison_rule *rule,
                             const char *point,
                             const char *metric,
                             void *arg)
{
    const struct gate_settings *settings = arg;
    uint64_t bits = (uintptr_t)map_get(settings->tolerances, point);

    for (size_t i = 0; i < settings->gate->tolerance_count; i++) {
        const struct job_tolerance *entry = &settings->gate->tolerances[i];

        if (!(bits >> i & 1) || !text_matches(metric, entry->metric))
            continue;
        if (entry->tolerance >= 0)
            rule->tolerance = entry->tolerance;
        if (entry->better != JOB_BETTER_USUAL)
            rule->more_is_better = entry->better == JOB_BETTER_MORE;
    }
}

/* Stores which entries of gate.tolerances apply to each point. */
static void read_tolerances(struct gate_settings *settings)
{
    struct job_points *points = job_points_create(settings->job);
    struct job_point point;

    settings->tolerances = map_create();
    while (job_points_next(points, &point))
        if (point.tolerances)
            map_put(settings->tolerances, point.text,
                    (void *)(uintptr_t)point.tolerances);
    job_points_destroy(points);
    settings->comparison.rule = apply_tolerances;
    settings->comparison.rule_arg = settings;
}

int gate_settings_init(struct gate_settings *settings,
                       const char *yaml,
                       struct err *err)
{
    struct problems problems = {0};
    const struct job_settings *job;

    *settings = (struct gate_settings){0};
    if (job_parse(&settings->job, yaml, strlen(yaml), &problems) < 0) {
        err_set(err, ERR_INPUT, "the stored job file: %u:%u: %s: %s",
                problems.items[0].line, problems.items[0].column, problems.items[0].key,
                problems.items[0].text);
        problems_clear(&problems);
        return -1;
    }
    job = job_settings(settings->job);
    settings->gate = &job->gate;
    settings->limits = (struct verdict_limits){.alpha = job->gate.alpha,
                                               .discoveries = job->gate.discoveries};
    settings->metrics = xasprintf("%s|" SUSPECT_SIGN_METRICS, job->compare_metric);
    settings->comparison = (struct comparison_settings){
        .metric = settings->metrics,
        .tolerance = job->compare_tolerance,
        .limits = &settings->limits,
    };
    settings->rules = (struct gate_rules){
        .suspects = {.metric = job->compare_metric,
                     .canary = job->gate.canary,
                     .rotated = job_has_rotation(settings->job)},
        .fail = job->gate.fail,
        .causes = job->gate.causes,
        .undecided = job->gate.undecided,
        .confirm = job->gate.confirm.wanted,
    };
    if (job->gate.tolerance_count > 0)
        read_tolerances(settings);
    return 0;
}

void gate_settings_clear(struct gate_settings *settings)
{
    map_destroy(settings->tolerances);
    free(settings->metrics);
    job_destroy(settings->job);
    *settings = (struct gate_settings){0};
}
