#include "parsers/run/profile_parse.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "parsers/anomaly/analysis.h"
#include "parsers/architecture/arch_report.h"
#include "parsers/capture_report/capture_report.h"
#include "parsers/capture_report/step_figures.h"
#include "parsers/framework/rank_folders.h"
#include "parsers/run/result_lines.h"

struct parsing {
    struct profile_parse_work *work;
    const struct rank_folders *folders;
    struct result_launch launch;
};

static void write_error(struct profile_parse_work *work, const char *text)
{
    work->bad++;
    result_error(work->lines, text);
}

static void write_output(const struct profile_parse_work *work, const char *name)
{
    char *path = xasprintf("%s/analysis/%s", work->place, name);

    result_output(work->lines, path);
    free(path);
}

static void write_failed(void *arg, int64_t rank, const char *reason)
{
    const struct parsing *parsing = arg;

    (void)rank;
    write_error(parsing->work, reason);
}

static void write_figure(const struct step_figure *figure, void *arg)
{
    const struct parsing *parsing = arg;

    result_figure(parsing->work->lines, &parsing->launch, figure->metric, figure->value,
                  figure->unit);
}

static void write_outputs(struct profile_parse_work *work,
                          const struct analysis *analysis)
{
    char *architecture = arch_report_file_name(analysis);
    const char *const names[] = {"anomaly_discovery.json", "anomaly_report.md",
                                 architecture};

    for (size_t i = 0; i < COUNT(names); i++) {
        char *name =
            xasprintf("rank_%lld/%s", (long long)analysis->input->rank, names[i]);

        write_output(work, name);
        free(name);
    }
    free(architecture);
}

static void write_rank(void *arg, const struct analysis *analysis)
{
    struct parsing *parsing = arg;
    long long rank = analysis->input->rank;

    for (size_t i = 0; i < analysis->group_count; i++) {
        char kernel[64];

        if (parsing->folders->count > 1)
            snprintf(kernel, sizeof(kernel), "rank_%lld/step_group_%zu", rank, i);
        else
            snprintf(kernel, sizeof(kernel), "step_group_%zu", i);
        parsing->launch =
            (struct result_launch){kernel, 0, parsing->work->device, NULL};
        result_launch(parsing->work->lines, &parsing->launch);
        step_figures_each(analysis, i, write_figure, parsing);
    }
    write_outputs(parsing->work, analysis);
}

static int analyse(struct parsing *parsing, const char *to, struct err *err)
{
    const struct capture_report_options options = {.format = CAPTURE_HTML,
                                                   .to = to,
                                                   .failed = write_failed,
                                                   .analysed = write_rank,
                                                   .arg = parsing};
    struct text page = {0};
    int result = capture_report_write(&page, parsing->folders, &options, err);

    text_clear(&page);
    if (result < 0)
        return -1;
    write_output(parsing->work, "analysis.html");
    if (parsing->folders->count > 1)
        write_output(parsing->work, "cluster.json");
    return 0;
}

int profile_parse(struct profile_parse_work *work, struct err *err)
{
    char *from = xasprintf("%s/%s/profile", work->folder, work->place);
    char *to = xasprintf("%s/%s/analysis", work->folder, work->place);
    struct rank_folders folders;
    struct parsing parsing = {.work = work, .folders = &folders};
    struct err reason;
    int result = 0;

    if (rank_folders_find(&folders, &from, 1, &reason) < 0) {
        write_error(work, reason.text);
    } else {
        fputs(text_get(&folders.warnings), stderr);
        result = analyse(&parsing, to, err);
        rank_list_clear(&folders);
    }
    free(from);
    free(to);
    return result;
}
