/* main.c - `muster VERB ...`: finds the verb, runs it, says what went wrong */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/app/command.h"
#include "cli/commands/commands.h"
#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

static const struct command *const commands[] = {
    &command_validate, &command_expand,  &command_run,
    &command_resume,   &command_retry,   &command_submit,
    &command_list,     &command_show,    &command_wait,
    &command_watch,    &command_cancel,  &command_logs,
    &command_explain,  &command_events,  &command_drain,
    &command_undrain,  &command_alloc,   &command_results,
    &command_report,   &command_inspect, &command_export,
    &command_import,   &command_capture, &command_coordinator,
    &command_worker,   &command_fsck,    &command_keygen,
    &command_selftest, &command_config,  &command_completion,
    &command_version,  &command_help,    NULL,
};

static const char *nearest(const char *name)
{
    const char *names[64] = {NULL};

    for (size_t i = 0; commands[i] && i + 1 < COUNT(names); i++)
        names[i] = commands[i]->name;
    return text_nearest(name, names);
}

/* A reader that went away has read enough; a full disk has not. */
static bool is_told(struct err *err)
{
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE)
        return true;
    err_errno(err, "writing the result to stdout");
    return false;
}

int main(int argc, char **argv)
{
    struct err err = {0};
    const char *verb = argc > 1 ? argv[1] : "help";

    command_set_all(commands);
    fd_open_standard();
    log_open("muster", LOG_WARNING);
    if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0)
        verb = "help";
    if (strcmp(verb, "--version") == 0)
        verb = "version";

    const struct command *command = command_find(verb);
    if (!command) {
        const char *near = nearest(verb);

        fprintf(stderr, "muster: unknown command '%s'", verb);
        if (near)
            fprintf(stderr, "; did you mean '%s'?", near);
        fputs(" (muster help lists them)\n", stderr);
        return EXIT_USAGE;
    }
    int result = argc > 1 ? command->run(argc - 1, argv + 1, &err)
                          : command->run(1, (char *[]){"help", NULL}, &err);
    if (result == 0 && !is_told(&err))
        result = -1;
    if (result >= 0)
        return result;
    fprintf(stderr, "muster %s: %s\n", command->name, err.text);
    return exit_code_of(err.code);
}
