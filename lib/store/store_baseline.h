/* store_baseline.h - baselines in the store: their nights, splits and quarantines
 *
 * The rules of store.h apply. lib/compare/baseline.h has the meaning of the rows. */
#ifndef LIB_STORE_STORE_BASELINE_H
#define LIB_STORE_STORE_BASELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/store/states.h"

struct store;

struct store_baseline {
    uint64_t baseline_id; /* set by store_baseline_put() */
    const char *name;
    bool frozen;   /* later nights are not added */
    uint64_t keep; /* newest nights that a comparison uses; 0: all */
    const char *user;
    uint64_t set_wall_ms;
};

typedef int
store_baseline_fn(const struct store_baseline *baseline, void *arg, struct err *err);

/* Inserts the baseline, or replaces the rule of the one with this name, which keeps its
 * nights, splits and quarantines. Sets baseline->baseline_id. */
int store_baseline_put(struct store *store,
                       struct store_baseline *baseline,
                       struct err *err);
/* Deletes the baseline with its nights, splits and quarantines. */
int store_baseline_delete(struct store *store, uint64_t baseline_id, struct err *err);
/* Calls fn for the baseline of this name, or with NULL for all, sorted by name. */
int store_each_baseline(struct store *store,
                        const char *name,
                        store_baseline_fn *fn,
                        void *arg,
                        struct err *err);

struct store_baseline_night {
    uint64_t baseline_id;
    uint64_t job_id;
    bool passed;        /* only nights that passed are compared with */
    const char *reason; /* cause when it did not pass, or "" */
    const char *user;   /* that added it; "": a gate */
    uint64_t added_wall_ms;
    /* a gate compared the job; cells with the code and environment of the base, and
     * those of them that regressed without a cause or were not reproduced */
    bool gated;
    uint64_t equal_cells, false_alarms;
    /* of the job; only read */
    const char *key;
    enum job_state state;
    uint64_t submitted_wall_ms, ended_wall_ms;
};

typedef int store_baseline_night_fn(const struct store_baseline_night *night,
                                    void *arg,
                                    struct err *err);

/* Inserts or replaces the night of this job. */
int store_baseline_night_put(struct store *store,
                             const struct store_baseline_night *night,
                             struct err *err);
int store_baseline_nights_delete(struct store *store,
                                 uint64_t baseline_id,
                                 struct err *err);
/* Sorted by the number of the job. */
int store_each_baseline_night(struct store *store,
                              uint64_t baseline_id,
                              store_baseline_night_fn *fn,
                              void *arg,
                              struct err *err);

/* A finding of a gate about a point in a night of a baseline. */
struct store_gate_finding {
    uint64_t baseline_id, job_id;
    const char *finding; /* improved, not-reproduced, noisy */
    const char *point;
};

int store_gate_finding_put(struct store *store,
                           const struct store_gate_finding *finding,
                           struct err *err);
/* Deletes all findings of a night. */
int store_gate_findings_delete(struct store *store,
                               uint64_t baseline_id,
                               uint64_t job_id,
                               struct err *err);
/* Deletes this finding of the point in all nights. */
int store_gate_finding_forget(struct store *store,
                              const struct store_gate_finding *finding,
                              struct err *err);
/* Counts the nights with this finding among the newest `nights` gated ones up to the
 * job of the finding, and sets the oldest of them; 0: none. */
int store_gate_finding_count(struct store *store,
                             const struct store_gate_finding *finding,
                             uint64_t nights,
                             uint64_t *count,
                             uint64_t *oldest_job_id,
                             struct err *err);

struct store_baseline_split {
    uint64_t baseline_id;
    uint64_t job_id;    /* the first night of the new level */
    const char *points; /* pattern */
    const char *reason, *user;
    uint64_t added_wall_ms;
    const char *key; /* of the job, "" when it was deleted; only read */
};

typedef int store_baseline_split_fn(const struct store_baseline_split *split,
                                    void *arg,
                                    struct err *err);

/* Inserts or replaces the split of these points at this job. */
int store_baseline_split_put(struct store *store,
                             const struct store_baseline_split *split,
                             struct err *err);
/* Sorted by the number of the job. */
int store_each_baseline_split(struct store *store,
                              uint64_t baseline_id,
                              store_baseline_split_fn *fn,
                              void *arg,
                              struct err *err);

struct store_quarantine {
    uint64_t baseline_id;
    const char *points; /* pattern */
    const char *reason, *user;
    uint64_t after_job_id; /* nights of later jobs count */
    uint64_t nights;       /* number of nights that it lasts */
    uint64_t added_wall_ms;
    uint64_t nights_left; /* counted when the row is read; 0: it has ended */
};

typedef int store_quarantine_fn(const struct store_quarantine *quarantine,
                                void *arg,
                                struct err *err);

/* Inserts or replaces the quarantine of these points. Sets after_job_id to the newest
 * job of the store. */
int store_quarantine_put(struct store *store,
                         const struct store_quarantine *quarantine,
                         struct err *err);
/* Returns ERR_NOT_FOUND when there is no quarantine of these points. */
int store_quarantine_delete(struct store *store,
                            uint64_t baseline_id,
                            const char *points,
                            struct err *err);
/* Sorted by the pattern. */
int store_each_quarantine(struct store *store,
                          uint64_t baseline_id,
                          store_quarantine_fn *fn,
                          void *arg,
                          struct err *err);

#endif
