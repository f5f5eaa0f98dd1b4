/* job.h - runs one job on the fleet of a benchmark */
#ifndef TESTS_BENCH_JOB_H
#define TESTS_BENCH_JOB_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/fleet/follow.h"
#include "cli/query/client.h"
#include "cli/view/progress.h"
#include "lib/base/clock.h"

static inline void job_die(const struct err *err)
{
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

/* Submits a job and waits for its end. Returns the time in microseconds; ends the
 * program when the job fails. */
static inline double job_us(struct client *client, const char *yaml)
{
    const struct msg_submit question = {
        .yaml = yaml, .file_name = "bench", .folder = "/tmp", .user = "bench"};
    struct follow_options options = {.timeout_ms = 240000,
                                     .progress = progress_create(true)};
    const union any_message *answer;
    struct follow_result result;
    struct err err;

    uint64_t start = clock_mono_ns();
    if (client_request(client, MSG_SUBMIT, &question, MSG_SUBMITTED, &answer, &err) < 0)
        job_die(&err);
    options.job_id = answer->submitted.job_id;
    if (follow(client, &options, &result, &err) < 0)
        job_die(&err);
    if (!result.final || result.exit_code != 0) {
        fprintf(stderr, "benchmark job failed: state=%s\n", result.state);
        exit(1);
    }
    double us = (double)(clock_mono_ns() - start) / 1000;
    progress_destroy(options.progress);
    return us;
}

#endif
