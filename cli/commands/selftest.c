/* selftest.c - whether what is installed here works, and what a card answers
 *
 * Without an option: one task on the simulated NPU, from the job file to the results.
 * With --hardware: the questions that only a card can answer, by the program
 * muster-probe among our parts. */
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
                    const char *words)
{
    const struct cell cells[] = {
        {.kind = CELL_TEXT, .text = check},
        {.kind = CELL_TEXT, .text = verdict},
        {.kind = CELL_TEXT, .text = words},
    };

    row_output_row(output, cells);
}

/* Starts a program with its output in a file; its wait status, or -1. */
static int
run_into(FILE *into, const char *const *argv, char **env, bool quiet, struct err *err)
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

/* A row for each line of name, verdict and words between tabs. */
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

/* The simulated NPU in the place of the toolkit, for the checks' own sake. */
static char **simulated_environment(const char *parts)
{
    char *home = xasprintf("%s/sim", parts), *libraries = xasprintf("%s/lib64", home);

    setenv("ASCEND_HOME_PATH", home, 1);
    setenv("LD_LIBRARY_PATH", libraries, 1);
    free(home);
    free(libraries);
    return environ;
}

static int ask_cards(struct row_output *output,
                     const char *parts,
                     FILE *lines,
                     bool simulated,
                     struct err *err)
{
    char *probe = xasprintf("%s/muster-probe", parts);
    const char *const argv[] = {probe, simulated ? "--simulated" : NULL, NULL};
    int status = run_into(
        lines, argv, simulated ? simulated_environment(parts) : environ, false, err);

    free(probe);
    if (status < 0)
        return -1;
    put_lines(output, lines);
    if (!WIFEXITED(status))
        return err_set(err, ERR_SYSTEM, "muster-probe ended by signal %d",
                       WTERMSIG(status));
    if (WEXITSTATUS(status) == PROBE_DIFFERS_EXIT)
        return EXIT_SOME_FAILED;
    if (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == PROBE_NO_CARD_EXIT)
        return EXIT_GOOD;
    return err_set(err, ERR_SYSTEM, "muster-probe ended with %d", WEXITSTATUS(status));
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

/* One task, with all programs, in a folder that goes again. */
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
        status = run_into(lines, argv, environ, true, err);
    free(file);
    free(out);
    if (status < 0)
        return -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        put_row(output, "simulated-run", "good", "one task was measured and parsed");
        return EXIT_GOOD;
    }
    char *words = xasprintf("muster run ended with status 0x%x", (unsigned)status);
    put_row(output, "simulated-run", "failed", words);
    free(words);
    return EXIT_SOME_FAILED;
}

static int test_software(struct row_output *output, FILE *lines, struct err *err)
{
    const char *base = getenv("TMPDIR");
    char *folder =
        xasprintf("%s/muster-selftest-XXXXXX", base && *base ? base : "/tmp");
    int result;

    if (!mkdtemp(folder)) {
        err_errno(err, "a folder like %s", folder);
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
         "ask the cards of this machine what documents do not tell", NULL},
        {"simulated", 0, OPTION_FLAG, &simulated, NULL,
         "with --hardware: ask the simulated NPU, to try the questions", NULL},
        COMMAND_OPTIONS_OUTPUT_ROW(options),
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_selftest, rows, &options, argc, argv,
                                       &args, 0, 0, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (simulated && !hardware)
        return err_set(err, ERR_INPUT, "--simulated goes with --hardware");
    if (file_parts_folder(parts, sizeof(parts), err) < 0)
        return -1;
    FILE *lines = tmpfile();
    if (!lines)
        return err_errno(err, "a file for what is said");
    struct row_output *output =
        row_output_create((enum row_output_format)options.format, "muster.selftest.v1",
                          columns, COUNT(columns), stdout);
    int result = hardware ? ask_cards(output, parts, lines, simulated, err)
                          : test_software(output, lines, err);
    fclose(lines);
    if (result < 0) {
        row_output_drop(&output);
        return -1;
    }
    return row_output_finish(&output, err) < 0 ? -1 : result;
}

const struct command command_selftest = {
    .name = "selftest",
    .args = "",
    .summary = "see whether this installation works, or what a card answers",
    .details =
        "Without an option one task is measured on the simulated NPU. With\n"
        "--hardware each open question about real cards is asked: `confirmed` is\n"
        "as assumed, `differs` is not, `told` is a fact that was not known,\n"
        "`by-hand` says what a person has to run, `not-here` that this\n"
        "installation lacks it. Without a card the answer is `no card`.",
    .run = run,
};
