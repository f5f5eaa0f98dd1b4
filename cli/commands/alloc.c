/* alloc.c - manages the queues that request cards from a cluster while tasks wait */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/app/command_options.h"
#include "cli/fleet/alloc_node.h"
#include "cli/view/message_rows.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/cluster/allocation_queue.h"
#include "lib/cluster/slurm.h"

const struct command command_alloc;

static const char *const queue_columns[] = {
    "name",    "state", "nodes",    "cards_per_node", "queued",
    "running", "ended", "failures", "reason",         NULL,
};
static const char *const allocation_columns[] = {
    "queue", "name", "number", "state", "workers", "reason", NULL,
};

struct alloc_options {
    struct command_options common;
    struct allocation_request queue;
    struct alloc_node node;
    bool allocations;
};

static void add_row(const void *row, void *arg)
{
    message_rows_add(arg, row);
}

static int
list(struct client *client, char **args, struct alloc_options *options, struct err *err)
{
    const struct msg_list_allocs request = {.allocations = options->allocations};
    enum message_type type = options->allocations ? MSG_ALLOCATION_ROW : MSG_ALLOC_ROW;
    struct message_rows *rows =
        message_rows_create((enum row_output_format)options->common.format, type,
                            options->allocations ? allocation_columns : queue_columns);

    (void)args;
    if (client_each(client, MSG_LIST_ALLOCS, &request, type, add_row, rows, err) < 0)
        return message_rows_destroy(&rows);
    return message_rows_finish(&rows, err);
}

static int need_slurm(char **args, struct err *err)
{
    if (args[1] && !strcmp(args[1], "slurm"))
        return 0;
    return err_set(err, ERR_INPUT, "unknown cluster '%s'; only slurm is supported",
                   args[1] ? args[1] : "");
}

static int
send_request(struct client *client, const struct msg_alloc *request, struct err *err)
{
    const union any_message *reply;

    if (client_request(client, MSG_ALLOC, request, MSG_OK, &reply, err) < 0)
        return -1;
    printf("%s: %s\n", request->name, reply->ok.text);
    return EXIT_GOOD;
}

static int
add(struct client *client, char **args, struct alloc_options *options, struct err *err)
{
    struct allocation_request *queue = &options->queue;

    if (need_slurm(args, err) < 0)
        return -1;
    for (char **word = args + 2; *word; word++)
        queue->option_count++;
    queue->options = (const char *const *)args + 2;
    if (alloc_check(queue, err) < 0)
        return -1;
    const struct msg_alloc message = {.what = "add",
                                      .name = queue->name,
                                      .resource = queue->resource,
                                      .nodes = queue->nodes,
                                      .cards_per_node = queue->cards_per_node,
                                      .time_limit_ms = queue->time_limit_ms,
                                      .idle_ms = queue->idle_ms,
                                      .backlog = queue->backlog,
                                      .most = queue->most,
                                      .model = queue->model,
                                      .simulated = queue->simulated,
                                      .here = queue->here,
                                      .words = {queue->options, queue->option_count}};
    return send_request(client, &message, err);
}

static int change(struct client *client,
                  char **args,
                  struct alloc_options *options,
                  struct err *err)
{
    (void)options;
    if (!args[1] || args[2])
        return err_set(err, ERR_INPUT,
                       "give the name of one queue; 'muster alloc list' shows them");
    const struct msg_alloc message = {.what = args[0], .name = args[1]};
    return send_request(client, &message, err);
}

/* Prints the command and the script of a submission, and runs sbatch --test-only. */
static int dry_run(struct client *client,
                   char **args,
                   struct alloc_options *options,
                   struct err *err)
{
    struct allocation_request *queue = &options->queue;
    char program[4096];
    int input[2], status;

    (void)client;
    if (need_slurm(args, err) < 0)
        return -1;
    for (char **word = args + 2; *word; word++)
        queue->option_count++;
    queue->options = (const char *const *)args + 2;
    if (alloc_check(queue, err) < 0 ||
        file_next_to_program(program, sizeof(program), "muster", err) < 0)
        return -1;
    struct alloc_command command = alloc_slurm_dry_run(queue, program);
    assert(command.argv[0]);
    for (char **word = command.argv; *word; word++)
        printf("%s%s", word == command.argv ? "" : " ", *word);
    printf("\n%s", command.input);
    fflush(stdout);
    if (pipe(input) < 0)
        return err_errno(err, "creating a pipe for sbatch");
    pid_t pid = fork();
    if (pid == 0) {
        dup2(input[0], 0);
        close(input[0]);
        close(input[1]);
        execvp(command.argv[0], command.argv);
        perror(command.argv[0]);
        _exit(127);
    }
    close(input[0]);
    ssize_t written = write(input[1], command.input, strlen(command.input));
    close(input[1]);
    alloc_command_clear(&command);
    if (pid < 0 || written < 0 || waitpid(pid, &status, 0) != pid)
        return err_errno(err, "running sbatch --test-only");
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? EXIT_GOOD : EXIT_USAGE;
}

static int
node(struct client *client, char **args, struct alloc_options *options, struct err *err)
{
    (void)client;
    (void)args;
    options->node.resource = options->queue.resource;
    options->node.name = options->queue.name;
    options->node.idle_ms = options->queue.idle_ms;
    options->node.model = options->queue.model;
    options->node.simulated = options->queue.simulated;
    return alloc_node_serve(&options->node, err);
}

