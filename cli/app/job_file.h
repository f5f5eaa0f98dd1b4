/* job_file.h - a job file as the CLI hands it to a coordinator: read, and found good */
#ifndef CLI_APP_JOB_FILE_H
#define CLI_APP_JOB_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct client;
struct problems;

/* A line each on stderr. */
void job_file_tell(const struct problems *problems, const char *path);

struct job;

struct job_file {
    struct job *job;
    char *yaml;
    char *path;   /* as it was typed, for error texts */
    char *folder; /* where it lies, absolute */
    size_t cards; /* at least so many must be there: the highest named card + 1, or 0 */
    size_t ranks; /* a task needs so many at once */
    size_t per_host; /* and so many of them on each host; 0: as it comes */
    char *soc;       /* the pattern of models that it wants */
    char *model;     /* one that the pattern takes, or NULL when none is known */
};

/* Says all that is wrong with the file on stderr; then -1 with a last word in err. */
int job_file_open(struct job_file *file, const char *path, struct err *err);
/* The same for a job that is in a store; `name` stands for the path. */
int job_file_from_text(struct job_file *file,
                       const char *yaml,
                       const char *name,
                       struct err *err);
void job_file_clear(struct job_file *file);

/* Hands it in; the job's number, and its key into `key`. Who hands it in again with the
 * same words (or "") in `once` is told of the same job. */
int job_file_submit(const struct job_file *file,
                    struct client *client,
                    const char *once,
                    uint64_t *job_id,
                    char *key,
                    size_t key_size,
                    uint64_t *tasks,
                    struct err *err);

#endif
