/* job_name.h - the name of a job in its key, which is NAME-NUMBER */
#ifndef CLI_COMPARE_JOB_NAME_H
#define CLI_COMPARE_JOB_NAME_H

#include <stdbool.h>

/* Returns true when this is the key or the name of the job. */
bool job_has_name(const char *key, const char *name);
/* The caller frees the name. */
char *job_name_of(const char *key);

#endif
