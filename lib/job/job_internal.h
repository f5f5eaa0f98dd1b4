/* job_internal.h - what a struct job is made of, for the files of this folder */
#ifndef LIB_JOB_JOB_INTERNAL_H
#define LIB_JOB_JOB_INTERNAL_H

#include "lib/base/arena.h"
#include "lib/job/job.h"
#include "lib/job/sweep/pattern.h"
#include "lib/job/sweep/sweep.h"

struct patterns {
    const struct pattern **items;
    const char **names; /* of env: what stands before the = */
    size_t count;
};

/* What is otherwise for the points of which `when` is true; the last one wins. */
struct override {
    const struct expression *when;
    struct job_settings settings; /* the members that stand in `set` */
    struct member {
        size_t offset, size;
    } set[16];
    size_t set_count;
    const struct pattern *cwd, *kernel; /* or NULL: as for all */
    struct patterns env;
};

struct job {
    struct arena *arena; /* all texts, values and patterns */
    struct job_settings settings;
    struct sweep sweep;
    bool has_cards; /* the last variable is the card */
    struct patterns command;
    struct patterns env; /* NAME=value */
    const struct pattern *cwd, *kernel;
    struct override *overrides;
    size_t override_count;
};

#endif
