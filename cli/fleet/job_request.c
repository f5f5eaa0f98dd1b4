#include "cli/fleet/job_request.h"

#include <stdio.h>

#include "cli/app/job_file.h"
#include "cli/app/stored_job.h"
#include "cli/query/job_search.h"

static int send_request(const struct job_request *request,
                        const struct client_options *options,
                        const char *job_arg,
                        struct err *err)
{
    struct client *client = NULL;
    const union any_message *reply;
    int result = client_open(&client, options, err);

    if (result == 0)
        result =
            job_search_client(client, job_arg, JOB_CHOICE_ONLY, request->job_id, err);
    if (result == 0)
        result = client_request(client, request->type, request->message, MSG_OK, &reply,
                                err);
    if (result == 0)
        printf("%s: %s\n", job_arg, reply->ok.text);
    client_close(client);
    return result;
}

static int run_on_private_fleet(const struct job_request *request,
                                struct private_run_options *options,
                                const char *job_arg,
                                struct err *err)
{
    struct job_file file = {0};
    struct stored_job job;

    if (stored_job_find(&job, options->out, job_arg, err) < 0)
        return -1;
    int result = job_file_from_text(&file, job.yaml, job.key, err);
    if (result == 0) {
        *request->job_id = options->resumed_id = job.job_id;
        result = private_run(options, &file, err);
        job_file_clear(&file);
    }
    stored_job_clear(&job);
    return result;
}

int job_request_run(const struct job_request *request,
                    const struct client_options *client,
                    struct private_run_options *options,
                    const char *job_arg,
                    struct err *err)
{
    return client_is_named(client)
               ? send_request(request, client, job_arg, err)
               : run_on_private_fleet(request, options, job_arg, err);
}
