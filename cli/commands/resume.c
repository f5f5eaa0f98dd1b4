/* resume.c - continues a private run that was interrupted */
#include "cli/app/command_options.h"
#include "cli/app/job_file.h"
#include "cli/app/stored_job.h"
#include "cli/confirm/gate_confirmation.h"
#include "cli/fleet/private_run.h"

const struct command command_resume;

static int find_unfinished(struct stored_job *job,
                           const char *out,
                           const char *job_arg,
                           struct err *err)
{
    if (stored_job_find(job, out, job_arg, err) < 0)
        return -1;
    if (!job_state_is_final(job->state))
        return 0;
    return err_set(
        err, ERR_INPUT, "job %s has ended with state %s%s", job->key,
        job_state_name(job->state),
        job->state == JOB_DONE ? "" : "; 'muster retry' runs its failed tasks again");
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options common = COMMAND_OPTIONS_INIT;
    struct private_run_options options = PRIVATE_RUN_INIT;
    struct job_file file = {0};
    struct stored_job job = {0};
    char **args;
    const struct option_row rows[] = {
        PRIVATE_RUN_ROWS(options),
        COMMAND_OPTIONS_HELP_ROW(common),
        {0},
    };

    int result = command_options_parse(&command_resume, rows, &common, argc, argv,
                                       &args, 0, 1, err);
    if (result)
        return result < 0 ? -1 : EXIT_GOOD;
    result = find_unfinished(&job, options.out, args[0], err);
    if (result == 0)
        result = job_file_from_text(&file, job.yaml, job.key, err);
    if (result == 0) {
        options.resumed_id = job.job_id;
        options.confirm = gate_confirmation_run;
        result = private_run(&options, &file, err);
        job_file_clear(&file);
    }
    stored_job_clear(&job);
    return result;
}

const struct command command_resume = {
    .name = "resume",
    .args = "[OPTIONS] [JOB]",
    .summary = "Continue a job whose run was interrupted",
    .details = "Continues JOB, by default the latest job that has not ended, from the\n"
               "store below --out. Acknowledged results are not measured "
               "again.\n" COMMAND_ONE_JOB_DETAILS,
    .examples = "  muster resume\n"
                "  muster resume --cards 4 sweep-7",
    .run = run,
};
