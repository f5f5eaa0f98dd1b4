/* inspect.c - prints and checks a visualize_data.bin or an IREE dump */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/app/command_options.h"
#include "cli/capture/iree_files.h"
#include "cli/capture/visualize_print.h"
#include "parsers/visualize_check/check.h"
#include "parsers/visualize_check/check_place.h"

const struct command command_inspect;

static void print_problem(const struct check_problem *problem, void *arg)
{
    (void)arg;
    printf("%s: block %zu type 0x%02X offset %" PRIu64 ": %s: %s\n",
           problem->is_error ? "error" : "warning", problem->block, problem->type,
           problem->offset, problem->rule, problem->text);
}

static int
inspect(const char *path, bool as_json, bool explain, bool check, struct err *err)
{
    struct visualize_print file;
    size_t errors = 0;
    int result = 0;

    if (visualize_print_open(&file, path, err) < 0)
        return -1;
    if (as_json) {
        result = visualize_print_json(&file, STDOUT_FILENO, check, &errors, err);
    } else {
        result = explain ? visualize_print_explain(&file, err)
                         : visualize_print_blocks(&file, err);
        if (check) { /* the checks report the error of the print, and more */
            result = 0;
            errors = visualize_check_place(path, print_problem, NULL) +
                     visualize_check(file.bytes, file.size, print_problem, NULL);
            printf("%zu errors\n", errors);
        }
    }
    visualize_print_close(&file);
    return result < 0 ? -1 : errors ? EXIT_SOME_FAILED : EXIT_GOOD;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = {0};
    bool as_json = false, check = false, explain = false;
    char **args;
    const struct option_row rows[] = {
        {"json", 0, OPTION_FLAG, &as_json, NULL, "Print all blocks as JSON", NULL},
        {"explain", 0, OPTION_FLAG, &explain, NULL,
         "Print each field with its count, first value and meaning; of an IREE dump, "
         "each record",
         NULL},
        {"check", 0, OPTION_FLAG, &check, NULL,
         "Check the file against the rules of the viewer; exit code 1 on errors", NULL},
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_inspect, rows, &options, argc, argv,
                                       &args, 1, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (iree_file_is(args[0]))
        return iree_file_inspect(args[0], as_json, explain, err);
    if (explain && as_json)
        return err_set(err, ERR_INPUT,
                       "--explain has no effect with --json, which prints all fields; "
                       "remove it");
    return inspect(args[0], as_json, explain, check, err);
}

const struct command command_inspect = {
    .name = "inspect",
    .args = "FILE",
    .summary = "Print, explain or check a visualize_data.bin or an IREE dump",
    .details =
        "FILE is a visualize_data.bin, an instrument dump of IREE (IDB0), an IREE\n"
        "profile (.ireeprof), or a capture to which one of these was appended. The\n"
        "command recognises the kind by the first bytes. IREE files are always\n"
        "checked: problems are printed on stderr and give exit code 1.",
    .examples = "  muster inspect visualize_data.bin\n"
                "  muster inspect --explain visualize_data.bin",
    .run = run,
};
