/* selftest.c - checks this installation, or the assumptions about a real card
 *
 * Without an option it runs one task on the simulated NPU, from job file to results.
 * With --hardware it runs muster-probe, which is installed in the folder of parts, and
 * measures known programs. */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/app/command_options.h"
#include "cli/selftest/card_checks.h"
#include "cli/selftest/known_program.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"

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

/* Runs one task with all programs. */
static int measure_once(struct check_rows *output, const char *folder, struct err *err)
{
    char end[KNOWN_PROGRAM_END_BYTES];
    char self[PATH_MAX], *file = xasprintf("%s/job.yaml", folder);
    char *out = xasprintf("%s/out", folder), *text;
    const char *const argv[] = {self, "run", "--quiet", "--out", out, file, NULL};
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    int status = -1;

    self[length > 0 ? length : 0] = '\0';
    if (file_write(file, job, sizeof(job) - 1, err) == 0)
        status = known_program_spawn(NULL, argv, err);
    free(file);
    free(out);
    if (status < 0)
        return -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        check_rows_put(output,
                       &(struct check_row){"simulated-run", "good",
                                           "one task was measured and parsed", "", ""});
        return EXIT_GOOD;
    }
    known_program_describe(end, status);
    text = xasprintf("muster run ended with %s", end);
    check_rows_put(output,
                   &(struct check_row){"simulated-run", "failed", text, "", ""});
    free(text);
    return EXIT_SOME_FAILED;
}

static char *create_folder(struct err *err)
{
    const char *base = getenv("TMPDIR");
    char *folder =
        xasprintf("%s/muster-selftest-XXXXXX", base && *base ? base : "/tmp");

    if (mkdtemp(folder))
        return folder;
    err_errno(err, "creating the temporary folder %s", folder);
    free(folder);
    return NULL;
}

const struct command command_selftest;

struct selftest_options {
    struct command_options common;
    struct card_checks_options cards;
    bool hardware;
    const char *replay;
};

static int check_options(const struct selftest_options *options, struct err *err)
{
    static const struct command_mode modes[] = {
        {"--hardware", "simulated program operations group-program archive"},
        {NULL, NULL}};

    if (options->replay && options->hardware)
        return err_set(err, ERR_INPUT, "--replay and --hardware exclude each other");
    if (options->hardware && options->cards.operations && !options->cards.program)
        return err_set(err, ERR_INPUT,
                       "--operations describes the launches of --program; pass both");
    return command_options_check_mode(modes,
                                      options->hardware ? "--hardware"
                                      : options->replay ? "--replay"
                                                        : "a simulated run",
                                      err);
}

static int run_checks(struct check_rows *output,
                      const struct selftest_options *options,
                      struct err *err)
{
    char parts[PATH_MAX], *folder;
    int result;

    if (options->replay)
        return card_checks_replay(output, options->replay, err);
    if (file_parts_folder(parts, sizeof(parts), err) < 0)
        return -1;
    folder = create_folder(err);
    if (!folder)
        return -1;
    result = options->hardware
                 ? card_checks_run(output, &options->cards, parts, folder, err)
                 : measure_once(output, folder, err);
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(folder);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct selftest_options options = {.cards.archive = "muster-selftest.iidb"};
    char **args;
    const struct option_row rows[] = {
        {"hardware", 0, OPTION_FLAG, &options.hardware, NULL,
         "Check the assumptions about real cards on this machine", NULL},
        {"simulated", 0, OPTION_FLAG, &options.cards.simulated, NULL,
         "With --hardware: check the simulated NPU instead of a card", NULL},
        {"program", 0, OPTION_TEXT, &options.cards.program, "COMMAND",
         "With --hardware: program for one card that checks its result (default: none)",
         NULL},
        {"operations", 0, OPTION_COUNT, &options.cards.operations, "N",
         "With --program: vector operations of each launch (default: unknown)", NULL},
        {"group-program", 0, OPTION_TEXT, &options.cards.group_program, "COMMAND",
         "With --hardware: a rank of a program for two cards (default: none)", NULL},
        {"archive", 0, OPTION_PATH, &options.cards.archive, "FILE",
         "With --hardware: archive to write (default: muster-selftest.iidb)", NULL},
        {"replay", 0, OPTION_PATH, &options.replay, "FILE",
         "Check the captures of this archive without a card (default: none)", NULL},
        COMMAND_OPTIONS_OUTPUT_ROW(options.common),
        COMMAND_OPTIONS_HELP_ROW(options.common),
        {0},
    };
    struct check_rows *output;
    int result = command_options_parse(&command_selftest, rows, &options.common, argc,
                                       argv, &args, 0, 0, err);

    if (result)
        return result < 0 ? -1 : EXIT_GOOD;
    if (check_options(&options, err) < 0)
        return -1;
    output = check_rows_create((enum row_output_format)options.common.format);
    result = run_checks(output, &options, err);
    if (result < 0) {
        check_rows_destroy(&output);
        return -1;
    }
    return check_rows_finish(&output, err) < 0 ? -1 : result;
}

const struct command command_selftest = {
    .name = "selftest",
    .args = "",
    .summary = "Check this installation, or the assumptions about a real card",
    .details =
        "Without an option one task is measured on the simulated NPU. With\n"
        "--hardware each assumption about real cards is checked, and programs with\n"
        "known kernels are measured. Each line has what was seen, what was assumed, "
        "and\n"
        "what muster does when they differ. The archive has the captures without "
        "names\n"
        "of hosts, programs and users, and can be sent with a report. The verdicts "
        "are:\n"
        "  confirmed  the card behaves as assumed\n"
        "  differs    the card behaves differently; exit code 1\n"
        "  fact       a property of the card about which nothing was assumed\n"
        "  by-hand    a check that a person has to run; the text describes it\n"
        "  not-here   this machine lacks what the check needs; without a card, exit\n"
        "             code 1\n"
        "\n"
        "Examples:\n"
        "  muster selftest\n"
        "  muster selftest --hardware --program './add 65536' --operations 65536\n"
        "  muster selftest --replay muster-selftest.iidb",
    .run = run,
};
