/* analyze.c - analyses the captures of a program that profiled itself */
#include <stdio.h>
#include <unistd.h>

#include "cli/app/command_options.h"
#include "lib/base/text.h"
#include "parsers/capture_report/capture_list.h"
#include "parsers/capture_report/capture_report.h"
#include "parsers/child_pool/child_pool.h"
#include "parsers/framework/rank_folders.h"

enum { PATHS_MAX = 1 << 16, ALL_RANKS = -1 };

const struct command command_analyze;

struct analyze_options {
    int64_t rank;
    const char *to, *marker, *layer;
    int format; /* enum capture_format */
    bool list;
    uint64_t jobs, memory, timeout_ms;
};

/* The state of the callbacks of the report. */
struct calls {
    size_t failed;
    bool shows_progress;
    size_t done, count; /* ranks */
};

static void print_failed(void *arg, int64_t rank, const char *reason)
{
    struct calls *calls = arg;

    (void)rank;
    fprintf(stderr, "%smuster analyze: %s\n", calls->shows_progress ? "\r\033[K" : "",
            reason);
    calls->failed++;
}

/* Prints how many ranks are done, on a terminal only. */
static void print_progress(void *arg, size_t done, size_t count)
{
    struct calls *calls = arg;

    calls->done = done;
    calls->count = count;
    if (calls->shows_progress)
        fprintf(stderr, "\r\033[K%zu of %zu ranks analysed%s", done, count,
                done == count ? "\n" : "");
}

/* Prints what is done for a rank that takes long, on a terminal only. */
static void print_working(void *arg, int64_t rank, const char *phase, uint64_t spent_ms)
{
    const struct calls *calls = arg;

    if (calls->shows_progress)
        fprintf(stderr, "\r\033[K%zu of %zu ranks analysed; rank %lld: %s, %llu s",
                calls->done, calls->count, (long long)rank, phase,
                (unsigned long long)spent_ms / 1000);
}

static int keep_rank(struct rank_folders *folders, int64_t rank, struct err *err)
{
    struct text ranks = {0};

    for (size_t i = folders->count; i > 0; i--) {
        if (folders->rows[i - 1].rank == rank)
            continue;
        text_printf(&ranks, " %lld", (long long)folders->rows[i - 1].rank);
        rank_list_remove(folders, i - 1);
    }
    if (folders->count == 0)
        err_set(err, ERR_NOT_FOUND, "there is no rank %lld; the captures are of rank%s",
                (long long)rank, text_get(&ranks));
    text_clear(&ranks);
    return folders->count > 0 ? 0 : -1;
}

static int print_list(struct text *out,
                      const struct rank_folders *folders,
                      const struct analyze_options *options,
                      struct err *err)
{
    struct json_write json;

    if (options->format != CAPTURE_JSON) {
        capture_list_text(out, folders);
        return 0;
    }
    json_write_to_text(&json, out);
    capture_list_json(&json, folders);
    if (json_write_finish(&json, err) < 0)
        return -1;
    text_add(out, "\n");
    return 0;
}

/* Returns the exit code, or -1. */
static int analyze(char **paths,
                   size_t count,
                   const struct analyze_options *options,
                   struct err *err)
{
    struct rank_folders folders;
    struct text out = {0};
    struct calls calls = {.shows_progress = isatty(STDERR_FILENO)};
    int result;

