/* cmd_coordinator.c - becomes muster-coordinator, whose options it shares */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/verb.h"
#include "coordinator/settings.h"

static const char program[] = "muster-coordinator";

const struct command command_coordinator;

static int become(char **argv, struct err *err)
{
    char path[PATH_MAX + sizeof(program)];
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);

    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    strcpy(slash ? slash + 1 : path, program); /* it stands beside us */
    argv[0] = path;
    execv(path, argv);
    return err_errno(err, "starting %s", path);
}

static int run(int argc, char **argv, struct err *err)
{
    static struct settings settings;
    struct verb verb = {0};
    char **words = xcalloc((size_t)argc + 1, sizeof(*words)), **args;

    memcpy(words, argv, ((size_t)argc + 1) * sizeof(*words));
    settings_init(&settings);
    for (struct option_row *row = settings.rows; row->name; row++)
        if (row->target == &settings.help)
            row->target = &verb.help; /* a verb's own way */
    int parsed = verb_parse(&command_coordinator, settings.rows, &verb, argc, words,
                            &args, 0, 0, err);
    free(words);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    return become(argv, err);
}

const struct command command_coordinator = {
    .name = "coordinator",
    .args = settings_usage,
    .summary = "serve jobs to workers: expand them, lease their tasks, keep results",
    .details =
        "The same as muster-coordinator. It takes jobs and workers at --control and\n"
        "captures at --data; off loopback --key and --allow are needed (muster "
        "keygen).\n"
        "What it has acknowledged is on disk, and a start goes on where the last one\n"
        "ended. `make install` brings a unit for systemd.",
    .run = run,
};
