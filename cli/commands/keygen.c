/* keygen.c - makes a CURVE key pair for one program or user */
#include <stdio.h>

#include "cli/app/command_options.h"
#include "lib/wire/keys.h"

const struct command command_keygen;

static int run(int argc, char **argv, struct err *err)
{
    static const char *const roles[] = {"read", "submit", "admin", "worker", NULL};
    struct command_options options = {0};
    enum role role = ROLE_NONE;
    int chosen = 1;
    char **args;
    const struct option_row rows[] = {
        {"role", 0, OPTION_CHOICE, &chosen, "ROLE",
         "Permissions of the key (default: submit)", roles},
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_keygen, rows, &options, argc, argv,
                                       &args, 2, 2, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    role_parse(roles[chosen], &role);
    if (keys_generate(args[0], role, args[1], err) < 0)
        return -1;
    printf("%s (keep it secret), %s.pub (for allow-lists)\n", args[0], args[0]);
    return EXIT_GOOD;
}

const struct command command_keygen = {
    .name = "keygen",
    .args = "FILE NAME",
    .summary = "Make a CURVE key pair for a user or a worker",
    .details =
        "Writes the secret key to FILE, and the public key with its role and NAME\n"
        "to FILE.pub. Append FILE.pub to the allow-list of the coordinator. The\n"
        "roles are:\n"
        "  read    list and watch jobs, results, workers and events\n"
        "  submit  also submit jobs, and cancel, retry or reparse own jobs\n"
        "  admin   also drain cards, manage allocations, and cancel all jobs\n"
        "  worker  serve cards; for muster-worker only",
    .examples = "  muster keygen anna.key anna\n"
                "  muster keygen --role admin ops.key ops",
    .run = run,
};
