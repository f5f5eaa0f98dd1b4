/* job_request.h - a request about a job that has ended: to its coordinator, or to a
 * private one on the store of the job */
#ifndef CLI_FLEET_JOB_REQUEST_H
#define CLI_FLEET_JOB_REQUEST_H

#include "cli/app/command_options.h"
#include "cli/fleet/private_run.h"

/* MSG_RETRY or MSG_REPARSE. The message and its number of the job are borrowed. */
struct job_request {
    enum message_type type;
    const void *message;
    uint64_t *job_id;
};

/* Sets the number of the job and sends the request. When no coordinator is named, it
 * starts a private run on the store below options->out, which sends options->retry or
 * options->reparse. Returns the exit code, or -1. */
int job_request_run(const struct job_request *request,
                    const struct client_options *client,
                    struct private_run_options *options,
                    const char *job_arg,
                    struct err *err);

#endif
