/* worker.c - replaces this process by muster-worker */
#include "cli/app/exec_program.h"
#include "lib/daemon/worker_settings.h"

const struct command command_worker;

static int run(int argc, char **argv, struct err *err)
{
    static struct worker_settings settings;

    worker_settings_init(&settings);
    return exec_program_run(&command_worker, "muster-worker", settings.rows,
                            &settings.help, 0, argc, argv, err);
}

const struct command command_worker = {
    .name = "worker",
    .args = worker_settings_usage,
    .summary = "Run workers for the cards of this host",
    .details =
        "Starts muster-worker with the same options. Without --card it serves all\n"
        "cards of the host with one process per card, and restarts a process that\n"
        "ends. While the coordinator does not reply, measurements wait in the\n"
        "folder --spool. 'make install' installs a systemd unit.",
    .examples = "  muster worker --simulated --spool spool \\\n"
                "      --control tcp://127.0.0.1:7701 --data tcp://127.0.0.1:7702\n"
                "  muster worker --spool spool --key worker.key \\\n"
                "      --server-key head.key.pub --control tcp://head:7701 \\\n"
                "      --data tcp://head:7702",
    .run = run,
};
