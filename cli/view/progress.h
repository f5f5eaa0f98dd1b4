/* progress.h - prints the progress of a job to stderr
 *
 * On a terminal one line is overwritten; elsewhere a plain line is printed at most
 * every two seconds. The variable NO_COLOR disables colours,
 * and TERM=dumb the overwritten line. */
#ifndef CLI_VIEW_PROGRESS_H
#define CLI_VIEW_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct msg_job_progress;
struct progress;

struct progress *progress_create(bool quiet);
void progress_destroy(struct progress *progress); /* ends the line; NULL is allowed */
bool progress_is_quiet(const struct progress *progress);
void progress_show(struct progress *progress, const struct msg_job_progress *now);
/* Prints a line above the progress line. */
void progress_print(struct progress *progress, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Formats "done 12 of 36, failed 1, running 2; 3.4/s, 7 s left". `ran_before` tasks
 * had ended `elapsed_ms` ago, at the first message. Public for the tests. */
void progress_text(char *out,
                   unsigned long size,
                   const struct msg_job_progress *now,
                   uint64_t ran_before,
                   uint64_t elapsed_ms);

#endif
