/* logs.c - what an operator printed, while it runs or afterwards */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/app/command_options.h"
#include "cli/fleet/running_coordinator.h"
#include "cli/query/row_source.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/daemon/rank_outputs.h"
#include "lib/store/store.h"

enum {
    AGAIN_MS = 200,
    OVER_MS = 10000, /* a private fleet's workers may be gone so long before it */
};

struct logs_options {
    struct command_options common;
    uint64_t point, repeat, rank;
    bool any, follow; /* any: the first task that has something */
};

struct found {
    const struct logs_options *options;
    uint64_t job_id, point, repeat, run_id, attempt;
    uint64_t from; /* what of it is printed already */
    int32_t card;
    bool any, there, runs;
};

const struct command command_logs;

static void nap(void)
{
    const struct timespec time = {.tv_nsec = AGAIN_MS * 1000000};

    nanosleep(&time, NULL);
}

static int write_out(const void *bytes, size_t size, struct err *err)
{
    if (fd_write_all(STDOUT_FILENO, bytes, size) < 0)
        return err_errno(err, "writing to stdout");
    return 0;
}

/* From a coordinator */

/* Without a point: the first that runs or has failed, else the last that began. */
static bool is_better(const struct found *found, const struct msg_task_row *row)
{
    const struct logs_options *options = found->options;

    if (!options->any)
        return row->point == options->point && row->repeat == options->repeat;
    if (row->attempt == 0)
        return !found->any;
    return !found->there || !found->runs;
}

static void look(const void *message, void *arg)
{
    const struct msg_task_row *row = message;
    struct found *found = arg;

    if (!is_better(found, row))
        return;
    found->any = true;
    found->there = row->attempt > 0;
    found->runs =
        strcmp(row->state, "leased") == 0 || strcmp(row->state, "failed") == 0;
    found->point = row->point;
    found->repeat = row->repeat;
    found->run_id = row->run_id;
    found->attempt = row->attempt;
}

static int find_task(struct found *found, struct client *client, struct err *err)
{
    const struct msg_list_tasks question = {.job_id = found->job_id};

    found->any = found->there = found->runs = false;
    if (client_each(client, MSG_LIST_TASKS, &question, MSG_TASK_ROW, look, found, err) <
        0)
        return -1;
    if (!found->any)
        return err_set(err, ERR_NOT_FOUND, "the job has no such point and repeat");
    return 0;
}

/* All that is there and not printed; *ended: nothing will come behind it. */
static int
print_more(struct client *client, struct found *found, bool *ended, struct err *err)
{
    const union any_message *answer;
    const struct msg_log_piece *piece;

    do {
        const struct msg_read_log question = {.job_id = found->job_id,
                                              .point = found->point,
                                              .repeat = found->repeat,
                                              .rank = found->options->rank,
                                              .run_id = found->run_id,
                                              .from = found->from};

        if (client_ask(client, MSG_READ_LOG, &question, MSG_LOG_PIECE, &answer, err) <
            0)
            return -1;
        piece = &answer->log_piece;
        *ended = piece->ended;
        if (*piece->note)
            return err_set(err, ERR_UNREACHABLE, "%s", piece->note);
        if (piece->run_id != found->run_id) {
            if (found->run_id)
                fputs("muster logs: another attempt\n", stderr);
            found->run_id = piece->run_id;
            found->from = 0;
            if (piece->from != 0)
                continue; /* the answer to the old question */
        }
        if (write_out(piece->data.data, piece->data.size, err) < 0)
            return -1;
        found->from += piece->data.size;
        found->there |= piece->there;
    } while (piece->data.size > 0);
    return 0;
}

static int follow(struct client *client, struct found *found, struct err *err)
{
    uint64_t last;
    bool ended;

    found->there = false;
    for (;;) {
        if (print_more(client, found, &ended, err) < 0)
            return -1;
        if (ended) { /* an attempt that came and went between two questions */
            last = found->run_id;
            if (find_task(found, client, err) < 0)
                return -1;
            if (found->run_id == last)
                return 0;
            found->from = 0;
            continue;
        }
        nap();
    }
}

static int ask(struct found *found, const char *word, struct err *err)
{
    const struct logs_options *options = found->options;
    struct client *client = NULL;
    bool ended;

    int result = client_open(&client, &options->common.client, err);
    if (result == 0)
        result = client_find_job(client, word, &found->job_id, err);
    if (result == 0)
        result = find_task(found, client, err);
    if (result == 0 && options->follow)
        result = follow(client, found, err);
    else if (result == 0 && !found->there)
        result = err_set(err, ERR_NOT_FOUND, "it has not started yet; -f waits for it");
    else if (result == 0) {
        found->there = false;
        result = print_more(client, found, &ended, err);
        if (result == 0 && !found->there)
            fputs("muster logs: it has printed nothing, or that is no longer kept\n",
                  stderr);
    }
    client_close(client);
    return result;
}

/* From what a private fleet left */

