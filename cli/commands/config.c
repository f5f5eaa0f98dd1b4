/* config.c - prints the default of each option and where the default is set */
#include "cli/app/config.h"

#include <string.h>

#include "cli/app/command_options.h"

static const struct row_output_column columns[] = {
    {"key", CELL_TEXT},
    {"value", CELL_TEXT},
    {"variable", CELL_TEXT},
    {"origin", CELL_TEXT},
};

enum { VALUES = 2, ALL = 4 };

const struct command command_config;

static int print_keys(const char *wanted, struct row_output *output, struct err *err)
{
    bool any = false;

    for (const struct config_key *key = config_keys; key->name; key++) {
        const char *value, *origin;

        if (wanted && strcmp(wanted, key->name) != 0)
            continue;
        any = true;
        if (config_get(key, &value, &origin, err) < 0)
            return -1;
        row_output_row(
            output, (struct cell[]){{.kind = CELL_TEXT, .text = key->name},
                                    {.kind = CELL_TEXT, .none = !*value, .text = value},
                                    {.kind = CELL_TEXT, .text = key->variable},
                                    {.kind = CELL_TEXT, .text = origin}});
    }
    return any ? 0
               : err_set(err, ERR_INPUT,
                         "unknown key '%s'; 'muster config' lists the keys", wanted);
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = {0};
    bool origin = false;
    char **args;
    const struct option_row rows[] = {
        {"origin", 0, OPTION_FLAG, &origin, NULL,
         "Also print the variable and the file that sets each value", NULL},
        COMMAND_OPTIONS_OUTPUT_ROW(options),
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_config, rows, &options, argc, argv,
                                       &args, 0, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    struct row_output *output =
        row_output_create((enum row_output_format)options.format,
                          origin ? "muster.config-origin.v1" : "muster.config.v1",
                          columns, origin ? ALL : VALUES, stdout);
    if (print_keys(args[0], output, err) < 0) {
        row_output_destroy(&output);
        return -1;
    }
    return row_output_finish(&output, err) < 0 ? -1 : EXIT_GOOD;
}

const struct command command_config = {
    .name = "config",
    .args = "[--origin] [KEY]",
    .summary = "Show the default of each option and the file or variable that sets it",
    .details =
        "Each source overrides the sources before it:\n"
        "  1. the built-in default\n"
        "  2. /etc/muster/muster.yaml\n"
        "  3. ~/.config/muster/muster.yaml\n"
        "  4. .muster.yaml in the current folder or in the nearest folder above\n"
        "  5. MUSTER_* variables of the environment\n"
        "  6. the command line\n"
        "A file has lines like `coordinator: tcp://head:7701`. A relative path in a\n"
        "file starts at the folder of that file.",
    .examples = "  muster config --origin\n"
                "  muster config coordinator",
    .run = run,
};
