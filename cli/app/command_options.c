#include "cli/app/command_options.h"

#include <string.h>

#include "cli/app/config.h"
#include "lib/base/mem.h"

/* The receiver of the next option table, set by command_options_read_table(). Help,
 * manual pages and completions are made from the table that also parses the options. */
static struct {
    command_table_fn *fn;
    void *arg;
} table_reader;

const char *const command_options_formats[] = {"text", "json", "jsonl", "csv", NULL};

/* Options of the last command line, for command_options_check_mode(). */
static const char *given[64];

static void keep_given(const struct option_row *rows, char *const *argv)
{
    size_t count = 0;

    for (size_t i = 0; rows[i].name && count + 1 < COUNT(given); i++)
        if (options_has(rows, argv, rows[i].name))
            given[count++] = rows[i].name;
    given[count] = NULL;
}

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

    keep_given(rows, argv);
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

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

int command_options_check_mode(const struct command_mode *modes,
                               const char *mode,
                               struct err *err)
{
    for (size_t i = 0; given[i]; i++) {
        const char *other = NULL;
        bool is_read = false;

        for (const struct command_mode *it = modes; it->name; it++) {
            if (!has_word(it->options, given[i]))
                continue;
            is_read |= strcmp(it->name, mode) == 0;
            other = other ? other : it->name;
        }
        if (other && !is_read)
            return err_set(err, ERR_INPUT,
                           "--%s has no effect with %s; it is for %s; remove it",
                           given[i], mode, other);
    }
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
