/* logs.c - prints the output of a task, while it runs or afterwards */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/app/command_options.h"
#include "cli/fleet/running_coordinator.h"
#include "cli/query/job_search.h"
#include "cli/query/row_source.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/daemon/rank_outputs.h"
#include "lib/store/store.h"

enum {
    POLL_MS = 200,
    ENDING_MS = 10000, /* the workers of a private run may end this long before it */
};

struct logs_options {
    struct command_options common;
    uint64_t point, repeat, rank;
    bool any, follow; /* any: no point was given */
};

struct task_output {
    const struct logs_options *options;
    uint64_t job_id, point, repeat, run_id, attempt;
    uint64_t from; /* bytes that are printed already */
    int32_t card;
    bool found, started, runs_or_failed, has_output;
};

const struct command command_logs;

static void wait_for_poll(void)
{
    const struct timespec time = {.tv_nsec = POLL_MS * 1000000};

    nanosleep(&time, NULL);
}

static int write_out(const void *bytes, size_t size, struct err *err)
{
    if (fd_write_all(STDOUT_FILENO, bytes, size) < 0)
        return err_errno(err, "writing to stdout");
    return 0;
}

/* From a coordinator */

/* Without a point the command selects the first task that runs or has failed, otherwise
 * the last task that started. */
static bool is_better_choice(const struct task_output *task,
                             const struct msg_task_row *row)
{
    const struct logs_options *options = task->options;

    if (!options->any)
        return row->point == options->point && row->repeat == options->repeat;
    if (row->attempt == 0)
        return !task->found;
    return !task->started || !task->runs_or_failed;
}

static void consider_task(const void *message, void *arg)
{
    const struct msg_task_row *row = message;
    struct task_output *task = arg;

    if (!is_better_choice(task, row))
        return;
    task->found = true;
    task->started = row->attempt > 0;
    task->runs_or_failed =
        strcmp(row->state, "leased") == 0 || strcmp(row->state, "failed") == 0;
    task->point = row->point;
    task->repeat = row->repeat;
    task->run_id = row->run_id;
    task->attempt = row->attempt;
}

/* Leaves the task as it was when the coordinator ends: a follower then reads the
 * rest from the store. */
static int find_task(struct task_output *task, struct client *client, struct err *err)
{
    const struct msg_list_tasks request = {.job_id = task->job_id};
    struct task_output chosen = *task;

    chosen.found = chosen.started = chosen.runs_or_failed = false;
    if (client_each(client, MSG_LIST_TASKS, &request, MSG_TASK_ROW, consider_task,
                    &chosen, err) < 0)
        return -1;
    if (!chosen.found)
        return err_set(err, ERR_NOT_FOUND,
                       "the job has no point %" PRIu64 " repeat %" PRIu64
                       "; 'muster show' lists its tasks",
                       task->options->point, task->options->repeat);
    *task = chosen;
    return 0;
}

/* Prints all output that is not printed yet. *ended is set when the task has ended. */
static int print_more(struct client *client,
                      struct task_output *task,
                      bool *ended,
                      struct err *err)
{
    const union any_message *reply;
    const struct msg_log_piece *piece;

    do {
        const struct msg_read_log request = {.job_id = task->job_id,
                                             .point = task->point,
                                             .repeat = task->repeat,
                                             .rank = task->options->rank,
                                             .run_id = task->run_id,
                                             .from = task->from};

        if (client_request(client, MSG_READ_LOG, &request, MSG_LOG_PIECE, &reply, err) <
            0)
            return -1;
        piece = &reply->log_piece;
        *ended = piece->ended;
        if (*piece->note)
            return err_set(err, ERR_UNREACHABLE, "%s", piece->note);
        if (piece->run_id != task->run_id) {
            if (task->run_id)
                fputs("muster logs: the next attempt of the task starts here\n",
                      stderr);
            task->run_id = piece->run_id;
            task->from = 0;
            if (piece->from != 0)
                continue; /* the reply belongs to the previous attempt */
        }
        if (write_out(piece->data.data, piece->data.size, err) < 0)
            return -1;
        task->from += piece->data.size;
        task->has_output |= piece->there;
    } while (piece->data.size > 0);
    return 0;
}

