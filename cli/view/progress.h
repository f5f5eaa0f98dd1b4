/* progress.h - how far a job is, on stderr
 *
 * On a terminal one line that is written over; elsewhere a plain line now and then.
 * NO_COLOR is honoured. */
#ifndef CLI_VIEW_PROGRESS_H
#define CLI_VIEW_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct msg_job_progress;
struct progress;

struct progress *progress_create(bool quiet);
void progress_destroy(struct progress *progress); /* NULL is welcome; ends the line */
bool progress_is_quiet(const struct progress *progress);
void progress_show(struct progress *progress, const struct msg_job_progress *now);
/* A line of its own, above the live one. */
void progress_say(struct progress *progress, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* "done 12, failed 1, running 2 of 36; 3.4/s, 7 s left"; `elapsed_ms` since the first.
 * Apart for the tests. */
void progress_words(char *out,
                    unsigned long size,
                    const struct msg_job_progress *now,
                    uint64_t ended_before,
                    uint64_t elapsed_ms);

#endif
