#include "parsers/run/dump_parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "parsers/dumps/dump_files.h"
#include "parsers/iree/output/iree_figures.h"
#include "parsers/iree/output/iree_folder.h"
#include "parsers/run/profile_parse.h"
#include "parsers/run/result_lines.h"
#include "parsers/run/simulation_parse.h"

/* The coordinator reads at most 8 MiB of lines. */
enum { ROWS_MAX = 2000, KERNEL_BYTES = 256, PROBLEMS_MAX = 20 };

struct parsing {
    struct dump_parse_work *work;
    struct map *numbers; /* next launch of each kernel */
    struct simulation_parse *simulation;
    const struct dump_file *file; /* the current one */
    size_t rows, left_out;
    size_t row; /* of the current figures; SIZE_MAX: none */
    char kernel[KERNEL_BYTES];
    struct result_launch launch;
    char *profile; /* place of the profile; NULL: none */
    uint32_t device;
};

static void write_error(const char *text, void *arg)
{
    struct parsing *parsing = arg;

    parsing->work->bad++;
    result_error(parsing->work->lines, text);
}

static void write_output(const char *name, void *arg)
{
    const struct parsing *parsing = arg;
    char *path = xasprintf("%s/%s", parsing->file->folder, name);

    result_output(parsing->work->lines, path);
    free(path);
}

/* Numbers the next row, and writes the line that announces its launch. */
static void begin_row(struct parsing *parsing, const struct iree_figure *figure)
{
    uintptr_t number;

    parsing->row = figure->row;
    parsing->rows++;
    if (parsing->rows > ROWS_MAX) {
        parsing->left_out++;
        return;
    }
    text_to_ascii(parsing->kernel, sizeof(parsing->kernel), figure->kernel);
    number = (uintptr_t)map_get(parsing->numbers, parsing->kernel);
    map_put(parsing->numbers, parsing->kernel, (void *)(number + 1));
    parsing->launch =
        (struct result_launch){parsing->kernel, number, parsing->file->device, NULL};
    result_launch(parsing->work->lines, &parsing->launch);
}

static void write_figure(const struct iree_figure *figure, void *arg)
{
    struct parsing *parsing = arg;

    if (parsing->row != figure->row)
        begin_row(parsing, figure);
    if (parsing->rows > ROWS_MAX)
        return;
    result_figure(parsing->work->lines, &parsing->launch, figure->metric, figure->value,
                  figure->unit);
}

static void write_problems(struct parsing *parsing, const struct iree_dump *dump)
{
    for (size_t i = 0; i < dump->problem_count && i < PROBLEMS_MAX; i++)
        write_error(dump->problems[i].text, parsing);
    if (dump->problem_count > PROBLEMS_MAX)
        write_error("further problems are in iree.json", parsing);
}

/* The profile is analysed when all its files are there. */
static void keep_place(struct parsing *parsing)
{
    const struct dump_file *file = parsing->file;

    if (parsing->profile)
        return;
    parsing->profile = xasprintf(
        "%.*s", (int)(strstr(file->folder, "/profile") - file->folder), file->folder);
    parsing->device = file->device;
}

static int parse_profile(struct parsing *parsing, struct err *err)
{
    struct profile_parse_work profile = {.folder = parsing->work->folder,
                                         .place = parsing->profile,
                                         .device = parsing->device,
                                         .lines = parsing->work->lines};
    int result = profile_parse(&profile, err);

    parsing->work->bad += profile.bad;
    return result;
}

static int parse_file(const struct dump_file *file, void *arg, struct err *err)
{
    struct parsing *parsing = arg;
    struct iree_dump *dump;
    struct err why;
    char *folder;
    int result;

    parsing->file = file;
    parsing->row = SIZE_MAX;
    write_output(strrchr(file->path, '/') + 1, parsing);
    if (file->is_profile) {
        keep_place(parsing);
        return 0;
    }
    if (file->simulation) {
        simulation_parse_add(parsing->simulation, file);
        return 0;
    }
    if (iree_dump_open(&dump, file->path, &why) < 0) {
        write_error(why.text, parsing);
        return 0;
    }
    folder = xasprintf("%s/%s", parsing->work->folder, file->folder);
    result = iree_folder_write(dump, folder, write_output, parsing, err);
    if (result == 0) {
        iree_figures_each(dump, write_figure, parsing);
        write_problems(parsing, dump);
    }
    iree_dump_close(dump);
    free(folder);
    return result;
}

int dump_parse(struct dump_parse_work *work, struct err *err)
{
    struct parsing parsing = {
        .work = work, .numbers = map_create(), .simulation = simulation_parse_create()};
    const struct dump_files_events events = {parse_file, write_error, &parsing};
    int result = dump_files_restore(work->capture, work->run_id, work->rank,
                                    work->folder, &events, err);
    const struct simulation_report report = {work->folder, work->lines, &work->bad};
    char text[160];

    if (result == 0)
        result = simulation_parse_finish(parsing.simulation, &report, err);
    if (result == 0 && parsing.left_out) {
        snprintf(text, sizeof(text),
                 "%zu further sites and operations have no figures in the store; "
                 "sites.csv and operations.csv have them",
                 parsing.left_out);
        write_error(text, &parsing);
    }
    simulation_parse_destroy(parsing.simulation);
    if (result == 0 && parsing.profile)
        result = parse_profile(&parsing, err);
    map_destroy(parsing.numbers);
    free(parsing.profile);
    return result;
}
