/* gate_run.h - compares a job with its base, and decides whether the job passes */
#ifndef CLI_GATE_GATE_RUN_H
#define CLI_GATE_GATE_RUN_H

#include <stdbool.h>

#include "cli/query/row_source.h"
#include "lib/gate/gate.h"

struct gate_options {
    const char *against; /* replaces compare.against; NULL: the job file names it */
    const char *to;      /* folder of the files of the gate; NULL: none are written */
    bool no_confirm;     /* suspects count at once */
    bool dry_run;        /* writes no files and stores no events */
    bool explain;        /* prints the evidence of each suspect; needs dry_run */
};

/* Sets *given to whether the file of the job has the section `gate`. */
int gate_is_given(struct row_source *source,
                  uint64_t job_id,
                  bool *given,
                  struct err *err);

/* Prints the verdict of an ended job, writes its files and stores its events. The job
 * ended with `job_code`, an exit code. */
int gate_run(enum gate_code *code,
             struct row_source *source,
             uint64_t job_id,
             int job_code,
             const struct gate_options *options,
             struct err *err);

#endif
