/* job_internal.h - members of struct job, for the files of this folder */
#ifndef LIB_JOB_JOB_INTERNAL_H
#define LIB_JOB_JOB_INTERNAL_H

#include "lib/base/arena.h"
#include "lib/job/job.h"
#include "lib/job/sweep/pattern.h"
#include "lib/job/sweep/sweep.h"

struct patterns {
    const struct pattern **items;
    const char **names; /* of env only: names of the variables */
    size_t count;
};

/* The texts of an operator that may differ from point to point. */
struct program {
    struct patterns container; /* words in front of the command */
    struct patterns command;
    struct patterns env;                                    /* NAME=value */
    const struct pattern *path, *cwd, *kernel, *dump, *elf; /* NULL: not set */
};

/* Settings for the points for which `when` is true. A later override replaces the
 * values of an earlier one. */
struct override {
    const struct expression *when;
    struct job_settings settings; /* only the members listed in `set` are valid */
    struct member {
        size_t offset, size;
    } set[16];
    size_t set_count;
    struct program program; /* of the job where it is not set */
};

struct job {
    struct arena *arena; /* owns all texts, values and patterns */
    struct job_settings settings;
    struct sweep sweep;
    bool has_cards; /* the last variable is the card */
    struct program program;
    struct patterns places;                    /* HOST:CARD of each rank, or empty */
    const struct variable *part;               /* of operator.overlap; NULL: without */
    struct patterns parts[JOB_PART_COUNT - 1]; /* commands of the parts but the first */
    const struct variable *shift;              /* of cards.rotate; NULL: without */
    const struct variable *pair;               /* of cards.pairs; NULL: without */
    const struct variable *ranks; /* number of ranks of each point; NULL: all equal */
    struct override *overrides;
    size_t override_count;
    const struct expression **tolerance_when; /* of settings.gate; NULL: all points */
};

#endif
