/* baseline_checks.h - checks of requests that change a baseline */
#ifndef COORDINATOR_BASELINES_BASELINE_CHECKS_H
#define COORDINATOR_BASELINES_BASELINE_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/store/states.h"

struct msg_baseline;
struct store;

/* A baseline as the store has it. */
struct found_baseline {
    uint64_t baseline_id; /* 0: there is none */
    bool frozen;
    uint64_t keep;
    uint64_t newest_job_id; /* of its nights; 0: none */
    bool has_job;           /* the job is a night */
};

/* Finds a baseline and whether this job is one of its nights. ERR_NOT_FOUND when there
 * is no baseline of this name. */
int baseline_find(struct found_baseline *out,
                  struct store *store,
                  const char *name,
                  uint64_t job_id,
                  struct err *err);
/* ERR_CONFLICT when the baseline is frozen. */
int baseline_check_rolling(const struct found_baseline *baseline,
                           const char *name,
                           struct err *err);

struct found_job {
    char key[128];
    enum job_state state;
};

int baseline_find_job(struct found_job *out,
                      struct store *store,
                      uint64_t job_id,
                      struct err *err);
/* ERR_INPUT when the job is not done: its figures are incomplete. */
int baseline_check_done(struct store *store, uint64_t job_id, struct err *err);

/* Checks name, jobs and rule of the action set. */
int baseline_check_set(struct store *store,
                       const struct msg_baseline *request,
                       struct err *err);
/* Checks that pattern and reason can be stored. */
int baseline_check_texts(const struct msg_baseline *request, struct err *err);
/* ERR_INPUT when the pattern matches no point of the job. */
int baseline_check_points(struct store *store,
                          uint64_t job_id,
                          const char *points,
                          struct err *err);

#endif
