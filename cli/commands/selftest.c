/* selftest.c - checks this installation, or the assumptions about a real card
 *
 * Without an option it runs one task on the simulated NPU, from job file to results.
 * With --hardware it runs muster-probe, which is installed in the folder of parts. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/app/command_options.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

enum { PROBE_DIFFERS_EXIT = 1, PROBE_NO_CARD_EXIT = 3 };

extern char **environ;

static const struct row_output_column columns[] = {
    {"check", CELL_TEXT},
    {"verdict", CELL_TEXT},
    {"words", CELL_TEXT},
};

static void put_row(struct row_output *output,
                    const char *check,
                    const char *verdict,
                    const char *text)
{
    const struct cell cells[] = {
        {.kind = CELL_TEXT, .text = check},
        {.kind = CELL_TEXT, .text = verdict},
        {.kind = CELL_TEXT, .text = text},
    };

    row_output_row(output, cells);
}

/* Runs a program with its output in a file. Returns its wait status, or -1. */
static int run_with_output(FILE *into,
                           const char *const *argv,
                           char **env,
                           bool quiet,
                           struct err *err)
{
    posix_spawn_file_actions_t actions;
    int status, result;
    pid_t pid;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(into), STDOUT_FILENO);
    if (quiet)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY,
                                         0);
    result = posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)argv, env);
    posix_spawn_file_actions_destroy(&actions);
    if (result != 0) {
        errno = result;
        return err_errno(err, "starting %s", argv[0]);
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return err_errno(err, "waiting for %s", argv[0]);
    return status;
}

/* Adds a row for each line: name, verdict and text, separated by tabs. */
static void put_lines(struct row_output *output, FILE *file)
{
    char *line = NULL;
    size_t room = 0;

    rewind(file);
    while (getline(&line, &room, file) > 0) {
        char *rest = line, *name = strsep(&rest, "\t"), *verdict = strsep(&rest, "\t");

        if (!rest)
            continue;
        rest[strcspn(rest, "\n")] = '\0';
        put_row(output, name, verdict, rest);
    }
    free(line);
}

/* Points the environment at the simulated NPU instead of the toolkit. */
static char **simulated_environment(const char *parts)
{
    char *home = xasprintf("%s/sim", parts), *libraries = xasprintf("%s/lib64", home);

    setenv("ASCEND_HOME_PATH", home, 1);
    setenv("LD_LIBRARY_PATH", libraries, 1);
    free(home);
    free(libraries);
    return environ;
}

static int run_probe(struct row_output *output,
                     const char *parts,
                     FILE *lines,
                     bool simulated,
                     struct err *err)
{
    char *probe = xasprintf("%s/muster-probe", parts);
    const char *const argv[] = {probe, simulated ? "--simulated" : NULL, NULL};
    int status = run_with_output(
        lines, argv, simulated ? simulated_environment(parts) : environ, false, err);

    free(probe);
    if (status < 0)
        return -1;
    put_lines(output, lines);
    if (!WIFEXITED(status))
        return err_set(
            err, ERR_SYSTEM,
            "muster-probe was killed by signal %d; run it alone to see its output",
            WTERMSIG(status));
    if (WEXITSTATUS(status) == PROBE_DIFFERS_EXIT)
        return EXIT_SOME_FAILED;
    if (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == PROBE_NO_CARD_EXIT)
        return EXIT_GOOD;
    return err_set(err, ERR_SYSTEM,
                   "muster-probe exited with code %d; run it alone to see its output",
                   WEXITSTATUS(status));
}

static const char job[] = "version: 1\n"
                          "name: selftest\n"
                          "operator: {command: [sim/bin/accumulate_inplace]}\n"
                          "profile: {metrics: [Default], warmup: 1}\n"
                          "limits: {time: 60s}\n";

static int
remove_entry(const char *path, const struct stat *is, int type, struct FTW *place)
{
    (void)is;
    (void)type;
    (void)place;
    return remove(path);
}

/* Runs one task with all programs. The caller removes the folder. */
static int measure_once(struct row_output *output,
                        const char *folder,
                        FILE *lines,
                        struct err *err)
{
    char self[PATH_MAX], *file = xasprintf("%s/job.yaml", folder);
    char *out = xasprintf("%s/out", folder);
    const char *const argv[] = {self, "run", "--quiet", "--out", out, file, NULL};
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    int status = -1;

    self[length > 0 ? length : 0] = '\0';
    if (file_write(file, job, sizeof(job) - 1, err) == 0)
        status = run_with_output(lines, argv, environ, true, err);
    free(file);
    free(out);
    if (status < 0)
        return -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        put_row(output, "simulated-run", "good", "one task was measured and parsed");
        return EXIT_GOOD;
    }
    char *text = xasprintf("muster run ended with status 0x%x", (unsigned)status);
    put_row(output, "simulated-run", "failed", text);
    free(text);
    return EXIT_SOME_FAILED;
}

static int test_software(struct row_output *output, FILE *lines, struct err *err)
{
    const char *base = getenv("TMPDIR");
    char *folder =
        xasprintf("%s/muster-selftest-XXXXXX", base && *base ? base : "/tmp");
    int result;

    if (!mkdtemp(folder)) {
        err_errno(err, "creating the temporary folder %s", folder);
        free(folder);
        return -1;
    }
    result = measure_once(output, folder, lines, err);
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(folder);
    return result;
}

const struct command command_selftest;

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = {0};
    bool hardware = false, simulated = false;
    char **args, parts[PATH_MAX];
    const struct option_row rows[] = {
        {"hardware", 0, OPTION_FLAG, &hardware, NULL,
         "Check the assumptions about real cards on this machine", NULL},
        {"simulated", 0, OPTION_FLAG, &simulated, NULL,
         "With --hardware: check the simulated NPU instead of a card", NULL},
        COMMAND_OPTIONS_OUTPUT_ROW(options),
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_selftest, rows, &options, argc, argv,
                                       &args, 0, 0, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (simulated && !hardware)
        return err_set(err, ERR_INPUT, "--simulated is valid only with --hardware");
    if (file_parts_folder(parts, sizeof(parts), err) < 0)
        return -1;
    FILE *lines = tmpfile();
    if (!lines)
        return err_errno(err, "creating a temporary file");
    struct row_output *output =
        row_output_create((enum row_output_format)options.format, "muster.selftest.v1",
                          columns, COUNT(columns), stdout);
    int result = hardware ? run_probe(output, parts, lines, simulated, err)
                          : test_software(output, lines, err);
    fclose(lines);
    if (result < 0) {
        row_output_destroy(&output);
        return -1;
    }
    return row_output_finish(&output, err) < 0 ? -1 : result;
}

const struct command command_selftest = {
    .name = "selftest",
    .args = "",
    .summary = "Check this installation, or the assumptions about a real card",
    .details =
        "Without an option one task is measured on the simulated NPU. With\n"
        "--hardware each assumption about real cards is checked. The verdicts are:\n"
        "  confirmed  the card behaves as assumed\n"
        "  differs    the card behaves differently; exit code 1\n"
        "  fact       a property of the card about which nothing was assumed\n"
        "  by-hand    a check that a person has to run; the text describes it\n"
        "  not-here   this installation lacks what the check needs\n"
        "  no card    this machine has no card",
    .run = run,
};
