/* main.c - muster-worker: serves one card, or starts one worker per card of the host */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/options.h"
#include "lib/daemon/worker_settings.h"
#include "lib/wire/join_ticket.h"
#include "worker/host/host_workers.h"
#include "worker/main/worker.h"
#include "worker/process/environment.h"

enum { EXIT_GOOD = 0, EXIT_USAGE = 2, EXIT_NOT_ALLOWED = 3, EXIT_INTERNAL = 7 };

static struct worker_settings options;

static int take_ticket(struct join_ticket *ticket, struct err *err)
{
    if (!options.ticket)
        return 0;
    if (options.control || options.data || options.key || options.server_key)
        return err_set(
            err, ERR_INPUT,
            "--ticket replaces --control, --data, --key and --server-key; pass "
            "either the ticket or these options");
    if (join_ticket_take(ticket, err) < 0)
        return -1;
    options.control = ticket->control;
    options.data = ticket->data;
    return 0;
}

static int exit_code_of(const struct err *err)
{
    return err->code == ERR_INPUT || err->code == ERR_NOT_FOUND ||
                   err->code == ERR_LIMIT
               ? EXIT_USAGE
           : err->code == ERR_DENIED ? EXIT_NOT_ALLOWED
                                     : EXIT_INTERNAL;
}

/* Parses and checks the options, and reads the ticket. */
static int
parse_options(struct join_ticket *ticket, int argc, char **argv, struct err *err)
{
    char **args;

    worker_settings_init(&options);
    if (options_parse(options.rows, argc, argv, &args, err) < 0)
        return -1;
    if (options.help || options.version)
        return 0;
    if (take_ticket(ticket, err) < 0 || worker_settings_check(&options, args, err) < 0)
        return -1;
    log_open("muster-worker", (enum log_level)options.log_level);
    log_as((enum log_format)options.log_format);
    return 0;
}

static void print_help(void)
{
    if (!options.help) {
        puts("muster-worker " MUSTER_VERSION);
        return;
    }
    printf("usage: muster-worker %s\n", worker_settings_usage);
    options_print(options.rows, stdout);
}

/* `original_argv` is argv before options_parse() reordered it. */
static int run_worker(int argc, char **argv, char **original_argv)
{
    struct join_ticket ticket = {0};
    struct err err = {0};
    int result;

    log_open("muster-worker", LOG_WARNING);
    if (parse_options(&ticket, argc, argv, &err) < 0) {
        fprintf(stderr, "muster-worker: %s\n", err.text);
        return EXIT_USAGE;
    }
    if (options.help || options.version) {
        print_help();
        return EXIT_GOOD;
    }
    unsetenv("MUSTER_KEY"); /* the key of a user; no operator gets it */
    environment_make_paths_absolute();
    result = options.card >= 0
                 ? worker_serve(&options, &ticket, &err)
                 : host_workers_serve(&options, &ticket, original_argv, &err);
    if (result >= 0)
        return result;
    log_error("worker failed: reason=%s", err.text);
    return exit_code_of(&err);
}

int main(int argc, char **argv)
{
    char **original_argv = xmemdup(argv, ((size_t)argc + 1) * sizeof(*argv));
    int result;

    fd_open_standard();
    mem_disable_trim();
    signal(SIGXFSZ, SIG_IGN); /* a write beyond `ulimit -f` then fails with a reason */
    result = run_worker(argc, argv, original_argv);

    free(original_argv);
    return result;
}