static int follow(struct client *client, struct task_output *task, struct err *err)
{
    uint64_t last;
    bool ended;

    task->has_output = false;
    for (;;) {
        if (print_more(client, task, &ended, err) < 0)
            return -1;
        if (ended) { /* another attempt may have started since the last reply */
            last = task->run_id;
            if (find_task(task, client, err) < 0)
                return -1;
            if (task->run_id == last)
                return 0;
            task->from = 0;
            continue;
        }
        wait_for_poll();
    }
}

static int
print_from_coordinator(struct task_output *task, const char *job_arg, struct err *err)
{
    const struct logs_options *options = task->options;
    struct client *client = NULL;
    bool ended;

    int result = client_open(&client, &options->common.client, err);
    if (result == 0)
        result =
            job_search_client(client, job_arg, JOB_CHOICE_NEWEST, &task->job_id, err);
    if (result == 0)
        result = find_task(task, client, err);
    if (result == 0 && options->follow)
        result = follow(client, task, err);
    else if (result == 0 && !task->started)
        result =
            err_set(err, ERR_NOT_FOUND, "the task has not started; -f waits for it");
    else if (result == 0) {
        task->has_output = false;
        result = print_more(client, task, &ended, err);
        if (result == 0 && !task->has_output)
            fputs("muster logs: the task printed nothing, or its output was deleted\n",
                  stderr);
    }
    client_close(client);
    return result;
}

/* From the folder of a private run that has ended */

static int consider_rank(const struct store_rank *rank, void *arg, struct err *err)
{
    struct task_output *task = arg;
    const struct logs_options *options = task->options;
    bool failed = strcmp(rank->status, "done") != 0;
    bool same = task->found && rank->point == task->point && /* a later attempt */
                rank->repeat == task->repeat;

    (void)err;
    if (rank->rank != options->rank ||
        (!options->any &&
         (rank->point != options->point || rank->repeat != options->repeat)) ||
        (options->any && task->runs_or_failed && !same))
        return 0;
    task->found = true;
    task->runs_or_failed = failed;
    task->point = rank->point;
    task->repeat = rank->repeat;
    task->run_id = rank->run_id;
    task->card = rank->card;
    return 0;
}

static int print_file(const char *out, const struct task_output *task, struct err *err)
{
    char bytes[RANK_OUTPUTS_PIECE],
        *folder = xasprintf("%s/store/spool/%d", out, task->card);
    uint64_t from = task->from;
    size_t size;
    bool has_output;
    int result = 0;

    do {
        size = rank_outputs_read(bytes, sizeof(bytes), &has_output, folder,
                                 task->run_id, task->options->rank, from);
        from += size;
        result = write_out(bytes, size, err);
    } while (result == 0 && size > 0);
    if (result == 0 && !has_output)
        fputs("muster logs: the task printed nothing, or its output was deleted\n",
              stderr);
    free(folder);
    return result;
}

static int print_from_store(const struct logs_options *options,
                            const char *job_arg,
                            struct err *err)
{
    struct task_output task = {.options = options};
    struct store *store = NULL;
    int result = row_source_open_store(&store, options->common.out, err);

    if (result < 0 && err->code == ERR_NOT_FOUND)
        err_set(err, ERR_UNREACHABLE,
                "no store in %s and no coordinator is named; pass --out DIR or "
                "--coordinator ENDPOINT",
                options->common.out);
    if (result == 0 && options->follow)
        result =
            err_set(err, ERR_INPUT,
                    "--follow: no run is active in %s and no coordinator is named; "
                    "pass --out DIR or --coordinator ENDPOINT",
                    options->common.out);
    if (result == 0)
        result = job_search_store(store, job_arg, JOB_CHOICE_NEWEST, &task.job_id, err);
    if (result == 0)
        result = store_each_rank(store, task.job_id, consider_rank, &task, err);
    if (result == 0 && !task.found)
        result = options->any ? err_set(err, ERR_NOT_FOUND,
                                        "rank %" PRIu64 " of this job has not run",
                                        options->rank)
                              : err_set(err, ERR_NOT_FOUND,
                                        "point %" PRIu64 " repeat %" PRIu64
                                        " rank %" PRIu64 " has not run",
                                        options->point, options->repeat, options->rank);
    if (result == 0)
        result = print_file(options->common.out, &task, err);
    store_close(store);
    return result;
}

