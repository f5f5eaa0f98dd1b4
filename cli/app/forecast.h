/* forecast.h - estimates tasks, passes, time and disk of a job before it runs
 *
 * Time and disk per task are those of the latest job with the same name. Without such a
 * job, the time limits of the tasks give the maximum time, and the disk is a rough
 * estimate for simulated cards. */
#ifndef CLI_APP_FORECAST_H
#define CLI_APP_FORECAST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/job/job.h"

struct client_options;

struct forecast {
    struct job_forecast job;
    uint64_t ranks;      /* cards per task */
    uint64_t cards;      /* available to the job; at least those of one task */
    uint64_t time_ms;    /* estimate; 0: unknown */
    uint64_t most_ms;    /* sum of the time limits without retries; 0: no limit */
    uint64_t disk_bytes; /* estimate */
    char basis[128];     /* key of the job that the estimate is from, or "" */
};

/* When `where` is NULL or names no coordinator, the store below `out` is read. `cards`
 * 0 means the connected cards, or those of one task. `model` is that of the cards;
 * NULL: the first that the job permits. */
int forecast_make(struct forecast *forecast,
                  const struct job *job,
                  const struct client_options *where,
                  const char *out,
                  uint64_t cards,
                  const char *model,
                  struct err *err);
/* Prints the forecast as one line. */
void forecast_print(const struct forecast *forecast, FILE *file);

#endif
