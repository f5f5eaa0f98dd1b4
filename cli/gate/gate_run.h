/* gate_run.h - compares a job with its base, and decides whether the job passes */
#ifndef CLI_GATE_GATE_RUN_H
#define CLI_GATE_GATE_RUN_H

#include <stdbool.h>

#include "cli/query/row_source.h"
#include "lib/gate/gate.h"

/* The two jobs whose programs a confirmation runs in turn. */
struct gate_confirm_jobs {
    struct row_source *source;
    uint64_t job_id, base_job_id;
    double tolerance; /* share */
    const struct job_confirm *settings;
    bool quiet; /* print no progress */
};
/* Sets the states of the suspects of the gate by gate_confirm(). */
typedef int gate_confirm_fn(struct gate *gate,
                            const struct gate_confirm_jobs *jobs,
                            void *arg,
                            struct err *err);

struct msg_gate_verdict;
/* Stores a verdict, its events and its night in the store below a folder of results. */
typedef int gate_store_fn(const struct msg_gate_verdict *verdict,
                          const char *out_folder,
                          struct err *err);

struct gate_options {
    const char *against; /* replaces compare.against; NULL: the job file names it */
    const char *to;      /* folder of the files of the gate; NULL: none are written */
    bool no_confirm;     /* suspects count at once */
    bool dry_run;        /* writes no files, stores no events and confirms nothing */
    bool explain;        /* prints the evidence of each suspect; needs dry_run */
    bool quiet;          /* print no progress of a confirmation */
    gate_confirm_fn *confirm; /* NULL: suspects stay open */
    void *confirm_arg;
    gate_store_fn *store; /* used without a coordinator; NULL: nothing is stored */
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