/* Waits a limited time for the end of a private run. */
static bool wait_for_end_of_run(const struct logs_options *options)
{
    for (int ms = 0; running_coordinator_is(options->common.out); ms += POLL_MS) {
        if (ms >= ENDING_MS)
            return false;
        wait_for_poll();
    }
    return true;
}

/* Prints the rest from the store of a private run, which ended during the command. */
static int print_rest(const struct task_output *unfinished, struct err *err)
{
    struct logs_options options = *unfinished->options;
    struct task_output task = {.options = &options};
    struct store *store = NULL;

    options.any = false;
    options.point = unfinished->point;
    options.repeat = unfinished->repeat;
    int result = row_source_open_store(&store, options.common.out, err);
    if (result == 0)
        result = store_each_rank(store, unfinished->job_id, consider_rank, &task, err);
    if (result == 0 && !task.found)
        result = err_set(err, ERR_NOT_FOUND,
                         "point %" PRIu64 " repeat %" PRIu64
                         " has no output: the job ended before this task started",
                         options.point, options.repeat);
    if (result == 0) {
        task.from = task.run_id == unfinished->run_id ? unfinished->from : 0;
        result = print_file(options.common.out, &task, err);
    }
    store_close(store);
    return result;
}

static int
parse_number(const char *job_arg, const char *what, uint64_t *number, struct err *err)
{
    if (!num_parse_u64(job_arg, number))
        return err_set(err, ERR_INPUT, "%s '%s' is not a number", what, job_arg);
    return 0;
}

static int run(int argc, char **argv, struct err *err)
{
    struct logs_options options = {.common = COMMAND_OPTIONS_INIT};
    char **args;
    const struct option_row rows[] = {
        {"follow", 'f', OPTION_FLAG, &options.follow, NULL,
         "Print new output until the task has ended", NULL},
        {"rank", 'r', OPTION_U64, &options.rank, "N",
         "Print the output of rank N (default: 0)", NULL},
        COMMAND_OPTIONS_OUT_ROW(options.common),
        COMMAND_OPTIONS_CLIENT_ROWS(options.common),
        COMMAND_OPTIONS_HELP_ROW(options.common),
        {0},
    };

    int parsed = command_options_parse(&command_logs, rows, &options.common, argc, argv,
                                       &args, 1, 3, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    options.any = !args[1];
    if ((args[1] && parse_number(args[1], "point", &options.point, err) < 0) ||
        (args[1] && args[2] &&
         parse_number(args[2], "repeat", &options.repeat, err) < 0))
        return -1;
    bool is_private =
        running_coordinator_find(&options.common.client, options.common.out);
    if (!client_is_named(&options.common.client))
        return print_from_store(&options, args[0], err);
    struct task_output task = {.options = &options};
    int result = print_from_coordinator(&task, args[0], err);
    bool is_away =
        result < 0 && (err->code == ERR_UNREACHABLE || err->code == ERR_TIMEOUT);
    if (is_away && is_private && task.found && wait_for_end_of_run(&options))
        result = print_rest(&task, err);
    return result;
}

const struct command command_logs = {
    .name = "logs",
    .args = "[-f] JOB [POINT [REPEAT]]",
    .summary = "Print the output of a task, while it runs or afterwards",
    .details =
        "Prints the output of the latest attempt of one task. POINT and REPEAT\n"
        "select the task. Without POINT it is the first task that runs or has\n"
        "failed, otherwise the last one. A worker keeps the output of its newest 64\n"
        "programs, 4 MiB each.\n" COMMAND_JOB_DETAILS,
    .examples = "  muster logs sweep-7\n"
                "  muster logs --follow sweep-7 12\n"
                "  muster logs --rank 1 sweep-7 12 0",
    .run = run,
};
