/* gang.c - analyses a job on several cards */
#include <stdio.h>
#include <string.h>

#include "cli/app/command_options.h"
#include "cli/gang/gang_rows.h"
#include "cli/gang/stored_gang.h"
#include "cli/query/row_source.h"
#include "lib/base/text.h"
#include "lib/gang/gang_analysis.h"

const struct command command_gang;

static int
find_analysis(const struct gang_analysis **analysis, const char *name, struct err *err)
{
    struct text names = {0};

    *analysis = gang_analysis_find(name);
    if (*analysis)
        return 0;
    for (size_t i = 0; gang_analysis_at(i); i++)
        text_printf(&names, "%s%s", i ? ", " : "", gang_analysis_at(i)->name);
    err_set(err, ERR_INPUT, "there is no analysis '%s'; use one of %s", name,
            text_get(&names));
    text_clear(&names);
    return -1;
}

/* Prints one analysis, with `title` for one of several. Sets *any when it has rows. */
static int print_analysis(const struct gang_analysis *analysis,
                          const struct gang_input *input,
                          const struct command_options *options,
                          bool title,
                          bool *any,
                          struct err *err)
{
    struct gang_table table = gang_analysis_run(analysis, input);
    int result = 0;

    if (title && table.row_count)
        printf("%s%s (%s)\n", *any ? "\n" : "", analysis->title, analysis->name);
    if (table.row_count || !title)
        result = gang_rows_print(analysis, &table,
                                 (enum row_output_format)options->format, err);
    if (table.row_count && table.simulated && options->format == ROW_OUTPUT_TEXT)
        puts("the figures are simulated");
    *any |= table.row_count > 0;
    gang_table_clear(&table);
    return result;
}

static int print_all(const struct gang_input *input,
                     const struct gang_analysis *only,
                     const struct command_options *options,
                     const char *job,
                     struct err *err)
{
    bool any = false;

    if (only) {
        if (print_analysis(only, input, options, false, &any, err) < 0)
            return -1;
        return any ? 0
                   : err_set(err, ERR_NOT_FOUND, "job %s has no %s: it needs %s", job,
                             only->name, only->needs);
    }
    for (size_t i = 0; gang_analysis_at(i); i++)
        if (print_analysis(gang_analysis_at(i), input, options, true, &any, err) < 0)
            return -1;
    return any ? 0
               : err_set(err, ERR_NOT_FOUND,
                         "no analysis has a row for job %s: it has no complete task, "
                         "or no figures that they need",
                         job);
}

static int read_job(struct gang_figures **figures,
                    struct row_source *source,
                    const char *job,
                    struct err *err)
{
    uint64_t job_id;

    if (row_source_find_job(source, job, &job_id, err) < 0 ||
        stored_gang_read(figures, source, job_id, err) < 0)
        return -1;
    return *figures ? 0
                    : err_set(err, ERR_NOT_FOUND,
                              "no task of job %s has several cards; see operator.ranks",
                              job);
}

static int analyse(struct row_source *source,
                   const char *job,
                   const char *against,
                   const struct gang_analysis *only,
                   const struct command_options *options,
                   struct err *err)
{
    struct gang_figures *figures = NULL, *base = NULL;
    struct gang_times times = {0};
    int result = read_job(&figures, source, job, err);

    if (result == 0 && against)
        result = read_job(&base, source, against, err);
    if (result == 0) {
        gang_times_read(&times, figures);
        result = print_all(
            &(struct gang_input){.figures = figures, .times = &times, .base = base},
            only, options, job, err);
    }
    gang_times_clear(&times);
    gang_figures_destroy(figures);
    gang_figures_destroy(base);
    return result;
}

static const struct command_mode modes[] = {{"arrival", "against"}, {NULL, NULL}};

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = COMMAND_OPTIONS_INIT;
    const struct gang_analysis *only = NULL;
    struct row_source *source;
    const char *against = NULL;
    char **args;
    const struct option_row rows[] = {
        {"against", 0, OPTION_TEXT, &against, "JOB",
         "Take the calibration of 'arrival' from this job (default: the job itself)",
         NULL},
        COMMAND_OPTIONS_OUTPUT_ROW(options),
        COMMAND_OPTIONS_OUT_ROW(options),
        COMMAND_OPTIONS_CLIENT_ROWS(options),
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_gang, rows, &options, argc, argv, &args,
                                       1, 2, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (args[1] && (find_analysis(&only, args[1], err) < 0 ||
                    command_options_check_mode(modes, args[1], err) < 0))
        return -1;
    if (!only && options.format != ROW_OUTPUT_TEXT)
        return err_set(err, ERR_INPUT,
                       "the rows of each analysis have columns of their own; name one: "
                       "muster gang %s scaling -o csv",
                       args[0]);
    if (row_source_open(&source, &options.client, options.out, err) < 0)
        return -1;
    int result = analyse(source, args[0], against, only, &options, err);
    row_source_close(source);
    return result;
}

const struct command command_gang = {
    .name = "gang",
    .args = "JOB [ANALYSIS]",
    .summary = "Analyse a job on several cards",
    .details =
        "ANALYSIS is one of these. Without it the command prints each of them that\n"
        "the job has figures for:\n"
        "\n"
        "  overlap      share of the communication that an operator hides\n"
        "  arrival      whether late ranks or slow transfers make a launch slow\n"
        "  scaling      speedup with more ranks, a law for it, and the size that\n"
        "               deviates most from this law\n"
        "  collectives  latency and bandwidth of collectives\n"
        "  cards        slow cards and slow ranks (cards.rotate)\n"
        "  links        slow links between cards (cards.pairs)\n"
        "\n"
        "  muster gang sweep scaling -o csv\n"
        "\n" COMMAND_JOB_DETAILS,
    .run = run,
};
