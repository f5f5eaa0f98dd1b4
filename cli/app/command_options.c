#include "cli/app/command_options.h"

#include <string.h>

#include "cli/app/config.h"

/* The receiver of the next option table, set by command_options_read_table(). Help,
 * manual pages and completions are made from the table that also parses the options. */
static struct {
    command_table_fn *fn;
    void *arg;
} table_reader;

const char *const command_options_formats[] = {"text", "json", "jsonl", "csv", NULL};

static void print_help(const struct command *command, const struct option_row *rows)
{
    printf("usage: muster %s%s%s\n%s\n", command->name, *command->args ? " " : "",
           command->args, command->summary);
    if (command->details)
        printf("\n%s\n", command->details);
    if (command->examples)
        printf("\nexamples:\n%s\n", command->examples);
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

    struct err config_err;
    int configured =
        config_apply(rows, &config_err); /* the command line overrides it */

    if (options_parse(rows, argc, argv, args, err) < 0)
        return -1;
    if (options->help) {
        if (table_reader.fn)
            table_reader.fn(command, rows, table_reader.arg);
        else
            print_help(command, rows);
        return 1;
    }
    if (configured < 0) { /* --help works with a broken configuration file */
        *err = config_err;
        return -1;
    }
    while ((*args)[count])
        count++;
    if (count < least || count > most)
        return err_set(err, ERR_INPUT, "%s; usage: muster %s %s",
                       count < least ? "an argument is missing" : "too many arguments",
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
        return err_set(err, ERR_INTERNAL, "%s: the name of the command is too long",
                       command->name);
    strcpy(name, command->name);
    table_reader.fn = fn;
    table_reader.arg = arg;
    int result = command->run(2, (char *[]){name, help, NULL}, err);
    table_reader.fn = NULL;
    return result < 0 ? -1 : 0;
}
