/* job_template.h - the text of a job file for a program or a kernel file
 *
 * `muster init` writes it with comments, for a user to change it. `muster run
 * -- PROGRAM` runs it without. */
#ifndef CLI_APP_JOB_TEMPLATE_H
#define CLI_APP_JOB_TEMPLATE_H

#include <stdbool.h>
#include <stdint.h>

struct job_template {
    /* The program with its arguments; with `kernel`, the arguments of the kernel. Ends
     * with NULL; NULL: a sample. */
    char *const *words;
    const char *kernel; /* kernel file; NULL: a program */
    const char *folder; /* in which the program runs */
    bool commented;     /* explain each key, and make an axis of each ${name} */
    uint64_t ranks;
    const char *metrics; /* divided by commas */
};

/* The caller frees the text. */
char *job_template_write(const struct job_template *job);

#endif
