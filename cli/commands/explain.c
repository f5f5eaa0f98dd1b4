/* explain.c - explains why a task waits or how it ended */
#include <stdio.h>

#include "cli/app/command_options.h"
#include "cli/fleet/running_coordinator.h"
#include "cli/gate/gate_run.h"
#include "cli/query/row_source.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

const struct command command_explain;

static int
parse_number(const char *word, const char *what, uint64_t *number, struct err *err)
{
    if (!num_parse_u64(word, number))
        return err_set(err, ERR_INPUT, "%s '%s' is not a number", what, word);
    return 0;
}

struct ended_job {
    uint64_t job_id;
    bool ended;
};

static void find_ended(const void *row, void *arg)
{
    const struct msg_job_row *job = row;
    struct ended_job *wanted = arg;

    if (job->job_id == wanted->job_id)
        wanted->ended = job->ended_wall_ns != 0;
}

/* Explains the verdict of a job that has ended and whose file has the key gate. */
static int explain_gate(struct row_source *source, uint64_t job_id, struct err *err)
{
    const struct gate_options options = {
        .no_confirm = true, .dry_run = true, .explain = true};
    struct ended_job job = {.job_id = job_id};
    enum gate_code code;
    bool given;

    if (row_source_each(source, MSG_JOB_ROW, 0, find_ended, &job, err) < 0 ||
        gate_is_given(source, job_id, &given, err) < 0)
        return -1;
    return job.ended && given ? gate_run(&code, source, job_id, 0, &options, err) : 0;
}

static int explain(struct row_source *source, char **args, struct err *err)
{
    struct msg_explain request = {.any = !args[1]};
    struct client *client = row_source_client(source);
    const union any_message *reply;
    struct text explanation = {0};

    if ((args[1] && parse_number(args[1], "point", &request.point, err) < 0) ||
        (args[1] && args[2] &&
         parse_number(args[2], "repeat", &request.repeat, err) < 0) ||
        row_source_find_job(source, args[0], &request.job_id, err) < 0)
        return -1;
    int result =
        client ? client_request(client, MSG_EXPLAIN, &request, MSG_OK, &reply, err)
               : row_source_explain(source, &request, &explanation, err);
    if (result == 0)
        printf("%s: %s\n", args[0], client ? reply->ok.text : text_get(&explanation));
    text_clear(&explanation);
    return result == 0 && request.any ? explain_gate(source, request.job_id, err)
                                      : result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = COMMAND_OPTIONS_INIT;
    struct row_source *source;
    char **args;
    const struct option_row rows[] = {
        COMMAND_OPTIONS_OUT_ROW(options),
        COMMAND_OPTIONS_CLIENT_ROWS(options),
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_explain, rows, &options, argc, argv,
                                       &args, 1, 3, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    running_coordinator_find(
        &options.client,
        options.out); /* the reason why a task waits is not in the store */
    if (row_source_open(&source, &options.client, options.out, err) < 0)
        return -1;
    int result = explain(source, args, err);
    row_source_close(source);
    return result;
}

const struct command command_explain = {
    .name = "explain",
    .args = "JOB [POINT [REPEAT]]",
    .summary = "Explain why a task waits, what it does, or how it ended",
    .details =
        "POINT and REPEAT select a task. Without POINT the command explains the\n"
        "first task that has not ended. REPEAT is 0 by default. For an ended job with\n"
        "the key gate, the evidence of its verdict follows.\n" COMMAND_JOB_DETAILS,
    .examples = "  muster explain sweep-7\n"
                "  muster explain sweep-7 12 0",
    .run = run,
};
