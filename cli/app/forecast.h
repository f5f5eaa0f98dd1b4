/* forecast.h - how much a job is, before anybody hands it in: tasks, passes, time, disk
 *
 * Time and disk are those of the latest job of the same name that can be looked at,
 * task for task. Where there is none, the limits of the tasks say how long it may take
 * at most, and the disk is a rough figure of what simulated cards leave. */
#ifndef CLI_APP_FORECAST_H
#define CLI_APP_FORECAST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/job/job.h"

struct client_options;

struct forecast {
    struct job_forecast job;
    uint64_t ranks;      /* cards of a task */
    uint64_t cards;      /* that it may have; at least those of one task */
    uint64_t time_ms;    /* about; 0: nobody knows */
    uint64_t most_ms;    /* by the limits, retries apart; 0: there is none */
    uint64_t disk_bytes; /* about */
    char basis[128];     /* the key of the job that it was learnt from, or "" */
};

/* `where` NULL, or names no coordinator: the store below `out` is looked at. `cards` 0:
 * those that are connected, or as many as a task has. */
int forecast_make(struct forecast *forecast,
                  const struct job *job,
                  const struct client_options *where,
                  const char *out,
                  uint64_t cards,
                  struct err *err);
/* One line for people. */
void forecast_tell(const struct forecast *forecast, FILE *file);

#endif
