/* completion.c - prints the completion script for a shell on stdout */
#include "cli/shell/completion.h"

#include <stdio.h>

#include "cli/app/command_options.h"

const struct command command_completion;

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = {0};
    char **args;
    const struct option_row rows[] = {
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_completion, rows, &options, argc, argv,
                                       &args, 1, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    return completion_write(args[0], stdout, err);
}

const struct command command_completion = {
    .name = "completion",
    .args = "bash|zsh|fish",
    .summary = "Print the completion script for a shell",
    .details = "The packages install these scripts. To load one by hand:\n"
               "    bash:  . <(muster completion bash)\n"
               "    zsh:   . <(muster completion zsh)   (after compinit)\n"
               "    fish:  muster completion fish | source",
    .choices = completion_shells,
    .examples =
        "  muster completion bash >~/.local/share/bash-completion/completions/muster\n"
        "  muster completion fish >~/.config/fish/completions/muster.fish",
    .run = run,
};
