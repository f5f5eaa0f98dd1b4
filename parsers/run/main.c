/* main.c - muster-parser: from what was captured to files and figures
 *
 * Started by the coordinator, a process per rank, or by hand. Exit codes: 0 good,
 * 1 some result is bad (told as an error line), 2 usage, 7 internal. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/manual.h"
#include "lib/base/mem.h"
#include "lib/base/options.h"
#include "parsers/records/mark_names.h"
#include "parsers/reports/reports.h"
#include "parsers/run/parse_rank.h"
#include "parsers/run/parser.h"
#include "parsers/timeline/merge_ranks.h"

enum { EXIT_BAD = 1, EXIT_USAGE = 2, EXIT_INTERNAL = 7 };

static const char *capture, *folder, *out, *store, *marks_path;
static bool as_vendor, with_tracekit, kernel_scale;
static uint64_t run_id, rank, ranks, job_id, limit_mib, jobs, limit_s, parent;

#define TRACEKIT_ROW                                                                   \
    {                                                                                  \
        "tracekit", 0, OPTION_FLAG, &with_tracekit, NULL,                              \
            "with blocks that no viewer of today reads", NULL                          \
    }
#define KERNEL_SCALE_ROW                                                               \
    {                                                                                  \
        "kernel-scale", 0, OPTION_FLAG, &kernel_scale, NULL,                           \
            "only a marked part of the kernel was counted", NULL                       \
    }
#define AS_VENDOR_ROW                                                                  \
    {                                                                                  \
        "as-vendor", 0, OPTION_FLAG, &as_vendor, NULL,                                 \
            "with the known mistakes of the vendor's tool", NULL                       \
    }

#define MARKS_ROW                                                                      \
    {                                                                                  \
        "custom-input", 0, OPTION_TEXT, &marks_path, "FILE",                           \
            "names of the user's marks, as JSON", NULL                                 \
    }

#define PARENT_ROW                                                                     \
    {                                                                                  \
        "parent", 0, OPTION_U64, &parent, "PID",                                       \
            "end with this process, which has started it", NULL                        \
    }

#define LAUNCH_ROWS                                                                    \
    {                                                                                  \
        "jobs", 'j', OPTION_U64, &jobs, "N", "launches at once (a processor each)",    \
        NULL},                                                                         \
    {                                                                                  \
        "launch-limit-s", 0, OPTION_U64, &limit_s, "N", "for one launch (120)", NULL   \
    }

static const struct option_row rank_rows[] = {
    AS_VENDOR_ROW,
    MARKS_ROW,
    TRACEKIT_ROW,
    LAUNCH_ROWS,
    {"capture", 0, OPTION_TEXT, &capture, "FILE", "the job's capture database", NULL},
    {"run", 0, OPTION_U64, &run_id, "ID", "the run to read", NULL},
    {"rank", 0, OPTION_U64, &rank, "N", "the rank to read", NULL},
    {"out", 'o', OPTION_TEXT, &out, "DIR", "where the files go", NULL},
    {"limit-mib", 0, OPTION_U64, &limit_mib, "N", "memory that it may take", NULL},
    PARENT_ROW,
    {0},
};
static const struct option_row merge_rows[] = {
    {"capture", 0, OPTION_TEXT, &capture, "FILE", "the job's capture database", NULL},
    {"run", 0, OPTION_U64, &run_id, "ID", "the run to read", NULL},
    {"ranks", 0, OPTION_U64, &ranks, "N", "how many ranks it has", NULL},
    {"out", 'o', OPTION_TEXT, &out, "DIR", "where the files go", NULL},
    {"limit-mib", 0, OPTION_U64, &limit_mib, "N", "memory that it may take", NULL},
    PARENT_ROW,
    {0},
};
static const struct option_row folder_rows[] = {
    KERNEL_SCALE_ROW,
    AS_VENDOR_ROW,
    MARKS_ROW,
    TRACEKIT_ROW,
    LAUNCH_ROWS,
    {"out", 'o', OPTION_TEXT, &out, "DIR", "where the files go", NULL},
    {"limit-mib", 0, OPTION_U64, &limit_mib, "N", "memory that it may take", NULL},
    {0},
};
static const struct option_row report_rows[] = {
    {"store", 0, OPTION_TEXT, &store, "DIR", "the folder of muster.db", NULL},
    {"job", 0, OPTION_U64, &job_id, "ID", "the job to report on", NULL},
    {"out", 'o', OPTION_TEXT, &out, "DIR", "where the files go", NULL},
    PARENT_ROW,
    {0},
};
static const struct option_row list_rows[] = {
    {0},
};

static void limit_memory(void)
{
#if !defined(__SANITIZE_ADDRESS__) /* whose shadow is larger than any limit */
    struct rlimit limit = {.rlim_cur = limit_mib << 20, .rlim_max = limit_mib << 20};

    if (limit_mib && limit_mib < (UINT64_MAX >> 20))
        setrlimit(RLIMIT_AS, &limit);
#endif
}

/* What is made for one who has gone is made anew by who comes after him. */
static void end_with_parent(void)
{
    if (!parent)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if ((uint64_t)getppid() != parent) /* he was quicker */
        exit(EXIT_INTERNAL);
}

