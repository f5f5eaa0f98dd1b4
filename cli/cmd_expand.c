/* cmd_expand.c - the points that a job file stands for, without running any */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/verb.h"
#include "job/job.h"

const struct command command_expand;

/* point, a column for each name of the sweep, command */
static struct output_column *make_columns(const struct job *job, size_t count)
{
    struct output_column *columns = xcalloc(count, sizeof(*columns));

    columns[0] = (struct output_column){"point", CELL_U64};
    for (size_t i = 0; i + 2 < count; i++)
        columns[i + 1] = (struct output_column){job_variable_name(job, i), CELL_TEXT};
    columns[count - 1] = (struct output_column){"command", CELL_TEXT};
    return columns;
}

static bool needs_quotes(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-./=:,+@%";

    return word[0] == '\0' || word[strspn(word, plain)] != '\0';
}

/* As a shell would want to read it. */
static void join(struct text *out, const struct job_list *words)
{
    text_reset(out);
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];

        if (i)
            text_add_char(out, ' ');
        if (!needs_quotes(word)) {
            text_add(out, word);
            continue;
        }
        text_add_char(out, '\'');
        for (; *word; word++)
            if (*word == '\'')
                text_add(out, "'\\''");
            else
                text_add_char(out, *word);
        text_add_char(out, '\'');
    }
}

static void
print_points(const struct job *job, struct output *output, size_t count, uint64_t limit)
{
    struct cell *cells = xcalloc(count, sizeof(*cells));
    struct job_points *points = job_points_create(job);
    struct job_point point;
    struct text command = {0};

    while (limit-- > 0 && job_points_next(points, &point)) {
        join(&command, &point.command);
        cells[0] = (struct cell){.kind = CELL_U64, .u64 = point.index};
        for (size_t i = 0; i + 2 < count; i++)
            cells[i + 1] = (struct cell){.kind = CELL_TEXT, .text = point.values[i]};
        cells[count - 1] = (struct cell){.kind = CELL_TEXT, .text = text_get(&command)};
        output_row(output, cells);
    }
    text_clear(&command);
    job_points_destroy(points);
    free(cells);
}

static int
expand(const char *path, enum output_format format, uint64_t limit, struct err *err)
{
    struct problems problems = {0};
    struct job *job;

    if (job_parse_file(&job, path, &problems, err) < 0) {
        struct text lines = {0};

        if (!problems.count)
            return -1;
        problems_tell(&problems, path, &lines);
        fputs(text_get(&lines), stderr);
        text_clear(&lines);
        problems_clear(&problems);
        return EXIT_USAGE;
    }
    size_t count = job_variable_count(job) + 2;
    struct output_column *columns = make_columns(job, count);
    struct output *output =
        output_create(format, "muster.points.v1", columns, count, stdout);
    print_points(job, output, count, limit);
    int result = output_finish(&output, err);
    free(columns);
    job_destroy(job);
    return result < 0 ? -1 : EXIT_GOOD;
}

static int run(int argc, char **argv, struct err *err)
{
    struct verb verb = VERB_INIT;
    uint64_t limit = UINT64_MAX;
    char **args;
    const struct option_row rows[] = {
        {"limit", 'n', OPTION_U64, &limit, "N", "the first N points only", NULL},
        VERB_OUTPUT_ROW(verb),
        VERB_HELP_ROW(verb),
        {0},
    };

    int parsed = verb_parse(&command_expand, rows, &verb, argc, argv, &args, 1, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    return expand(args[0], (enum output_format)verb.format, limit, err);
}

const struct command command_expand = {
    .name = "expand",
    .args = "[OPTIONS] FILE",
    .summary = "list the points of a job file without running any",
    .run = run,
};
