/* events.c - prints stored events, and with --follow new ones as they arrive */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/app/command_options.h"
#include "cli/query/row_source.h"
#include "cli/view/message_rows.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"

static const char *const columns[] = {
    "seq", "at_wall_ns", "kind", "job_id", "task_id", "text", NULL,
};

enum { FOLLOW_S = 1 };

const struct command command_events;

struct events_options {
    struct command_options common;
    uint64_t since, newest;
    bool follow;
};

/* The receiver of one query; *since is set to the number of the last event. */
struct event_output {
    struct message_rows *rows; /* NULL: each event is printed at once as a line */
    uint64_t *since;
};

static void print_event(const void *row, void *arg)
{
    const struct msg_event_row *event = row;
    const struct event_output *output = arg;
    char when[32];

    *output->since = event->seq;
    if (output->rows) {
        message_rows_add(output->rows, row);
        return;
    }
    char *text = row_output_printable(xstrdup(event->text));
    printf("%s  %s  %s\n", clock_format(when, event->at_wall_ns), event->kind, text);
    free(text);
}

static int list(struct row_source *source,
                struct events_options *options,
                uint64_t job_id,
                struct err *err)
{
    bool lines = options->follow && options->common.format == ROW_OUTPUT_TEXT;
    struct message_rows *rows =
        lines ? NULL
              : message_rows_create(options->common.format, MSG_EVENT_ROW, columns);
    struct event_output output = {rows, &options->since};

    int result = row_source_events(source, job_id, options->since, options->newest,
                                   print_event, &output, err);
    if (rows)
        result =
            result < 0 ? message_rows_destroy(&rows) : message_rows_finish(&rows, err);
    if (fflush(stdout) == EOF && result == 0)
        result = err_errno(err, "writing the events to stdout");
    return result;
}

static int
print_events(struct events_options *options, const char *job_arg, struct err *err)
{
    const struct timespec interval = {.tv_sec = FOLLOW_S};
    struct row_source *source;
    uint64_t job_id = 0;

    if (row_source_open(&source, &options->common.client, options->common.out, err) < 0)
        return -1;
    int result = job_arg ? row_source_find_job(source, job_arg, &job_id, err) : 0;
    if (result == 0)
        result = list(source, options, job_id, err);
    while (result == 0 && options->follow) {
        nanosleep(&interval, NULL);
        options->newest = 0; /* --last limits the first query only */
        result = list(source, options, job_id, err);
    }
    row_source_close(source);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct events_options options = {.common = COMMAND_OPTIONS_INIT};
    char **args;
    const struct option_row rows[] = {
        {"since", 0, OPTION_U64, &options.since, "SEQ",
         "Only events with a number greater than SEQ (default: 0)", NULL},
        {"last", 'n', OPTION_COUNT, &options.newest, "N",
         "Only events among the newest N of the store (default: all)", NULL},
        {"follow", 'f', OPTION_FLAG, &options.follow, NULL,
         "Also print new events until interrupted; format text or jsonl only", NULL},
        COMMAND_OPTIONS_OUTPUT_ROW(options.common),
        COMMAND_OPTIONS_OUT_ROW(options.common),
        COMMAND_OPTIONS_CLIENT_ROWS(options.common),
        COMMAND_OPTIONS_HELP_ROW(options.common),
        {0},
    };

    int parsed = command_options_parse(&command_events, rows, &options.common, argc,
                                       argv, &args, 0, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (options.follow && options.common.format != ROW_OUTPUT_TEXT &&
        options.common.format != ROW_OUTPUT_JSONL)
        return err_set(err, ERR_INPUT,
                       "--follow supports --output text and jsonl only");
    return print_events(&options, args[0], err);
}

const struct command command_events = {
    .name = "events",
    .args = "[OPTIONS] [JOB]",
    .summary = "Print the events of jobs, tasks and workers, oldest first",
    .details = "Without JOB the events of all jobs are printed.\n" COMMAND_JOB_DETAILS,
    .examples = "  muster events --last 20\n"
                "  muster events --follow --output jsonl sweep-7",
    .run = run,
};
