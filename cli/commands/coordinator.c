/* coordinator.c - replaces this process by muster-coordinator */
#include "cli/app/exec_program.h"
#include "lib/daemon/coordinator_settings.h"

const struct command command_coordinator;

static int run(int argc, char **argv, struct err *err)
{
    static struct coordinator_settings settings;

    coordinator_settings_init(&settings);
    return exec_program_run(&command_coordinator, "muster-coordinator", settings.rows,
                            &settings.help, 0, argc, argv, err);
}

const struct command command_coordinator = {
    .name = "coordinator",
    .args = coordinator_settings_usage,
    .summary = "Run the coordinator: accept jobs, lease their tasks, store the results",
    .details =
        "Starts muster-coordinator with the same options. Workers and clients\n"
        "connect to --control, captures arrive at --data. An endpoint beyond\n"
        "loopback needs --key and --allow; 'muster keygen' makes the keys.\n"
        "Everything that the coordinator acknowledged is on disk, and a restart\n"
        "continues all jobs from there. 'make install' installs a systemd unit.",
    .examples = "  muster coordinator --store out/store --out out \\\n"
                "      --control tcp://127.0.0.1:7701 --data tcp://127.0.0.1:7702\n"
                "  muster coordinator --store out/store --out out --key head.key \\\n"
                "      --allow allow --control tcp://*:7701 --data tcp://*:7702",
    .run = run,
};