static const struct action {
    const char *name;
    bool local; /* runs without a coordinator */
    int (*run)(struct client *client,
               char **args,
               struct alloc_options *options,
               struct err *err);
} actions[] = {
    {"add", false, add},      {"list", false, list},     {"dry-run", true, dry_run},
    {"pause", false, change}, {"resume", false, change}, {"remove", false, change},
    {"node", true, node},
};

static const char *const action_names[] = {"add",    "list",   "dry-run", "pause",
                                           "resume", "remove", NULL};

#define QUEUE_OPTIONS                                                                  \
    "name nodes cards-per-node resource time-limit idle backlog most model simulated " \
    "here"

static const struct command_mode modes[] = {
    {"add", QUEUE_OPTIONS},
    {"dry-run", QUEUE_OPTIONS},
    {"node", "name resource idle model simulated"},
    {"list", "allocations"},
    {NULL, NULL}};

static int run_action(const struct action *action,
                      char **args,
                      struct alloc_options *options,
                      struct err *err)
{
    struct client *client = NULL;

    if (action->local)
        return action->run(NULL, args, options, err);
    if (client_open(&client, &options->common.client, err) < 0)
        return -1;
    int result = action->run(client, args, options, err);
    client_close(client);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct alloc_options options = {.queue = {.name = "slurm",
                                              .resource = "npu",
                                              .nodes = 1,
                                              .cards_per_node = 8,
                                              .idle_ms = 300000,
                                              .backlog = 1,
                                              .most = 16,
                                              .model = ""}};
    struct allocation_request *queue = &options.queue;
    char **args;
    const struct option_row rows[] = {
        {"name", 0, OPTION_TEXT, &queue->name, "NAME",
         "Name of the queue (default: slurm)", NULL},
        {"nodes", 0, OPTION_U64, &queue->nodes, "N",
         "Nodes of each allocation (default: 1)", NULL},
        {"cards-per-node", 0, OPTION_U64, &queue->cards_per_node, "N",
         "Cards to request on each node (default: 8)", NULL},
        {"resource", 0, OPTION_TEXT, &queue->resource, "NAME",
         "Slurm's name of a card, as in --gres (default: npu)", NULL},
        {"time-limit", 0, OPTION_DURATION, &queue->time_limit_ms, "TIME",
         "Time limit of each allocation (default: the limit of the cluster)", NULL},
        {"idle", 0, OPTION_DURATION, &queue->idle_ms, "TIME",
         "A worker exits after TIME without a task (default: 5m)", NULL},
        {"backlog", 0, OPTION_U64, &queue->backlog, "N",
         "Let at most N allocations wait in the cluster (default: 1)", NULL},
        {"most", 0, OPTION_U64, &queue->most, "N",
         "Let at most N allocations wait or run (default: 16)", NULL},
        {"model", 0, OPTION_TEXT, &queue->model, "NAME",
         "Model of the cards (default: the model that the driver reports)", NULL},
        {"simulated", 0, OPTION_FLAG, &queue->simulated, NULL,
         "Simulate the cards on the nodes (default: real cards)", NULL},
        {"here", 0, OPTION_FLAG, &queue->here, NULL,
         "Use the coordinator's own allocation; request no other (default: request)",
         NULL},
        {"allocations", 'a', OPTION_FLAG, &options.allocations, NULL,
         "Print the allocations instead of the queues (with list)", NULL},
        COMMAND_OPTIONS_OUTPUT_ROW(options.common),
        COMMAND_OPTIONS_CLIENT_ROWS(options.common),
        COMMAND_OPTIONS_HELP_ROW(options.common),
        {0},
    };

    int parsed = command_options_parse(&command_alloc, rows, &options.common, argc,
                                       argv, &args, 1, SIZE_MAX, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    for (size_t i = 0; i < COUNT(actions); i++)
        if (!strcmp(actions[i].name, args[0]))
            return command_options_check_mode(modes, args[0], err) < 0
                       ? -1
                       : run_action(&actions[i], args, &options, err);
    return err_set(
        err, ERR_INPUT,
        "unknown action '%s'; use add, list, dry-run, pause, resume or remove",
        args[0]);
}

const struct command command_alloc = {
    .name = "alloc",
    .args = "add|dry-run slurm [OPTIONS] [-- SBATCH-OPTION...] | list | "
            "pause|resume|remove NAME",
    .summary = "Request cards from a Slurm cluster while tasks wait",
    .details =
        "An allocation is a Slurm job that starts one worker per card. Its workers\n"
        "connect with a key that is valid for this allocation only, and exit after\n"
        "the time of --idle without a task. After a failure the coordinator waits\n"
        "10s before the next request, and twice as long after each further failure,\n"
        "up to 10m. After 8 failures in a row the queue is paused; 'alloc list'\n"
        "shows the reason. 'alloc remove' also cancels the allocations of the\n"
        "queue. The coordinator needs keys and a TCP endpoint that the nodes can\n"
        "reach.",
    .choices = action_names,
    .examples =
        "  muster alloc list\n"
        "  muster alloc dry-run slurm --name night --nodes 2 --cards-per-node 8\n"
        "  muster alloc pause night",
    .run = run,
};
