/* inside.h - what a struct job is made of, for the files of this folder */
#ifndef JOB_INSIDE_H
#define JOB_INSIDE_H

#include "base/arena.h"
#include "job/job.h"
#include "job/pattern.h"
#include "job/sweep.h"

struct patterns {
    const struct pattern **items;
    size_t count;
};

struct job {
    struct arena *arena; /* all texts, values and patterns */
    struct job_settings settings;
    struct sweep sweep;
    bool has_cards; /* the last variable is the card */
    struct patterns command;
    struct patterns env; /* NAME=value */
    const struct pattern *cwd, *kernel;
};

#endif
