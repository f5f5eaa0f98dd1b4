/* cmd_keygen.c - a CURVE key pair for one program or person */
#include <stdio.h>

#include "cli/verb.h"
#include "wire/keys.h"

const struct command command_keygen;

static int run(int argc, char **argv, struct err *err)
{
    struct verb verb = {0};
    char **args;
    const struct option_row rows[] = {
        VERB_HELP_ROW(verb),
        {0},
    };

    int parsed = verb_parse(&command_keygen, rows, &verb, argc, argv, &args, 2, 2, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (keys_generate(args[0], args[1], err) < 0)
        return -1;
    printf("%s (keep it secret), %s.pub (for allow-lists)\n", args[0], args[0]);
    return EXIT_GOOD;
}

const struct command command_keygen = {
    .name = "keygen",
    .args = "FILE NAME",
    .summary = "make a key pair: FILE is the secret, FILE.pub names its holder NAME",
    .run = run,
};
