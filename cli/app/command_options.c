#include "cli/app/command_options.h"

#include <string.h>

#include "cli/app/config.h"

/* Who wants the table of the next command that would print its help; the help, the
 * manual and the completions are so made of the one table that is also parsed by. */
static struct {
    command_table_fn *fn;
    void *arg;
} reader;

const char *const command_options_formats[] = {"text", "json", "jsonl", "csv", NULL};

static void print_help(const struct command *command, const struct option_row *rows)
{
    printf("usage: muster %s%s%s\n%s\n", command->name, *command->args ? " " : "",
           command->args, command->summary);
    if (command->details)
        printf("\n%s\n", command->details);
    puts("\noptions:");
    options_print(rows, stdout);
}

int command_options_parse(const struct command *command,
                          const struct option_row *rows,
                          const struct command_options *options,
                          int argc,
                          char **argv,
                          char ***args,
                          size_t least,
                          size_t most,
                          struct err *err)
{
    size_t count = 0;

    struct err wrong;
    int configured = config_apply(rows, &wrong); /* what is typed is stronger */

    if (options_parse(rows, argc, argv, args, err) < 0)
        return -1;
    if (options->help) {
        if (reader.fn)
            reader.fn(command, rows, reader.arg);
        else
            print_help(command, rows);
        return 1;
    }
    if (configured < 0) { /* the help is given even so */
        *err = wrong;
        return -1;
    }
    while ((*args)[count])
        count++;
    if (count < least || count > most)
        return err_set(err, ERR_INPUT, "%s; usage: muster %s %s",
                       count < least ? "something is missing" : "that is too much",
                       command->name, command->args);
    return 0;
}

int command_options_read_table(const struct command *command,
                               command_table_fn *fn,
                               void *arg,
                               struct err *err)
{
    char name[64], help[] = "--help";

    if (strlen(command->name) >= sizeof(name))
        return err_set(err, ERR_INTERNAL, "%s: a long name", command->name);
    strcpy(name, command->name);
    reader.fn = fn;
    reader.arg = arg;
    int result = command->run(2, (char *[]){name, help, NULL}, err);
    reader.fn = NULL;
    return result < 0 ? -1 : 0;
}
