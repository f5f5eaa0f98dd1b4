/* model_steps.c - steps of programs that profiled themselves, with their anomalies */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "parsers/reports/model_internal.h"

static const char tag_prefix[] = "tag.";

static const char *const metrics[] = {
    [STEP_MEASURE_COUNT] = "step_count",
    [STEP_MEASURE_SERVICE] = "duration_us",
    [STEP_MEASURE_BUSY] = "step_busy_ratio",
    [STEP_MEASURE_PRELAUNCH] = "step_prelaunch_us",
    [STEP_MEASURE_INTERNAL] = "step_internal_us",
    [STEP_MEASURE_TAIL] = "step_tail_us",
};

/* Returns the steps of the current launch, which are added when they are new. */
static struct report_steps *current(struct report *report)
{
    const struct sample *launch = &report->launch;
    struct report_steps *all = report->steps.items;
    struct report_steps *last =
        report->steps.count ? &all[report->steps.count - 1] : NULL;
    const struct report_work *work =
        (const struct report_work *)report->works.items + launch->work;

    if (last && last->run_id == launch->run_id && last->rank == launch->rank &&
        last->kernel == work->kernel)
        return last;
    last = report_list_add(&report->steps);
    *last = (struct report_steps){.kernel = work->kernel,
                                  .shape = work->shape,
                                  .rank = launch->rank,
                                  .run_id = launch->run_id,
                                  .point = launch->point,
                                  .repeat = launch->repeat,
                                  .anomalies = ""};
    for (size_t i = 0; i < STEP_MEASURES; i++)
        last->measures[i] = NAN;
    return last;
}

void report_add_step_figure(struct report *report, const char *metric, double value)
{
    const struct sample *launch = &report->launch;
    const struct report_work *work =
        (const struct report_work *)report->works.items + launch->work;

    if (!strstr(work->kernel, "step_group_"))
        return;
    for (size_t i = 0; i < COUNT(metrics); i++)
        if (strcmp(metric, metrics[i]) == 0)
            current(report)->measures[i] = value;
    if (text_has_prefix(metric, tag_prefix)) {
        struct report_steps *steps = current(report);

        steps->anomalies = arena_printf(report->arena, "%s%s%s: %.0f", steps->anomalies,
                                        *steps->anomalies ? ", " : "",
                                        metric + strlen(tag_prefix), value);
    }
}

void report_add_analysis(struct report *report,
                         uint64_t run_id,
                         uint32_t rank,
                         const char *path)
{
    struct report_steps *all = report->steps.items;

    for (size_t i = 0; i < report->steps.count; i++)
        if (all[i].run_id == run_id && all[i].rank == rank)
            all[i].analysis_path =
                arena_printf(report->arena, "p%" PRIu64 "/r%" PRIu64 "/%s",
                             all[i].point, all[i].repeat, path);
}

const struct report_steps *report_steps(const struct report *report, size_t *count)
{
    *count = report->steps.count;
    return report->steps.items;
}
