/* help.c - all verbs, from their own descriptors: as help, and as manual pages */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/app/command_options.h"
#include "cli/app/config.h"
#include "cli/shell/completion.h"
#include "lib/base/file.h"
#include "lib/base/manual.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

static const char version[] = "muster " MUSTER_VERSION;
static const char summary[] = "call a fleet of NPUs to order";

static const struct exit_words {
    enum exit_code code;
    const char *words;
} exits[] = {
    {EXIT_GOOD, "good"},
    {EXIT_SOME_FAILED, "some tasks failed, or what was checked is not in order"},
    {EXIT_USAGE, "wrong usage, or a bad job file"},
    {EXIT_UNREACHABLE, "the coordinator cannot be reached, or does not allow it"},
    {EXIT_REGRESSION, "slower than what it is compared with"},
    {EXIT_UNDECIDED, "undecided or incomplete"},
    {EXIT_TIMEOUT, "a time limit was reached"},
    {EXIT_INTERNAL, "an internal error, or the store could not be read or written"},
    {EXIT_INTERRUPTED, "interrupted"},
};

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
    puts("muster calls a fleet of NPUs to order: it runs operators over shapes and "
         "cards,\n"
         "replays each launch under the profiler, keeps what was captured, and "
         "reports.\n"
         "\n"
         "usage: muster COMMAND [ARGS]        muster COMMAND --help tells more\n");
    for (const struct command *const *it = command_all(); *it; it++)
        printf("  %-*s  %s\n", width, (*it)->name, (*it)->summary);
    puts("\nFirst steps: muster run configs/examples/quickstart.yaml");
}

/* Manual pages */

static void print_exits(FILE *out)
{
    manual_section("EXIT STATUS", out);
    for (size_t i = 0; i < COUNT(exits); i++) {
        char code[16];

        snprintf(code, sizeof(code), "%d", (int)exits[i].code);
        manual_term(code, exits[i].words, out);
    }
}

static void print_environment(FILE *out)
{
    manual_section("ENVIRONMENT", out);
    for (const struct config_key *key = config_keys; key->name; key++)
        manual_term(key->variable, key->help, out);
    manual_section("FILES", out);
    manual_term("/etc/muster/muster.yaml, ~/.config/muster/muster.yaml, .muster.yaml",
                "the same as `key: value`; muster-config(1) tells which wins", out);
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
        .details = "Runs operators over shapes and cards, replays each launch under "
                   "the profiler,\nkeeps what was captured, and reports.",
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
        fputs(it[1] ? "(1), " : "(1)\n", out);
    }
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

/* All of it below a folder, as packages and `make install` want it */

static int write_file(const char *folder,
                      const char *path,
                      int (*print)(const char *name, FILE *out, struct err *err),
                      const char *name,
                      struct err *err)
{
    char *bytes = NULL, *full = xasprintf("%s/%s", folder, path), *slash;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    int result = out ? print(name, out, err) : err_errno(err, "memory for %s", path);

    if (out && fclose(out) == EOF && result == 0)
        result = err_errno(err, "memory for %s", path);
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
    for (size_t i = 0; completion_shells[i] && result == 0; i++)
        result =
            write_file(folder, places[i], completion_write, completion_shells[i], err);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = {0};
    bool manual = false;
    const char *folder = NULL;
    char **args;
    const struct option_row rows[] = {
        {"man", 0, OPTION_FLAG, &manual, NULL, "as a manual page, for `man -l -`",
         NULL},
        {"write", 0, OPTION_TEXT, &folder, "DIR",
         "all manual pages and completions below DIR, as below /usr/share", NULL},
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

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
    .summary = "this list, or what one command takes",
    .run = run,
};
