#include "cli/gate/gate_drift.h"

#include <stdlib.h>

#include "lib/compare/comparison.h"
#include "lib/gate/drifts.h"

enum { NIGHTS = 10 };

static int compare(struct gate_drift *drift,
                   struct row_source *source,
                   const struct gate_settings *settings,
                   const struct compared_base *base,
                   const struct compared_job *fresh,
                   struct err *err)
{
    struct comparison_settings changed = settings->comparison;
    struct comparison *comparison;

    changed.metric = settings->rules.suspects.metric;
    changed.baseline = base->baseline.rule;
    changed.new_job_id = fresh->job_id;
    comparison = comparison_create(&changed);
    int result = compared_jobs_read(comparison, source, base, fresh,
                                    &compared_everything, NIGHTS, err);
    if (result == 0) {
        comparison_judge(comparison);
        drift->texts = drifts_find(comparison, compared_base_name(base), &drift->count);
    }
    comparison_destroy(comparison);
    return result;
}

int gate_drift_read(struct gate_drift *drift,
                    struct row_source *source,
                    const struct gate_settings *settings,
                    const struct compared_job *fresh,
                    struct err *err)
{
    struct compared_base base;
    int result = 0;

    *drift = (struct gate_drift){0};
    if (!settings->gate->anchor[0])
        return 0;
    if (compared_base_find(&base, source, settings->gate->anchor, fresh, err) == 0)
        result = compare(drift, source, settings, &base, fresh, err);
    else if (err->code == ERR_NOT_FOUND)
        drift->is_missing = true;
    else
        result = -1;
    compared_base_clear(&base);
    return result;
}

void gate_drift_clear(struct gate_drift *drift)
{
    for (size_t i = 0; i < drift->count; i++)
        free(drift->texts[i]);
    free(drift->texts);
    *drift = (struct gate_drift){0};
}
