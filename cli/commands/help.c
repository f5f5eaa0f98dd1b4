/* help.c - prints the list of commands, the help of a command, and manual pages
 *
 * All texts are made from the descriptors and option tables of the commands. The hidden
 * form `muster help --write-reference DIR SCHEMA` writes the pages of docs/reference.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/app/command_options.h"
#include "cli/app/config.h"
#include "cli/reference/reference.h"
#include "cli/shell/completion.h"
#include "lib/base/file.h"
#include "lib/base/manual.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

static const char version[] = "muster " MUSTER_VERSION;
static const char summary[] = "run and profile operator sweeps on a fleet of NPUs";

const struct command command_help;

static const struct command *find(const char *name, struct err *err)
{
    const struct command *command = command_find(name);

    if (!command)
        err_set(err, ERR_INPUT,
                "unknown command '%s'; 'muster help' lists the commands", name);
    return command;
}

static void list_commands(void)
{
    int width = 0;

    for (const struct command *const *it = command_all(); *it; it++)
        if ((int)strlen((*it)->name) > width)
            width = (int)strlen((*it)->name);
    puts("muster runs and profiles operator sweeps on a fleet of NPUs.\n"
         "\n"
         "usage: muster COMMAND [ARGS]\n");
    for (const struct command *const *it = command_all(); *it; it++)
        printf("  %-*s  %s\n", width, (*it)->name, (*it)->summary);
    puts("\n'muster help COMMAND' prints the arguments and options of a command.\n"
         "To try muster: muster run configs/examples/quickstart.yaml");
}

/* Manual pages */

static void print_exits(FILE *out)
{
    manual_section("EXIT STATUS", out);
    for (const struct exit_text *it = exit_texts; it->text; it++) {
        char code[16];

        snprintf(code, sizeof(code), "%d", (int)it->code);
        manual_term(code, it->text, out);
    }
}

static void print_environment(FILE *out)
{
    manual_section("ENVIRONMENT", out);
    for (const struct config_key *key = config_keys; key->name; key++)
        manual_term(key->variable, key->help, out);
    manual_section("FILES", out);
    manual_term("/etc/muster/muster.yaml, ~/.config/muster/muster.yaml, .muster.yaml",
                "Defaults of options as `key: value` lines; see muster-config(1)", out);
}

static void print_examples(const struct command *command, FILE *out)
{
    if (!command->examples)
        return;
    manual_section("EXAMPLES", out);
    fputs(".nf\n", out); /* keeps the line breaks */
    manual_text(command->examples, out);
    fputs("\n.fi\n", out);
}

static void
print_command(const struct command *command, const struct option_row *rows, void *out)
{
    char *name = xasprintf("muster-%s", command->name);
    char *usage = xasprintf("muster %s%s%s", command->name, *command->args ? " " : "",
                            command->args);
    const struct manual manual = {
        .name = name,
        .usage = usage,
        .summary = command->summary,
        .details = command->details,
        .version = version,
    };

    manual_print(&manual, rows, out);
    print_examples(command, out);
    print_exits(out);
    manual_section("SEE ALSO", out);
    manual_text("muster(1)", out);
    fputc('\n', out);
    free(name);
    free(usage);
}

static void print_overview(FILE *out)
{
    static const struct option_row none[] = {{0}};
    const struct manual manual = {
        .name = "muster",
        .usage = "muster COMMAND [ARGS]",
        .summary = summary,
        .details =
            "muster executes an operator for each point of a job file, replays its\n"
            "launches under the profiler, stores the captures, and writes reports.",
        .version = version,
    };

    manual_print(&manual, none, out);
    manual_section("COMMANDS", out);
    for (const struct command *const *it = command_all(); *it; it++)
        manual_term((*it)->name, (*it)->summary, out);
    print_exits(out);
    print_environment(out);
    manual_section("SEE ALSO", out);
    for (const struct command *const *it = command_all(); *it; it++) {
        fputs("muster\\-", out);
        manual_text((*it)->name, out);
        fputs("(1), ", out);
    }
    fputs("muster\\-job(5)\n", out);
}

