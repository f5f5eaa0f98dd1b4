#include "coordinator/baselines/baseline_checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/compare/baseline.h"
#include "lib/compare/point_key.h"
#include "lib/store/store.h"
#include "lib/store/store_baseline.h"
#include "lib/wire/messages.h"

enum {
    NAME_MAX_CHARS = 64,
    JOBS_MAX = 1000,
    POINTS_MAX_CHARS = 500,
    REASON_MAX_CHARS = 500,
};

struct search {
    struct found_baseline *found;
    uint64_t job_id;
};

static int keep_rule(const struct store_baseline *row, void *arg, struct err *err)
{
    struct found_baseline *found = arg;

    (void)err;
    found->baseline_id = row->baseline_id;
    found->frozen = row->frozen;
    return 0;
}

static int
keep_newest(const struct store_baseline_night *night, void *arg, struct err *err)
{
    const struct search *search = arg;

    (void)err;
    search->found->newest_job_id = night->job_id;
    search->found->has_job |= night->job_id == search->job_id;
    return 0;
}

int baseline_find(struct found_baseline *out,
                  struct store *store,
                  const char *name,
                  uint64_t job_id,
                  struct err *err)
{
    struct search search = {out, job_id};

    *out = (struct found_baseline){0};
    /* an empty name would find all */
    if (*name && store_each_baseline(store, name, keep_rule, out, err) < 0)
        return -1;
    if (!out->baseline_id)
        return err_set(err, ERR_NOT_FOUND,
                       "there is no baseline '%.64s'; 'muster baseline list' shows all",
                       name);
    return store_each_baseline_night(store, out->baseline_id, keep_newest, &search,
                                     err);
}

int baseline_check_rolling(const struct found_baseline *baseline,
                           const char *name,
                           struct err *err)
{
    return !baseline->frozen
               ? 0
               : err_set(err, ERR_CONFLICT,
                         "baseline %s is frozen and keeps its nights; 'muster baseline "
                         "set' replaces it",
                         name);
}

static int keep_job(const struct store_job *job, void *arg, struct err *err)
{
    struct found_job *found = arg;

    (void)err;
    snprintf(found->key, sizeof(found->key), "%s", job->key);
    found->state = job->state;
    return 0;
}

int baseline_find_job(struct found_job *out,
                      struct store *store,
                      uint64_t job_id,
                      struct err *err)
{
    return store_job_read(store, job_id, keep_job, out, err);
}

int baseline_check_done(struct store *store, uint64_t job_id, struct err *err)
{
    struct found_job job;

    if (baseline_find_job(&job, store, job_id, err) < 0)
        return -1;
    return job.state == JOB_DONE
               ? 0
               : err_set(err, ERR_INPUT,
                         "job %s is %s; only a job whose tasks are all done can be a "
                         "night of a baseline",
                         job.key, job_state_name(job.state));
}

/* A name that is a number or the key of a job would name both in 'muster compare'. */
static int check_name(struct store *store, const char *name, struct err *err)
{
    struct store_found_job found;

    if (!text_is_path_part(name) || strlen(name) > NAME_MAX_CHARS ||
        strspn(name, "0123456789") == strlen(name))
        return err_set(err, ERR_INPUT,
                       "invalid name '%.64s' of a baseline; begin with a letter or "
                       "digit and use up to %d letters, digits and _ . = , + -, not "
                       "only digits",
                       name, NAME_MAX_CHARS);
    if (store_job_find(store, name, &found, err) < 0)
        return err->code == ERR_NOT_FOUND ? 0 : -1;
    int result = strcmp(found.key, name) != 0
                     ? 0
                     : err_set(err, ERR_INPUT,
                               "'%s' is the key of a job; choose another name for the "
                               "baseline",
                               name);
    free(found.key);
    return result;
}

static int check_jobs(struct store *store, const struct u64_list *jobs, struct err *err)
{
    if (jobs->count == 0)
        return err_set(err, ERR_INPUT, "a baseline needs at least one job");
    if (jobs->count > JOBS_MAX)
        return err_set(err, ERR_INPUT, "%zu jobs are too many; a baseline has up to %d",
                       jobs->count, JOBS_MAX);
    for (size_t i = 0; i < jobs->count; i++) {
        if (baseline_check_done(store, jobs->items[i], err) < 0)
            return -1;
        for (size_t other = 0; other < i; other++)
            if (jobs->items[other] == jobs->items[i])
                return err_set(err, ERR_INPUT, "job %" PRIu64 " is named twice",
                               jobs->items[i]);
    }
    return 0;
}

int baseline_check_set(struct store *store,
                       const struct msg_baseline *request,
                       struct err *err)
{
    if (check_name(store, request->name, err) < 0)
        return -1;
    if (request->frozen && request->keep)
        return err_set(err, ERR_INPUT,
                       "a frozen baseline uses all its nights; leave out the number to "
                       "keep");
    if (!request->frozen &&
        (request->keep < BASELINE_KEEP_LEAST || request->keep > BASELINE_KEEP_MOST))
        return err_set(err, ERR_INPUT, "%" PRIu64 " nights to keep: expected %d to %d",
                       request->keep, BASELINE_KEEP_LEAST, BASELINE_KEEP_MOST);
    return check_jobs(store, &request->jobs, err);
}

int baseline_check_texts(const struct msg_baseline *request, struct err *err)
{
    if (!*request->points || strlen(request->points) > POINTS_MAX_CHARS)
        return err_set(err, ERR_INPUT,
                       "the pattern of the points has %zu characters; expected 1 to %d",
                       strlen(request->points), POINTS_MAX_CHARS);
    if (!*request->reason || strlen(request->reason) > REASON_MAX_CHARS)
        return err_set(err, ERR_INPUT,
                       "the reason has %zu characters; expected 1 to %d",
                       strlen(request->reason), REASON_MAX_CHARS);
    return 0;
}

struct match {
    const char *points;
    bool found;
};

static int match_point(const struct store_point *row, void *arg, struct err *err)
{
    struct match *match = arg;
    bool pinned;
    char *key;

    (void)err;
    if (match->found)
        return 0;
    key = point_key(row->text, &pinned);
    match->found = text_matches(key, match->points);
    free(key);
    return 0;
}

int baseline_check_points(struct store *store,
                          uint64_t job_id,
                          const char *points,
                          struct err *err)
{
    struct match match = {.points = points};
    struct found_job job;

    if (strcmp(points, "*") == 0)
        return 0;
    if (store_each_point(store, job_id, match_point, &match, err) < 0)
        return -1;
    if (match.found)
        return 0;
    if (baseline_find_job(&job, store, job_id, err) < 0)
        return -1;
    return err_set(err, ERR_INPUT,
                   "no point of job %s matches '%.100s'; write a point as 'muster "
                   "compare' prints it, or a pattern such as '*m=1024*'",
                   job.key, points);
}
