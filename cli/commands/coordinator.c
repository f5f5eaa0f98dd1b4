/* coordinator.c - becomes muster-coordinator, whose options it shares */
#include "cli/app/exec_program.h"
#include "lib/daemon/coordinator_settings.h"

const struct command command_coordinator;

static int run(int argc, char **argv, struct err *err)
{
    static struct coordinator_settings settings;

    coordinator_settings_init(&settings);
    return exec_program_run(&command_coordinator, "muster-coordinator", settings.rows,
                            &settings.help, argc, argv, err);
}

const struct command command_coordinator = {
    .name = "coordinator",
    .args = coordinator_settings_usage,
    .summary = "serve jobs to workers: expand them, lease their tasks, keep results",
    .details =
        "The same as muster-coordinator. It takes jobs and workers at --control and\n"
        "captures at --data; off loopback --key and --allow are needed (muster "
        "keygen).\n"
        "What it has acknowledged is on disk, and a start goes on where the last one\n"
        "ended. `make install` brings a unit for systemd.",
    .run = run,
};
