/* list.c - lists the jobs of a coordinator or store, or the workers */
#include <inttypes.h>

#include "cli/app/command_options.h"
#include "cli/fleet/running_coordinator.h"
#include "cli/prune/job_files.h"
#include "cli/query/job_filter.h"
#include "cli/query/row_source.h"
#include "cli/view/message_rows.h"

static const char *const job_columns[] = {
    "job_key", "state",     "tasks", "waiting",           "running", "done",
    "failed",  "cancelled", "user",  "submitted_wall_ns", "size",    NULL,
};
static const char *const worker_columns[] = {
    "host",    "card",      "model",       "simulated", "state",
    "job_key", "silent_ms", "ranks_ended", "note",      NULL,
};

const struct command command_list;

/* in the order of enum job_state */
static const char *const states[] = {"waiting", "running",   "parsing", "done",
                                     "failed",  "cancelled", NULL};

struct list {
    struct command_options options;
    struct job_filter filter;
    int state; /* enum job_state; -1: all */
    bool workers, sizes, wide;
};

static void add(const void *row, void *arg)
{
    message_rows_add(arg, row);
}

static void set_width(const struct list *list, struct message_rows *rows)
{
    message_rows_set_hint(rows, "--wide prints all columns");
    if (list->wide)
        message_rows_set_wide(rows);
}

static int
list_workers(const struct list *list, struct row_source *source, struct err *err)
{
    struct message_rows *rows =
        message_rows_create(list->options.format, MSG_WORKER_ROW, worker_columns);

    set_width(list, rows);
    if (row_source_each(source, MSG_WORKER_ROW, 0, add, rows, err) < 0)
        return message_rows_destroy(&rows);
    return message_rows_finish(&rows, err);
}

static void add_job(const struct list *list,
                    struct message_rows *rows,
                    const struct msg_job_row *job)
{
    char size[32];
    const char *const values[] = {size};

    if (list->sizes) {
        uint64_t bytes =
            job_files_bytes(list->options.out, job->job_id, job->job_key, false);

        if (list->options.format == ROW_OUTPUT_TEXT)
            job_files_format(size, bytes);
        else
            snprintf(size, sizeof(size), "%" PRIu64, bytes);
    }
    message_rows_add_more(rows, job, list->sizes ? values : NULL, NULL);
}

static int list_jobs(struct list *list, struct row_source *source, struct err *err)
{
    struct job_filter *filter = &list->filter;

    if (row_source_each(source, MSG_JOB_ROW, 0, job_filter_add, filter, err) < 0)
        return -1;
    struct message_rows *rows =
        message_rows_create(list->options.format, MSG_JOB_ROW, job_columns);
    set_width(list, rows);
    if (list->sizes)
        message_rows_add_column(
            rows, list->options.format == ROW_OUTPUT_TEXT ? "size" : "bytes");
    for (size_t i = job_filter_first(filter); i < filter->count; i++)
        add_job(list, rows, &filter->rows[i]);
    return message_rows_finish(&rows, err);
}

static int print_list(struct list *list, struct err *err)
{
    struct row_source *source;

    if (list->state >= 0)
        list->filter.state = states[list->state];
    if (row_source_open(&source, &list->options.client, list->options.out, err) < 0)
        return -1;
    int result =
        list->workers ? list_workers(list, source, err) : list_jobs(list, source, err);
    job_filter_clear(&list->filter);
    row_source_close(source);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct list list = {.options = COMMAND_OPTIONS_INIT, .state = -1};
    char **args;
    const struct option_row rows[] = {
        {"workers", 'w', OPTION_FLAG, &list.workers, NULL,
         "List the connected workers instead of the jobs", NULL},
        {"last", 'n', OPTION_COUNT, &list.filter.last, "N",
         "Only the last N of the selected jobs (default: all)", NULL},
        {"user", 'u', OPTION_TEXT, &list.filter.user, "NAME",
         "Only jobs of this user (default: all)", NULL},
        {"state", 0, OPTION_CHOICE, &list.state, "STATE",
         "Only jobs in this state (default: all)", states},
        {"sizes", 0, OPTION_FLAG, &list.sizes, NULL,
         "Also print what the capture and the files of each job take on disk", NULL},
        {"wide", 0, OPTION_FLAG, &list.wide, NULL,
         "Print all columns and whole names, also where the terminal is narrower",
         NULL},
        COMMAND_OPTIONS_OUTPUT_ROW(list.options),
        COMMAND_OPTIONS_OUT_ROW(list.options),
        COMMAND_OPTIONS_CLIENT_ROWS(list.options),
        COMMAND_OPTIONS_HELP_ROW(list.options),
        {0},
    };

    int parsed = command_options_parse(&command_list, rows, &list.options, argc, argv,
                                       &args, 0, 0, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (list.workers && (list.filter.last || list.filter.user || list.state >= 0))
        return err_set(err, ERR_INPUT,
                       "--last, --user and --state select jobs; pass them without "
                       "--workers");
    if (list.sizes && (list.workers || client_is_named(&list.options.client)))
        return err_set(
            err, ERR_INPUT,
            "--sizes reads the files of jobs below --out; pass it without %s",
            list.workers ? "--workers" : "a coordinator");
    if (list.workers) /* workers are not in the store */
        running_coordinator_find(&list.options.client, list.options.out);
    return print_list(&list, err);
}

const struct command command_list = {
    .name = "list",
    .args = "[OPTIONS]",
    .summary = "List all jobs and their progress, or all workers",
    .details = "Jobs are listed oldest first.\n\n"
               "  muster list --last 5 --user ada\n"
               "  muster list --state failed -o csv\n"
               "  muster list --sizes             what 'muster prune' can free\n"
               "  muster list --workers",
    .run = run,
};
