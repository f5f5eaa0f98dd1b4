/* wait.c - waits for the end of a job and returns the exit code of the job */
#include <stdio.h>

#include "cli/app/command_options.h"
#include "cli/confirm/gate_confirmation.h"
#include "cli/fleet/job_wait.h"
#include "cli/fleet/stored_verdict.h"
#include "cli/gate/gate_run.h"

const struct command command_wait;

/* Runs the gate of the job, when its file has one. Returns the exit code. */
static int end_with_gate(struct row_source *source,
                         uint64_t job_id,
                         const struct follow_result *end,
                         const struct gate_options *options,
                         struct err *err)
{
    enum gate_code code;
    bool given;

    printf("%s %s %s/report.html\n", end->job_key, end->state, end->out);
    if (gate_is_given(source, job_id, &given, err) < 0)
        return -1;
    if (!given)
        return (int)end->exit_code;
    if (gate_run(&code, source, job_id, (int)end->exit_code, options, err) < 0)
        return -1;
    return code != GATE_PASSED ? (int)code : (int)end->exit_code;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options common = COMMAND_OPTIONS_INIT;
    struct job_wait_options options = {.timeout_ms = UINT64_MAX};
    struct gate_options gate = {
        .to = NULL, .confirm = gate_confirmation_run, .store = stored_verdict_send};
    struct follow_result end;
    struct row_source *source;
    uint64_t id;
    char **args;
    const struct option_row rows[] = {
        {"timeout", 't', OPTION_DURATION, &options.timeout_ms, "TIME",
         "Fail with exit code 6 after TIME, such as 10s or 5m (default: never)", NULL},
        {"to", 0, OPTION_TEXT, &gate.to, "DIR",
         "Folder for the files of the gate, when the job has one (default: no files)",
         NULL},
        {"quiet", 'q', OPTION_FLAG, &options.quiet, NULL, "Print no progress to stderr",
         NULL},
        COMMAND_OPTIONS_OUT_ROW(common),
        COMMAND_OPTIONS_CLIENT_ROWS(common),
        COMMAND_OPTIONS_HELP_ROW(common),
        {0},
    };

    int parsed = command_options_parse(&command_wait, rows, &common, argc, argv, &args,
                                       1, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    options.job_arg = args[0];
    options.out = common.out;
    gate.quiet = options.quiet;
    if (row_source_open(&source, &common.client, common.out, err) < 0)
        return -1;
    int result = row_source_find_job(source, options.job_arg, &id, err);
    if (result == 0)
        result = job_wait(source, id, &options, &end, err);
    if (result == 0)
        result = end.interrupted ? EXIT_INTERRUPTED
                                 : end_with_gate(source, id, &end, &gate, err);
    row_source_close(source);
    return result;
}

const struct command command_wait = {
    .name = "wait",
    .args = "JOB",
    .summary = "Wait for the end of a job and return its exit code",
    .details = "When the job file has the key gate, the command compares the job with "
               "its\n"
               "base and returns the exit code of the gate; see 'muster "
               "gate'.\n" COMMAND_JOB_DETAILS,
    .examples = "  muster wait sweep-7\n"
                "  muster wait --timeout 2h --quiet sweep-7",
    .run = run,
};
