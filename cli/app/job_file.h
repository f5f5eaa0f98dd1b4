/* job_file.h - a job file that was read and checked, ready to be submitted */
#ifndef CLI_APP_JOB_FILE_H
#define CLI_APP_JOB_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct client;
struct problems;

/* Prints one line per problem to stderr. */
void job_file_print_problems(const struct problems *problems, const char *path);

struct job;

struct job_file {
    struct job *job;
    char *yaml;
    char *path;           /* as given, for error texts */
    char *folder;         /* its absolute folder */
    size_t cards;         /* minimum: the highest card number in the file + 1, or 0 */
    size_t default_cards; /* that a private run starts without --cards */
    size_t ranks;         /* cards per task */
    size_t per_host;      /* of them on each host; 0: any number */
    char *soc;            /* pattern of models from the job */
    char *model;          /* a known model that matches, or NULL */
};

/* Returns the cards that a private run of the job starts: those that it names, or those
 * of a task and at least two. */
size_t job_file_default_cards(const struct job *job);
/* Returns the absolute folder of the file, which the caller frees, or NULL. */
char *job_file_folder(const char *path);

/* Reads and checks the file. Prints all its errors to stderr and returns -1 with a
 * summary in err. */
int job_file_open(struct job_file *file, const char *path, struct err *err);
/* Does the same for the text of a stored job; `name` is used instead of the path. */
int job_file_from_text(struct job_file *file,
                       const char *yaml,
                       const char *name,
                       struct err *err);
void job_file_clear(struct job_file *file);

/* Prints one line to stderr per key of the job that has no effect. */
void job_file_print_warnings(const struct job_file *file);

/* Submits the job. Returns its number, and its key in `key`. A submission with the same
 * token `once` returns the same job and sets `repeated`; "" submits a new job each
 * time.
 */
int job_file_submit(const struct job_file *file,
                    struct client *client,
                    const char *once,
                    uint64_t *job_id,
                    char *key,
                    size_t key_size,
                    uint64_t *tasks,
                    bool *repeated,
                    struct err *err);

#endif
