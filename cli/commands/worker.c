/* worker.c - becomes muster-worker, whose options it shares */
#include "cli/app/exec_program.h"
#include "lib/daemon/worker_settings.h"

const struct command command_worker;

static int run(int argc, char **argv, struct err *err)
{
    static struct worker_settings settings;

    worker_settings_init(&settings);
    return exec_program_run(&command_worker, "muster-worker", settings.rows,
                            &settings.help, argc, argv, err);
}

const struct command command_worker = {
    .name = "worker",
    .args = worker_settings_usage,
    .summary = "serve the cards of this host to a coordinator",
    .details =
        "The same as muster-worker. Without --card all cards that the host, its "
        "driver\n"
        "or its environment names are served, each by a process of its own that is\n"
        "started again when it ends. What is measured while the coordinator is away\n"
        "waits in --spool. `make install` brings a unit for systemd.",
    .run = run,
};
