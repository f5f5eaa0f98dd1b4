#include "cli/compare/stored_baseline.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

struct search {
    const char *name;
    struct stored_baseline *found;
};

static void keep_rule(const void *row, void *arg)
{
    const struct msg_baseline_row *baseline = row;
    struct search *search = arg;

    if (strcmp(baseline->name, search->name) != 0)
        return;
    search->found->name = xstrdup(baseline->name);
    search->found->keep = baseline->keep;
    search->found->rule = baseline_create(baseline->frozen, baseline->keep);
}

static void add_night(const void *row, void *arg)
{
    const struct msg_baseline_night_row *night = row;

    if (strcmp(night->state, "done") != 0)
        return; /* the job is measured or parsed again */
    baseline_add_night(arg,
                       &(struct baseline_night){.job_id = night->job_id,
                                                .passed = night->passed,
                                                .ended_wall_ns = night->ended_wall_ns,
                                                .gated = night->gated,
                                                .equal_cells = night->equal_cells,
                                                .false_alarms = night->false_alarms});
}

static void add_split(const void *row, void *arg)
{
    const struct msg_baseline_split_row *split = row;

    baseline_add_split(arg, split->job_id, split->points);
}

static void add_quarantine(const void *row, void *arg)
{
    const struct msg_quarantine_row *quarantine = row;

    if (quarantine->nights_left > 0)
        baseline_add_quarantine(arg, quarantine->points, quarantine->reason);
}

int stored_baseline_find(struct stored_baseline *baseline,
                         struct row_source *source,
                         const char *name,
                         struct err *err)
{
    static const struct {
        enum message_type row;
        client_row_fn *add;
    } parts[] = {
        {MSG_BASELINE_NIGHT_ROW, add_night},
        {MSG_BASELINE_SPLIT_ROW, add_split},
        {MSG_QUARANTINE_ROW, add_quarantine},
    };
    struct search search = {name, baseline};

    *baseline = (struct stored_baseline){0};
    if (row_source_baselines(source, MSG_BASELINE_ROW, "", keep_rule, &search, err) < 0)
        return -1;
    for (size_t i = 0; baseline->rule && i < COUNT(parts); i++)
        if (row_source_baselines(source, parts[i].row, name, parts[i].add,
                                 baseline->rule, err) < 0) {
            stored_baseline_clear(baseline);
            return -1;
        }
    return 0;
}

void stored_baseline_clear(struct stored_baseline *baseline)
{
    baseline_destroy(baseline->rule);
    free(baseline->name);
    *baseline = (struct stored_baseline){0};
}
