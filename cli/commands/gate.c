/* gate.c - waits for a job, compares it with its base and decides whether it passes */
#include "cli/app/command_options.h"
#include "cli/confirm/gate_confirmation.h"
#include "cli/fleet/job_wait.h"
#include "cli/fleet/stored_verdict.h"
#include "cli/gate/gate_run.h"

const struct command command_gate;

static int decide(struct row_source *source,
                  const struct job_wait_options *wait,
                  const struct gate_options *options,
                  struct err *err)
{
    struct follow_result end;
    enum gate_code code;
    uint64_t job_id;

    if (row_source_find_job(source, wait->job_arg, &job_id, err) < 0 ||
        job_wait(source, job_id, wait, &end, err) < 0)
        return -1;
    if (end.interrupted)
        return EXIT_INTERRUPTED;
    if (gate_run(&code, source, job_id, (int)end.exit_code, options, err) < 0)
        return -1;
    return (int)code;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options common = COMMAND_OPTIONS_INIT;
    struct job_wait_options wait = {.timeout_ms = UINT64_MAX};
    struct gate_options options = {
        .to = "gate", .confirm = gate_confirmation_run, .store = stored_verdict_send};
    struct row_source *source;
    char **args;
    const struct option_row rows[] = {
        {"against", 0, OPTION_TEXT, &options.against, "NAME",
         "Name or key of the job to compare with (default: compare.against of the job "
         "file)",
         NULL},
        {"no-confirm", 0, OPTION_FLAG, &options.no_confirm, NULL,
         "Count regressions at once, without fresh runs that confirm them", NULL},
        {"dry-run", 'n', OPTION_FLAG, &options.dry_run, NULL,
         "Print the verdict only: write no files and no events, and confirm nothing",
         NULL},
        {"to", 0, OPTION_TEXT, &options.to, "DIR",
         "Folder for gate.json, junit.xml, metrics.txt and gate.html (default: gate)",
         NULL},
        {"timeout", 't', OPTION_DURATION, &wait.timeout_ms, "TIME",
         "Fail with exit code 6 when the job has not ended after TIME, such as 5m "
         "(default: never)",
         NULL},
        {"quiet", 'q', OPTION_FLAG, &wait.quiet, NULL, "Print no progress to stderr",
         NULL},
        COMMAND_OPTIONS_OUT_ROW(common),
        COMMAND_OPTIONS_CLIENT_ROWS(common),
        COMMAND_OPTIONS_HELP_ROW(common),
        {0},
    };

    int parsed = command_options_parse(&command_gate, rows, &common, argc, argv, &args,
                                       1, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    wait.job_arg = args[0];
    wait.out = common.out;
    options.quiet = wait.quiet;
    if (row_source_open(&source, &common.client, common.out, err) < 0)
        return -1;
    int result = decide(source, &wait, &options, err);
    row_source_close(source);
    return result;
}

const struct command command_gate = {
    .name = "gate",
    .args = "JOB",
    .summary = "Wait for a job, compare it with its base, and fail when it regressed",
    .details =
        "The first line is the verdict: nothing regressed, or what is slower and\n"
        "why: code, a card, a host, a link, or the environment. The key gate of the\n"
        "job file has the rules. The coordinator measures suspects again, as 'muster\n"
        "confirm' does. A regression counts when it is confirmed; with\n"
        "--no-confirm it counts at once. Suspects that fresh runs do not decide\n"
        "leave the gate undecided.\n"
        "Exit codes, the first that applies: 4 something regressed, 5 something was\n"
        "not measured, is undecided or has no base, 1 tasks failed, 0 "
        "passed.\n" COMMAND_JOB_DETAILS,
    .examples = "  muster gate sweep-7\n"
                "  muster gate --against nightly --timeout 2h --to gate sweep-7",
    .run = run,
};