static int parse_source(struct source *source, struct err *err)
{
    struct json_write lines;
    struct mark_names marks = {0};
    struct parse_rank_work work = {
        .folder = out, .lines = &lines, .parallel = jobs, .limit_ms = limit_s * 1000};
    int result;

    if (marks_path && mark_names_read(&marks, marks_path, err) < 0) {
        source_destroy(source);
        return -1;
    }
    source_set_mark_names(source, &marks);

    if (as_vendor)
        source_set_as_vendor(source);
    if (with_tracekit)
        source_set_tracekit(source);
    if (kernel_scale)
        source_set_kernel_scale(source);
    json_write_to_fd(&lines, STDOUT_FILENO);
    result = parse_rank(source, &work, err);
    if (json_write_finish(&lines, result < 0 ? &(struct err){0} : err) < 0)
        result = -1;
    source_destroy(source);
    mark_names_clear(&marks);
    return result < 0 ? -1 : work.bad ? EXIT_BAD : 0;
}

static int run_rank(char **args, struct err *err)
{
    struct source *source;

    if (*args || !capture || !out || !run_id || rank > UINT16_MAX)
        return err_set(err, ERR_INPUT, "rank needs --capture, --run, --rank and --out");
    limit_memory();
    if (source_open_capture(&source, capture, run_id, (uint32_t)rank, err) < 0)
        return -1;
    return parse_source(source, err);
}

static int
read_rank(struct source **source, uint32_t number, void *arg, struct err *err)
{
    (void)arg;
    return source_open_capture(source, capture, run_id, number, err);
}

static int run_merge(char **args, struct err *err)
{
    struct merge_ranks merge = {.folder = out, .read = read_rank};
    struct json_write lines;
    int result;

    if (*args || !capture || !out || !run_id || !ranks || ranks > UINT16_MAX)
        return err_set(err, ERR_INPUT,
                       "merge needs --capture, --run, --ranks and --out");
    limit_memory();
    json_write_to_fd(&lines, STDOUT_FILENO);
    merge.ranks = (uint32_t)ranks;
    merge.lines = &lines;
    result = merge_ranks_write(&merge, err);
    if (json_write_finish(&lines, result < 0 ? &(struct err){0} : err) < 0)
        result = -1;
    return result < 0 ? -1 : merge.bad ? EXIT_BAD : 0;
}

static int run_folder(char **args, struct err *err)
{
    struct source *source;

    if (!args[0] || args[1] || !out)
        return err_set(err, ERR_INPUT, "folder needs one DIR and --out");
    folder = args[0];
    limit_memory();
    if (source_open_folder(&source, folder, err) < 0)
        return -1;
    return parse_source(source, err);
}

static int run_report(char **args, struct err *err)
{
    if (*args || !store || !job_id || !out)
        return err_set(err, ERR_INPUT, "report needs --store, --job and --out");
    return reports_write(store, job_id, out, err);
}

static int run_list(char **args, struct err *err)
{
    (void)args;
    (void)err;
    for (const struct parser *const *it = parsers; *it; it++)
        printf("%-24s %-34s %s\n", (*it)->name, (*it)->reads, (*it)->makes);
    return 0;
}

static const struct verb {
    const char *name, *args, *summary;
    const struct option_row *rows;
    int (*run)(char **args, struct err *err);
} verbs[] = {
    {"rank", "--capture FILE --run ID --rank N --out DIR", "one rank of a run",
     rank_rows, run_rank},
    {"merge", "--capture FILE --run ID --ranks N --out DIR",
     "the timelines of all ranks of a run, on one clock", merge_rows, run_merge},
    {"folder", "DIR --out DIR", "a folder in the layout of the vendor's tool",
     folder_rows, run_folder},
    {"report", "--store DIR --job ID --out DIR", "the reports of a job", report_rows,
     run_report},
    {"list", "", "what is made of what", list_rows, run_list},
};

static void help(FILE *to)
{
    fputs("usage: muster-parser VERB [OPTIONS]\n\n", to);
    for (size_t i = 0; i < COUNT(verbs); i++) {
        fprintf(to, "muster-parser %s %s\n    %s\n", verbs[i].name, verbs[i].args,
                verbs[i].summary);
        options_print(verbs[i].rows, to);
    }
}

static void print_page(void)
{
    static const struct option_row none[] = {{0}};
    const struct manual manual = {
        .name = "muster-parser",
        .usage = "muster-parser VERB [OPTIONS]",
        .summary = "make figures, tables, timelines and reports of captures",
        .details = "The coordinator starts one for each rank, with limits; by hand it\n"
                   "makes the same again. What it finds goes to stdout as JSON lines.",
        .version = "muster " MUSTER_VERSION,
    };

    manual_print(&manual, none, stdout);
    for (size_t i = 0; i < COUNT(verbs); i++) {
        char title[160];

        snprintf(title, sizeof(title), "\"%s %s\"", verbs[i].name, verbs[i].args);
        manual_options(title, verbs[i].rows, stdout);
    }
    manual_section("SEE ALSO", stdout);
    manual_text("muster(1), muster-coordinator(1)\n", stdout);
}

static const struct verb *find(const char *name)
{
    for (size_t i = 0; i < COUNT(verbs); i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

int main(int argc, char **argv)
{
    const struct verb *verb = argc > 1 ? find(argv[1]) : NULL;
    struct err err = {0};
    char **args;
    int code;

    fd_open_standard();
    log_open("muster-parser", LOG_INFO);
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)) {
        help(stdout);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "--man") == 0) {
        print_page();
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        puts("muster-parser " MUSTER_VERSION);
        return 0;
    }
    if (!verb) {
        help(stderr);
        return EXIT_USAGE;
    }
    if (options_parse(verb->rows, argc - 1, argv + 1, &args, &err) < 0)
        code = -1;
    else {
        end_with_parent();
        code = verb->run(args, &err);
    }
    if (code >= 0)
        return code;
    fprintf(stderr, "muster-parser %s: %s\n", verb->name, err.text);
    return err.code == ERR_INPUT || err.code == ERR_NOT_FOUND ? EXIT_USAGE
                                                              : EXIT_INTERNAL;
}
