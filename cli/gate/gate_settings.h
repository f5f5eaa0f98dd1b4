/* gate_settings.h - the settings of a gate, from the job file
 *
 * A job without the section `gate` has its defaults. */
#ifndef CLI_GATE_GATE_SETTINGS_H
#define CLI_GATE_GATE_SETTINGS_H

#include "lib/base/err.h"
#include "lib/compare/comparison.h"
#include "lib/gate/gate.h"
#include "lib/verdict/verdict.h"

struct gate_settings {
    struct job *job;
    const struct job_gate *gate; /* of the job */
    struct map *tolerances;      /* text of a point to its bits; NULL: no conditions */
    struct verdict_limits limits;
    char *metrics; /* the judged ones and those that give signs */
    struct comparison_settings comparison;
    struct gate_rules rules;
};

/* Reads the settings from the text of a stored job file. The caller clears them, and
 * does not move the struct. */
int gate_settings_init(struct gate_settings *settings,
                       const char *yaml,
                       struct err *err);
void gate_settings_clear(struct gate_settings *settings);

#endif
