#include <inttypes.h>

#include "cli/app/command_options.h"
#include "cli/app/config.h"
#include "cli/reference/markdown.h"
#include "cli/reference/reference_internal.h"

static void
print_command(const struct command *command, const struct option_row *rows, void *arg)
{
    struct text *out = arg;

    markdown_section(out, command->name);
    text_printf(out, "\n%s.\n\n    muster %s%s%s\n", command->summary, command->name,
                *command->args ? " " : "", command->args);
    if (command->details)
        text_printf(out, "\n```text\n%s\n```\n", command->details);
    if (command->examples)
        text_printf(out, "\nExamples:\n\n```sh\n%s\n```\n", command->examples);
    markdown_options(out, rows);
}

static void print_exit_codes(struct text *out)
{
    markdown_section(out, "Exit codes");
    markdown_table(out, (const char *const[]){"code", "meaning", NULL});
    for (const struct exit_text *it = exit_texts; it->text; it++) {
        char code[16];

        snprintf(code, sizeof(code), "%d", (int)it->code);
        markdown_row(out, (const char *const[]){code, it->text, NULL});
    }
}

static void print_configuration(struct text *out)
{
    markdown_section(out, "Configuration keys");
    text_add(out,
             "\nThese keys set the defaults of options, in the files that `muster help "
             "config` lists.\n");
    markdown_table(
        out, (const char *const[]){"key", "variable", "meaning", "default", NULL});
    for (const struct config_key *key = config_keys; key->name; key++)
        markdown_row(out,
                     (const char *const[]){key->name, key->variable, key->help,
                                           *key->built_in ? key->built_in : "-", NULL});
}

int reference_commands(struct text *out, const char *schema, struct err *err)
{
    (void)schema;
    markdown_title(out, "Commands");
    text_add(out, "\nResults are printed on standard output, everything else on "
                  "standard error. `muster help COMMAND` prints\nthe same texts.\n");
    markdown_table(out, (const char *const[]){"command", "purpose", NULL});
    for (const struct command *const *it = command_all(); *it; it++) {
        char link[96];

        snprintf(link, sizeof(link), "[%s](#%s)", (*it)->name, (*it)->name);
        markdown_row(out, (const char *const[]){link, (*it)->summary, NULL});
    }
    print_exit_codes(out);
    print_configuration(out);
    for (const struct command *const *it = command_all(); *it; it++)
        if (command_options_read_table(*it, print_command, out, err) < 0)
            return -1;
    return 0;
}
