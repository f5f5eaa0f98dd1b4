#include "cli/verb.h"

const char *const verb_formats[] = {"text", "json", "jsonl", "csv", NULL};

static void print_help(const struct command *command, const struct option_row *rows)
{
    printf("usage: muster %s %s\n%s\n", command->name, command->args, command->summary);
    if (command->details)
        printf("\n%s\n", command->details);
    puts("\noptions:");
    options_print(rows, stdout);
}

int verb_parse(const struct command *command,
               const struct option_row *rows,
               const struct verb *verb,
               int argc,
               char **argv,
               char ***args,
               size_t least,
               size_t most,
               struct err *err)
{
    size_t count = 0;

    if (options_parse(rows, argc, argv, args, err) < 0)
        return -1;
    if (verb->help) {
        print_help(command, rows);
        return 1;
    }
    while ((*args)[count])
        count++;
    if (count < least || count > most)
        return err_set(err, ERR_INPUT, "%s; usage: muster %s %s",
                       count < least ? "something is missing" : "that is too much",
                       command->name, command->args);
    return 0;
}