static int look_in_store(const struct store_rank *rank, void *arg, struct err *err)
{
    struct found *found = arg;
    const struct logs_options *options = found->options;
    bool failed = strcmp(rank->status, "done") != 0;
    bool same = found->any && rank->point == found->point && /* a later attempt */
                rank->repeat == found->repeat;

    (void)err;
    if (rank->rank != options->rank ||
        (!options->any && (rank->point != options->point || rank->repeat != options->repeat)) ||
        (options->any && found->runs && !same))
        return 0;
    found->any = true;
    found->runs = failed;
    found->point = rank->point;
    found->repeat = rank->repeat;
    found->run_id = rank->run_id;
    found->card = rank->card;
    return 0;
}

static int print_file(const char *out, const struct found *found, struct err *err)
{
    char bytes[RANK_OUTPUTS_PIECE],
        *folder = xasprintf("%s/store/spool/%d", out, found->card);
    uint64_t from = found->from;
    size_t size;
    bool there;
    int result = 0;

    do {
        size = rank_outputs_read(bytes, sizeof(bytes), &there, folder, found->run_id,
                                 found->options->rank, from);
        from += size;
        result = write_out(bytes, size, err);
    } while (result == 0 && size > 0);
    if (result == 0 && !there)
        fputs("muster logs: it has printed nothing, or that is no longer kept\n",
              stderr);
    free(folder);
    return result;
}

static int read_store(const struct logs_options *options, const char *word, struct err *err)
{
    struct found found = {.options = options};
    struct store *store = NULL;
    int result = row_source_open_store(&store, options->common.out, err);

    if (result < 0 && err->code == ERR_NOT_FOUND)
        err_set(err, ERR_UNREACHABLE,
                "no store in %s, and no coordinator is named: --out DIR or "
                "--coordinator ENDPOINT",
                options->common.out);
    if (result == 0 && options->follow)
        result = err_set(err, ERR_INPUT,
                         "--follow: nobody works in %s (--out DIR), and no coordinator "
                         "is named",
                         options->common.out);
    if (result == 0)
        result = store_job_find(store, word, &found.job_id, err);
    if (result == 0)
        result = store_each_rank(store, found.job_id, look_in_store, &found, err);
    if (result == 0 && !found.any)
        result = options->any ? err_set(err, ERR_NOT_FOUND,
                                     "no rank %" PRIu64 " of it has run", options->rank)
                           : err_set(err, ERR_NOT_FOUND,
                                     "no point %" PRIu64 ", repeat %" PRIu64
                                     ", rank %" PRIu64 " of it has run",
                                     options->point, options->repeat, options->rank);
    if (result == 0)
        result = print_file(options->common.out, &found, err);
    store_close(store);
    return result;
}

static bool is_soon_over(const struct logs_options *options)
{
    for (int ms = 0; running_coordinator_is(options->common.out); ms += AGAIN_MS) {
        if (ms >= OVER_MS)
            return false;
        nap();
    }
    return true;
}

/* A private run was over before all was asked for: the rest is in its store. */
static int read_rest(const struct found *asked, struct err *err)
{
    struct logs_options options = *asked->options;
    struct found found = {.options = &options};
    struct store *store = NULL;

    options.any = false;
    options.point = asked->point;
    options.repeat = asked->repeat;
    int result = row_source_open_store(&store, options.common.out, err);
    if (result == 0)
        result = store_each_rank(store, asked->job_id, look_in_store, &found, err);
    if (result == 0 && !found.any)
        result = err_set(err, ERR_NOT_FOUND, "the run is over, and this never ran");
    if (result == 0) {
        found.from = found.run_id == asked->run_id ? asked->from : 0;
        result = print_file(options.common.out, &found, err);
    }
    store_close(store);
    return result;
}

static int
read_number(const char *word, const char *what, uint64_t *number, struct err *err)
{
    if (!num_parse_u64(word, number))
        return err_set(err, ERR_INPUT, "'%s' is no %s", word, what);
    return 0;
}

static int run(int argc, char **argv, struct err *err)
{
    struct logs_options options = {.common = COMMAND_OPTIONS_INIT};
    char **args;
    const struct option_row rows[] = {
        {"follow", 'f', OPTION_FLAG, &options.follow, NULL,
         "wait for more until the task has ended", NULL},
        {"rank", 'r', OPTION_U64, &options.rank, "N", "of this rank (0)", NULL},
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
    if ((args[1] && read_number(args[1], "point", &options.point, err) < 0) ||
        (args[1] && args[2] && read_number(args[2], "repeat", &options.repeat, err) < 0))
        return -1;
    bool is_private = running_coordinator_find(&options.common.client, options.common.out);
    if (!client_is_named(&options.common.client))
        return read_store(&options, args[0], err);
    struct found found = {.options = &options};
    int result = ask(&found, args[0], err);
    bool is_gone =
        result < 0 && (err->code == ERR_UNREACHABLE || err->code == ERR_TIMEOUT);
    if (is_gone && is_private && found.any && is_soon_over(&options))
        result = read_rest(&found, err);
    return result;
}

const struct command command_logs = {
    .name = "logs",
    .args = "[-f] JOB [POINT [REPEAT]]",
    .summary = "what an operator printed, while it runs or afterwards",
    .details =
        "Of the task's latest attempt. Without a point: of the first task that runs "
        "or\n"
        "has failed, else of the last one. A worker keeps what its newest 64 programs\n"
        "printed, up to 4 MiB each.",
    .run = run,
};
