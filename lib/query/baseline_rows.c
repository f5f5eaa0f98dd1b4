#include "lib/query/baseline_rows.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/compare/baseline.h"
#include "lib/store/store_baseline.h"

enum { NS_PER_MS = 1000000 };

struct rows {
    struct store *store;
    row_fn *fn;
    void *arg;
    uint64_t now_wall_ns;
    const struct store_baseline *baseline; /* whose rows are read */
    struct msg_baseline_row sum;           /* of its rows */
    struct baseline *rule;
    char newest[128];
    size_t found;
};

/* These functions count the nights, splits and quarantines, and fill the rule. */

static int
count_night(const struct store_baseline_night *night, void *arg, struct err *err)
{
    struct rows *rows = arg;
    const struct baseline_night added = {
        .job_id = night->job_id,
        .passed = night->passed,
        .ended_wall_ns = night->ended_wall_ms * NS_PER_MS,
    };

    (void)err;
    baseline_add_night(rows->rule, &added);
    rows->sum.nights++;
    if (!night->passed)
        return 0;
    rows->sum.passed++;
    rows->sum.newest_wall_ns = added.ended_wall_ns;
    snprintf(rows->newest, sizeof(rows->newest), "%s", night->key);
    return 0;
}

static int
count_split(const struct store_baseline_split *split, void *arg, struct err *err)
{
    struct rows *rows = arg;

    (void)err;
    baseline_add_split(rows->rule, split->job_id, split->points);
    rows->sum.splits++;
    return 0;
}

static int
count_quarantine(const struct store_quarantine *quarantine, void *arg, struct err *err)
{
    struct rows *rows = arg;

    (void)err;
    rows->sum.quarantines += quarantine->nights_left > 0;
    return 0;
}

static int baseline_row(struct rows *rows, struct err *err)
{
    const struct store_baseline *baseline = rows->baseline;
    uint64_t id = baseline->baseline_id;

    rows->newest[0] = '\0';
    rows->sum = (struct msg_baseline_row){
        .name = baseline->name,
        .frozen = baseline->frozen,
        .keep = baseline->keep,
        .newest_job_key = rows->newest,
        .user = baseline->user,
        .set_wall_ns = baseline->set_wall_ms * NS_PER_MS,
    };
    if (store_each_baseline_night(rows->store, id, count_night, rows, err) < 0 ||
        store_each_baseline_split(rows->store, id, count_split, rows, err) < 0 ||
        store_each_quarantine(rows->store, id, count_quarantine, rows, err) < 0)
        return -1;
    rows->sum.stale = baseline_is_stale(rows->rule, 0, rows->now_wall_ns);
    rows->fn(MSG_BASELINE_ROW, &rows->sum, rows->arg);
    return 0;
}

static int
night_row(const struct store_baseline_night *night, void *arg, struct err *err)
{
    struct rows *rows = arg;
    const struct msg_baseline_night_row row = {
        .baseline = rows->baseline->name,
        .job_id = night->job_id,
        .job_key = night->key,
        .passed = night->passed,
        .used = baseline_uses(rows->rule, "", night->job_id, 0),
        .reason = night->reason,
        .user = night->user,
        .added_wall_ns = night->added_wall_ms * NS_PER_MS,
        .ended_wall_ns = night->ended_wall_ms * NS_PER_MS,
        .state = job_state_name(night->state),
        .gated = night->gated,
        .equal_cells = night->equal_cells,
        .false_alarms = night->false_alarms,
    };

    (void)err;
    rows->fn(MSG_BASELINE_NIGHT_ROW, &row, rows->arg);
    return 0;
}

static int night_rows(struct rows *rows, struct err *err)
{
    uint64_t id = rows->baseline->baseline_id;

    if (store_each_baseline_night(rows->store, id, count_night, rows, err) < 0 ||
        store_each_baseline_split(rows->store, id, count_split, rows, err) < 0)
        return -1;
    return store_each_baseline_night(rows->store, id, night_row, rows, err);
}

static int
split_row(const struct store_baseline_split *split, void *arg, struct err *err)
{
    struct rows *rows = arg;
    const struct msg_baseline_split_row row = {
        .baseline = rows->baseline->name,
        .job_id = split->job_id,
        .job_key = split->key,
        .points = split->points,
        .reason = split->reason,
        .user = split->user,
        .added_wall_ns = split->added_wall_ms * NS_PER_MS,
    };

    (void)err;
    rows->fn(MSG_BASELINE_SPLIT_ROW, &row, rows->arg);
    return 0;
}

static int split_rows(struct rows *rows, struct err *err)
{
    return store_each_baseline_split(rows->store, rows->baseline->baseline_id,
                                     split_row, rows, err);
}

static int
quarantine_row(const struct store_quarantine *quarantine, void *arg, struct err *err)
{
    struct rows *rows = arg;
    const struct msg_quarantine_row row = {
        .baseline = rows->baseline->name,
        .points = quarantine->points,
        .nights = quarantine->nights,
        .nights_left = quarantine->nights_left,
        .reason = quarantine->reason,
        .user = quarantine->user,
        .added_wall_ns = quarantine->added_wall_ms * NS_PER_MS,
    };

    (void)err;
    rows->fn(MSG_QUARANTINE_ROW, &row, rows->arg);
    return 0;
}

static int quarantine_rows(struct rows *rows, struct err *err)
{
    return store_each_quarantine(rows->store, rows->baseline->baseline_id,
                                 quarantine_row, rows, err);
}

static const struct part {
    const char *name;
    int (*list)(struct rows *rows, struct err *err);
} parts[] = {
    {"baselines", baseline_row},
    {"nights", night_rows},
    {"splits", split_rows},
    {"quarantines", quarantine_rows},
};

struct search {
    struct rows *rows;
    const struct part *part;
};

static int list_one(const struct store_baseline *baseline, void *arg, struct err *err)
{
    const struct search *search = arg;
    struct rows *rows = search->rows;

    rows->found++;
    rows->baseline = baseline;
    rows->rule = baseline_create(baseline->frozen, baseline->keep);
    int result = search->part->list(rows, err);
    baseline_destroy(rows->rule);
    return result;
}

int baseline_rows(struct store *store,
                  const struct msg_list_baselines *request,
                  uint64_t now_wall_ns,
                  row_fn *fn,
                  void *arg,
                  struct err *err)
{
    struct rows rows = {
        .store = store, .fn = fn, .arg = arg, .now_wall_ns = now_wall_ns};
    struct search search = {.rows = &rows};
    const char *name = request->name ? request->name : "";

    for (size_t i = 0; i < COUNT(parts); i++)
        if (strcmp(parts[i].name, request->what) == 0)
            search.part = &parts[i];
    if (!search.part)
        return err_set(err, ERR_INPUT,
                       "unknown rows '%.64s'; use baselines, nights, splits or "
                       "quarantines",
                       request->what);
    if (store_each_baseline(store, name, list_one, &search, err) < 0)
        return -1;
    if (*name && rows.found == 0)
        return err_set(err, ERR_NOT_FOUND,
                       "there is no baseline '%s'; 'muster baseline list' shows all",
                       name);
    return 0;
}
