/* report.c - writes the reports of a job again from the store */
#include <stdio.h>
#include <stdlib.h>

#include "cli/app/command_options.h"
#include "cli/query/job_search.h"
#include "cli/query/row_source.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/store/store.h"
#include "parsers/reports/reports.h"

const struct command command_report;

static int keep_key(const struct store_job *job, void *arg, struct err *err)
{
    char **key = arg;

    (void)err;
    *key = xstrdup(job->key);
    return 0;
}

/* Finds number and key of a job by number, key or name. The caller frees *key. */
static int find_job(const char *out,
                    const char *job_arg,
                    uint64_t *job_id,
                    char **key,
                    struct err *err)
{
    struct store *store = NULL;
    int result = -1;

    if (row_source_open_store(&store, out, err) == 0 &&
        job_search_store(store, job_arg, JOB_CHOICE_NEWEST, job_id, err) == 0)
        result = store_job_read(store, *job_id, keep_key, key, err);
    store_close(store);
    return result;
}

static int
report(const char *out, const char *job_arg, const char *target, struct err *err)
{
    char *store = xasprintf("%s/store", out);
    char *key = NULL, *folder = NULL;
    uint64_t job_id;
    int result = find_job(out, job_arg, &job_id, &key, err);

    if (result == 0) {
        folder = target ? xstrdup(target) : xasprintf("%s/%s", out, key);
        result = reports_write(store, job_id, folder, err);
    }
    if (result == 0)
        printf("%s/report.html\n", folder);
    free(folder);
    free(key);
    free(store);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = {0};
    const char *out = "out", *target = NULL;
    char **args;
    const struct option_row rows[] = {
        {"out", 0, OPTION_TEXT, &out, "DIR",
         "Folder of results whose store is read (default: out)", NULL},
        {"to", 0, OPTION_TEXT, &target, "DIR",
         "Folder to write to (default: the folder of the job below --out)", NULL},
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_report, rows, &options, argc, argv,
                                       &args, 1, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    return report(out, args[0], target, err);
}

const struct command command_report = {
    .name = "report",
    .args = "[--out DIR] JOB",
    .summary = "Write the reports of a job again from the store",
    .details =
        "Reads only the store and needs no coordinator. The report of a job that\n"
        "has not ended contains the results so far and their "
        "number.\n" COMMAND_JOB_DETAILS,
    .examples = "  muster report sweep-7\n"
                "  muster report --to report sweep-7",
    .run = run,
};