    if (rank_folders_find(&folders, paths, count, err) < 0)
        return -1;
    fputs(text_get(&folders.warnings), stderr);
    for (size_t i = 0; i < folders.count; i++) {
        folders.rows[i].marker = options->marker;
        folders.rows[i].layer = options->layer;
    }
    result = options->rank == ALL_RANKS ? 0 : keep_rank(&folders, options->rank, err);
    calls.count = folders.count;
    if (result == 0 && options->list)
        result = print_list(&out, &folders, options, err);
    else if (result == 0)
        result =
            capture_report_write(&out, &folders,
                                 &(struct capture_report_options){
                                     .format = (enum capture_format)options->format,
                                     .to = options->to,
                                     .failed = print_failed,
                                     .arg = &calls,
                                     .parallel = options->jobs,
                                     .limit_ms = options->timeout_ms,
                                     .memory_bytes = options->memory,
                                     .progress = print_progress,
                                     .working = print_working},
                                 err);
    if (result == 0) {
        fwrite(text_get(&out), 1, out.length, stdout);
        if (options->to)
            fprintf(stderr, "%s/analysis.html\n", options->to);
        result = calls.failed > 0 ? EXIT_SOME_FAILED : EXIT_GOOD;
    }
    rank_list_clear(&folders);
    text_clear(&out);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    static const char *const formats[] = {[CAPTURE_TEXT] = "text",
                                          [CAPTURE_JSON] = "json",
                                          [CAPTURE_MARKDOWN] = "markdown",
                                          [CAPTURE_HTML] = "html",
                                          NULL};
    struct analyze_options options = {.rank = ALL_RANKS,
                                      .jobs = child_pool_processors(),
                                      .memory = 8ull << 30,
                                      .timeout_ms = 30 * 60 * 1000};
    struct command_options shared = {0};
    size_t count = 0;
    char **args;
    const struct option_row rows[] = {
        {"rank", 0, OPTION_I64, &options.rank, "N",
         "Analyse only this rank (default: all)", NULL},
        {"to", 0, OPTION_PATH, &options.to, "DIR",
         "Also write analysis.html, cluster.json, and JSON and Markdown per rank "
         "(default: none)",
         NULL},
        {"marker", 0, OPTION_TEXT, &options.marker, "NAME",
         "Events of the trace that begin a step, where it has no ProfilerStep#N, "
         "Iteration#N or Step#N (default: none)",
         NULL},
        {"layer", 0, OPTION_TEXT, &options.layer, "WORD",
         "Events of trace_view.json such as WORD#3 or WORD.3 are layers of the model, "
         "as layer#3 and block.3 are (default: none)",
         NULL},
        {"format", 0, OPTION_CHOICE, &options.format, "FORM",
         "Form of the printed analysis (default: text)", formats},
        {"jobs", 'j', OPTION_COUNT, &options.jobs, "N",
         "Analyse N ranks at a time, each in a process (default: one per processor)",
         NULL},
        {"memory", 0, OPTION_BYTES, &options.memory, "BYTES",
         "Give up a rank whose process needs more; 0: no limit (default: 8GiB)", NULL},
        {"timeout", 0, OPTION_DURATION, &options.timeout_ms, "TIME",
         "Give up a rank that takes longer; 0: no limit (default: 30m)", NULL},
        {"list", 0, OPTION_FLAG, &options.list, NULL,
         "Only list the ranks and their files, and what each missing file costs", NULL},
        COMMAND_OPTIONS_HELP_ROW(shared),
        {0},
    };
    int parsed = command_options_parse(&command_analyze, rows, &shared, argc, argv,
                                       &args, 1, PATHS_MAX, err);

    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (options.rank < ALL_RANKS)
        return err_set(err, ERR_INPUT, "--rank %lld: a rank is at least 0",
                       (long long)options.rank);
    if (options.marker && !*options.marker)
        return err_set(err, ERR_INPUT, "--marker: the name of the events is empty");
    if (options.layer && !*options.layer)
        return err_set(err, ERR_INPUT, "--layer: the word of the layers is empty");
    if (options.jobs < 1 || options.jobs > CHILD_POOL_MAX)
        return err_set(err, ERR_INPUT, "--jobs %llu: 1 to %d processes are possible",
                       (unsigned long long)options.jobs, CHILD_POOL_MAX);
    while (args[count])
        count++;
    return analyze(args, count, &options, err);
}

const struct command command_analyze = {
    .name = "analyze",
    .args = "[OPTIONS] PATH...",
    .summary = "Show where the time of a training or inference step went",
    .details =
        "PATH is a folder with captures of the profiler of the framework or of\n"
        "msprof: *_ascend_pt, *_ascend_ms, PROF_*, a folder above them, or a folder\n"
        "with kernel_details.csv; or a database of the profiler.\n"
        "A gap of the device is a fact; its causes are possibilities. The ranks of a\n"
        "capture are compared with each other.\n"
        "Exit code 1: a rank could not be analysed; the others are printed.",
    .examples = "  muster analyze --list profile\n"
                "  muster analyze profile --rank 3\n"
                "  muster analyze profile --to report --format json",
    .run = run,
};