static int print_page(const char *name, FILE *out, struct err *err)
{
    const struct command *command = name ? find(name, err) : NULL;

    if (name && !command)
        return -1;
    if (command)
        return command_options_read_table(command, print_command, out, err);
    print_overview(out);
    return 0;
}

/* Files for packages and `make install` */

static int write_file(const char *folder,
                      const char *path,
                      int (*print)(const char *name, FILE *out, struct err *err),
                      const char *name,
                      struct err *err)
{
    char *bytes = NULL, *full = xasprintf("%s/%s", folder, path), *slash;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    int result =
        out ? print(name, out, err) : err_errno(err, "allocating memory for %s", path);

    if (out && fclose(out) == EOF && result == 0)
        result = err_errno(err, "allocating memory for %s", path);
    slash = strrchr(full, '/');
    *slash = '\0';
    if (result == 0)
        result = folder_create(full, err);
    *slash = '/';
    if (result == 0)
        result = file_write(full, bytes, size, err);
    free(bytes);
    free(full);
    return result;
}

/* The shells look for the completion of a program in a file of its name. */
static int print_bash_loader(const char *name, FILE *out, struct err *err)
{
    (void)name;
    (void)err;
    fputs(". \"${BASH_SOURCE[0]%/*}/muster\"\n", out);
    return 0;
}

static int print_fish_loader(const char *name, FILE *out, struct err *err)
{
    (void)name;
    (void)err;
    fputs("source (status dirname)/muster.fish\n", out);
    return 0;
}

static int write_loaders(const char *folder, struct err *err)
{
    return write_file(folder, "bash-completion/completions/muster-worker",
                      print_bash_loader, NULL, err) < 0 ||
                   write_file(folder, "bash-completion/completions/muster-coordinator",
                              print_bash_loader, NULL, err) < 0 ||
                   write_file(folder, "fish/vendor_completions.d/muster-worker.fish",
                              print_fish_loader, NULL, err) < 0 ||
                   write_file(folder,
                              "fish/vendor_completions.d/muster-coordinator.fish",
                              print_fish_loader, NULL, err) < 0
               ? -1
               : 0;
}

static int write_all(const char *folder, struct err *err)
{
    static const char *const places[] = {"bash-completion/completions/muster",
                                         "zsh/site-functions/_muster",
                                         "fish/vendor_completions.d/muster.fish"};
    int result = write_file(folder, "man/man1/muster.1", print_page, NULL, err);

    for (const struct command *const *it = command_all(); *it && result == 0; it++) {
        char *path = xasprintf("man/man1/muster-%s.1", (*it)->name);

        result = write_file(folder, path, print_page, (*it)->name, err);
        free(path);
    }
    for (size_t i = 0; i < COUNT(places) && completion_shells[i] && result == 0; i++)
        result =
            write_file(folder, places[i], completion_write, completion_shells[i], err);
    return result < 0 ? -1 : write_loaders(folder, err);
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = {0};
    bool manual = false;
    const char *folder = NULL;
    char **args;
    const struct option_row rows[] = {
        {"man", 0, OPTION_FLAG, &manual, NULL, "Print a manual page, for `man -l -`",
         NULL},
        {"write", 0, OPTION_TEXT, &folder, "DIR",
         "Write all manual pages and completions below DIR, which stands for "
         "/usr/share (default: print help)",
         NULL},
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    if (argc == 4 && strcmp(argv[1], "--write-reference") == 0)
        return reference_write(argv[2], argv[3], err);
    int parsed = command_options_parse(&command_help, rows, &options, argc, argv, &args,
                                       0, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (folder)
        return write_all(folder, err);
    if (manual)
        return print_page(args[0], stdout, err);
    if (!args[0]) {
        list_commands();
        return EXIT_GOOD;
    }
    const struct command *command = find(args[0], err);
    return command ? command->run(2, (char *[]){args[0], (char[]){"--help"}, NULL}, err)
                   : -1;
}

const struct command command_help = {
    .name = "help",
    .args = "[COMMAND]",
    .summary = "Print the list of commands, or the help of one command",
    .examples = "  muster help run\n"
                "  muster help --man run | man -l -",
    .run = run,
};
