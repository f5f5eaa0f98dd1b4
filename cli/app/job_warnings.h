/* job_warnings.h - parts of a valid job file that are probably mistakes
 *
 * The job can still be right: its programs can lie on the hosts of the workers, and an
 * axis without use can be there to measure again. */
#ifndef CLI_APP_JOB_WARNINGS_H
#define CLI_APP_JOB_WARNINGS_H

struct job;
struct text;

/* Appends a line for each key without effect: `PATH: warning: KEY: text`. */
void job_warnings_of_keys(const struct job *job, const char *path, struct text *out);
/* Appends these lines, and one for each program that this host lacks. `folder` is the
 * absolute folder of the job file. */
void job_warnings_print(const struct job *job,
                        const char *path,
                        const char *folder,
                        struct text *out);

#endif
