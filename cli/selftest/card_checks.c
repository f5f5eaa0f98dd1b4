#include "cli/selftest/card_checks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/app/command.h"
#include "cli/selftest/known_program.h"
#include "lib/base/mem.h"
#include "parsers/assumptions/assumptions.h"
#include "parsers/assumptions/selftest_archive.h"

enum { PROBE_DIFFERS_EXIT = 1, PROBE_NO_CARD_EXIT = 3, SIMULATED_OPERATIONS = 16384 };

/* The first line of an archive's text. */
static const char operations_line[] = "#operations\t";

/* Points the environment at the simulated NPU instead of the toolkit. */
static void use_simulator(const char *parts)
{
    char *home = xasprintf("%s/sim", parts), *libraries = xasprintf("%s/lib64", home);

    setenv("ASCEND_HOME_PATH", home, 1);
    setenv("LD_LIBRARY_PATH", libraries, 1);
    free(home);
    free(libraries);
}

/* Appends the probe's lines. *has_card is false when this machine has no card. */
static int run_probe(const struct card_checks_options *options,
                     const char *parts,
                     struct text *lines,
                     bool *has_card,
                     struct err *err)
{
    char *probe = xasprintf("%s/muster-probe", parts), *line = NULL;
    const char *const argv[] = {probe, options->simulated ? "--simulated" : NULL, NULL};
    char end[KNOWN_PROGRAM_END_BYTES];
    FILE *output = tmpfile();
    size_t room = 0;
    int status;

    if (!output) {
        free(probe);
        return err_errno(err, "creating a temporary file");
    }
    status = known_program_spawn(output, argv, err);
    rewind(output);
    while (getline(&line, &room, output) > 0)
        text_add(lines, line);
    free(line);
    fclose(output);
    free(probe);
    if (status < 0)
        return -1;
    known_program_describe(end, status);
    if (!WIFEXITED(status) ||
        (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != PROBE_DIFFERS_EXIT &&
         WEXITSTATUS(status) != PROBE_NO_CARD_EXIT))
        return err_set(err, ERR_SYSTEM,
                       "muster-probe ended with %s; run it alone to see its output",
                       end);
    *has_card = WEXITSTATUS(status) != PROBE_NO_CARD_EXIT;
    return 0;
}

struct row_printer {
    struct check_rows *output;
    size_t differ;
};

static void print_result(const struct assumption_result *result, void *arg)
{
    struct row_printer *printer = arg;

    printer->differ += result->verdict == ASSUMPTION_DIFFERS;
    check_rows_put(
        printer->output,
        &(struct check_row){result->name, assumption_verdict_name(result->verdict),
                            result->seen, result->assumed, result->otherwise});
}

/* The lines of an archive without serial numbers. */
static void add_public_lines(struct text *out, const char *lines)
{
    char *copy = xstrdup(lines), *rest = copy, *line;

    while ((line = strsep(&rest, "\n"))) {
        if (*line == '\0')
            continue;
        if (text_has_prefix(line, "serial\t"))
            text_add(out, "serial\tby-hand\t(left out)\t\t\n");
        else
            text_printf(out, "%s\n", line);
    }
    free(copy);
}

static int write_archive(const struct card_checks_options *options,
                         const char *const *captures,
                         const char *lines,
                         struct err *err)
{
    const char *present[2];
    struct text text = {0};
    size_t count = 0;
    int result;

    for (size_t i = 0; i < 2; i++)
        if (access(captures[i], R_OK) == 0)
            present[count++] = captures[i];
    text_printf(&text, "%s%" PRIu64 "\n", operations_line, options->operations);
    add_public_lines(&text, lines);
    result = selftest_archive_write(options->archive, present, count, text_get(&text),
                                    NULL, NULL, err);
    text_clear(&text);
    return result;
}

/* Prints the rows of the archive's text and those of its captures. */
static int print_archive(struct check_rows *output,
                         const char *archive,
                         const char *lines, /* instead of the archive's, or NULL */
                         struct err *err)
{
    struct assumption_program program = {0};
    struct row_printer printer = {output, 0};
    struct text text = {0};
    int result = selftest_archive_text(archive, &text, err);

    if (result == 0 && text_has_prefix(text_get(&text), operations_line))
        program.operations =
            strtoull(text_get(&text) + strlen(operations_line), NULL, 10);
    if (result == 0) {
        printer.differ = check_rows_put_lines(output, lines ? lines : text_get(&text));
        result = assumptions_check(archive, &program, print_result, &printer, err);
    }
    text_clear(&text);
    return result < 0 ? -1 : printer.differ > 0 ? EXIT_SOME_FAILED : EXIT_GOOD;
}

static int measure_programs(const struct card_checks_options *options,
                            const char *folder,
                            const char *const *captures,
                            struct text *lines,
                            struct err *err)
{
    const struct known_program programs[] = {
        {"known-kernel", options->program, 1, !options->simulated},
        {"known-group", options->group_program, 2, !options->simulated},
    };

    for (size_t i = 0; i < COUNT(programs); i++)
        if (known_program_measure(&programs[i], folder, captures[i], lines, err) < 0)
            return -1;
    return 0;
}

static int check_and_save(struct check_rows *output,
                          const struct card_checks_options *options,
                          const char *folder,
                          struct text *lines,
                          struct err *err)
{
    char *alone = xasprintf("%s/alone.iidb", folder);
    char *group = xasprintf("%s/group.iidb", folder);
    const char *const captures[] = {alone, group};
    int result = measure_programs(options, folder, captures, lines, err);

    if (result == 0)
        result = write_archive(options, captures, text_get(lines), err);
    if (result == 0) {
        result = print_archive(output, options->archive, text_get(lines), err);
        fprintf(stderr,
                "muster selftest: the archive %s has the captures without user data; "
                "please send it with a report\n",
                options->archive);
    }
    free(alone);
    free(group);
    return result;
}

int card_checks_run(struct check_rows *output,
                    const struct card_checks_options *options,
                    const char *parts,
                    const char *folder,
                    struct err *err)
{
    struct card_checks_options with = *options;
    char *bin = xasprintf("%s/sim/bin", parts), *alone = NULL, *group = NULL;
    struct text lines = {0};
    bool has_card = false;
    int result;

    if (options->simulated) {
        use_simulator(parts);
        alone = xasprintf("'%s/accumulate_inplace' --n %d --launches 2", bin,
                          SIMULATED_OPERATIONS);
        group = xasprintf("'%s/matmul_all_reduce_inplace' --launches 2", bin);
        with.program = options->program ? options->program : alone;
        with.group_program = options->group_program ? options->group_program : group;
        with.operations = options->program ? options->operations : SIMULATED_OPERATIONS;
    }
    result = run_probe(&with, parts, &lines, &has_card, err);
    if (result == 0 && !has_card) {
        check_rows_put_lines(output, text_get(&lines));
        result = EXIT_SOME_FAILED;
    } else if (result == 0) {
        result = check_and_save(output, &with, folder, &lines, err);
    }
    text_clear(&lines);
    free(alone);
    free(group);
    free(bin);
    return result;
}

int card_checks_replay(struct check_rows *output, const char *archive, struct err *err)
{
    return print_archive(output, archive, NULL, err);
}
