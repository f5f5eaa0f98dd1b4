/* main.c - muster-parser: converts captured data to files and figures
 *
 * The coordinator starts a process per rank; users can start it by hand. Exit codes:
 * 0 success, 1 some data was unusable (reported as an error line), 2 wrong usage,
 * 7 internal error, 75 (EX_TEMPFAIL) the disk is full or the machine lacks descriptors,
 * processes or memory: the same command may succeed later. */
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/json_write.h"
#include "lib/base/log.h"
#include "lib/base/manual.h"
#include "lib/base/mem.h"
#include "lib/base/options.h"
#include "lib/marks/mark_names.h"
#include "parsers/reports/reports.h"
#include "parsers/run/dump_parse.h"
#include "parsers/run/parse_rank.h"
#include "parsers/run/parser.h"
#include "parsers/timeline/merge_ranks.h"
#include "parsers/xpti/trace_merge.h"
#include "parsers/xpti/trace_output.h"

enum { EXIT_BAD = 1, EXIT_USAGE = 2, EXIT_INTERNAL = 7, EXIT_LATER = 75 };

static const char *capture, *folder, *out, *store, *marks_path, *marks_text;
static bool as_vendor, with_tracekit, kernel_scale, stops_when_killed, complete_only;
static uint64_t run_id, rank, ranks, job_id, limit_mib, jobs, limit_s, parent;

#define TRACEKIT_HELP                                                                  \
    "Add blocks 0x0A and 0x0B, which no released viewer reads, to visualize_data.bin"
#define AS_VENDOR_HELP "Reproduce the known mistakes of the vendor's tool"
#define MARKS_HELP     "JSON file with names of the user's marks (default: show numbers)"
#define JOBS_HELP      "Parse N launches at a time (default: number of processors)"
#define LIMIT_S_HELP   "Give up a launch after N seconds (default: 120)"
#define CAPTURE_HELP   "Capture database of the job (required)"
#define RUN_HELP       "Id of the attempt to read (required)"
#define OUT_HELP       "Folder for the output files (required)"
#define LIMIT_MIB_HELP "Limit of the address space in MiB (default: none)"
#define STOPS_HELP                                                                     \
    "Exit with 75 when one of its processes is killed from outside (default: skip "    \
    "the "                                                                             \
    "step that it executed)"
#define PARENT_HELP                                                                    \
    "Exit when the process PID, which must be the parent, exits (default: none)"

static const struct option_row rank_rows[] = {
    {"as-vendor", 0, OPTION_FLAG, &as_vendor, NULL, AS_VENDOR_HELP, NULL},
    {"custom-input", 0, OPTION_TEXT, &marks_path, "FILE", MARKS_HELP, NULL},
    {"custom-input-text", 0, OPTION_TEXT, &marks_text, "JSON",
     "The same names as text (default: none)", NULL},
    {"tracekit", 0, OPTION_FLAG, &with_tracekit, NULL, TRACEKIT_HELP, NULL},
    {"jobs", 'j', OPTION_U64, &jobs, "N", JOBS_HELP, NULL},
    {"launch-limit-s", 0, OPTION_U64, &limit_s, "N", LIMIT_S_HELP, NULL},
    {"capture", 0, OPTION_TEXT, &capture, "FILE", CAPTURE_HELP, NULL},
    {"run", 0, OPTION_U64, &run_id, "ID", RUN_HELP, NULL},
    {"rank", 0, OPTION_U64, &rank, "N", "Number of the rank to read (default: 0)",
     NULL},
    {"out", 'o', OPTION_TEXT, &out, "DIR", OUT_HELP, NULL},
    {"limit-mib", 0, OPTION_U64, &limit_mib, "N", LIMIT_MIB_HELP, NULL},
    {"stop-when-killed", 0, OPTION_FLAG, &stops_when_killed, NULL, STOPS_HELP, NULL},
    {"complete-only", 0, OPTION_FLAG, &complete_only, NULL,
     "Skip incomplete launches, which have files but no figures (default: parse them)",
     NULL},
    {"parent", 0, OPTION_U64, &parent, "PID", PARENT_HELP, NULL},
    {0},
};
static const struct option_row merge_rows[] = {
    {"capture", 0, OPTION_TEXT, &capture, "FILE", CAPTURE_HELP, NULL},
    {"run", 0, OPTION_U64, &run_id, "ID", RUN_HELP, NULL},
    {"ranks", 0, OPTION_U64, &ranks, "N", "Number of ranks of the attempt (required)",
     NULL},
    {"out", 'o', OPTION_TEXT, &out, "DIR", OUT_HELP, NULL},
    {"limit-mib", 0, OPTION_U64, &limit_mib, "N", LIMIT_MIB_HELP, NULL},
    {"parent", 0, OPTION_U64, &parent, "PID", PARENT_HELP, NULL},
    {0},
};
static const struct option_row folder_rows[] = {
    {"kernel-scale", 0, OPTION_FLAG, &kernel_scale, NULL,
     "The counters cover only a marked part of the kernel", NULL},
    {"as-vendor", 0, OPTION_FLAG, &as_vendor, NULL, AS_VENDOR_HELP, NULL},
    {"custom-input", 0, OPTION_TEXT, &marks_path, "FILE", MARKS_HELP, NULL},
    {"tracekit", 0, OPTION_FLAG, &with_tracekit, NULL, TRACEKIT_HELP, NULL},
    {"jobs", 'j', OPTION_U64, &jobs, "N", JOBS_HELP, NULL},
    {"launch-limit-s", 0, OPTION_U64, &limit_s, "N", LIMIT_S_HELP, NULL},
    {"out", 'o', OPTION_TEXT, &out, "DIR", OUT_HELP, NULL},
    {"limit-mib", 0, OPTION_U64, &limit_mib, "N", LIMIT_MIB_HELP, NULL},
    {0},
};
static const struct option_row report_rows[] = {
    {"store", 0, OPTION_TEXT, &store, "DIR", "Folder of muster.db (required)", NULL},
    {"job", 0, OPTION_U64, &job_id, "ID", "Id of the job to report on (required)",
     NULL},
    {"out", 'o', OPTION_TEXT, &out, "DIR", OUT_HELP, NULL},
    {"parent", 0, OPTION_U64, &parent, "PID", PARENT_HELP, NULL},
    {0},
};
static const struct option_row list_rows[] = {
    {0},
};

static void limit_memory(void)
{
#if !defined(__SANITIZE_ADDRESS__) /* its shadow memory exceeds any limit */
    struct rlimit limit = {.rlim_cur = limit_mib << 20, .rlim_max = limit_mib << 20};

    if (limit_mib && limit_mib < (UINT64_MAX >> 20))
        setrlimit(RLIMIT_AS, &limit);
#endif
}

/* Ends this process with its parent: the next coordinator parses the rank again. */
static void exit_with_parent(void)
{
    if (!parent)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if ((uint64_t)getppid() != parent) /* the parent has already exited */
        exit(EXIT_INTERNAL);
}

static int read_marks(struct mark_names *marks, struct err *err)
{
    if (marks_path)
        return mark_names_read(marks, marks_path, err);
    return marks_text ? mark_names_parse(marks, "--custom-input-text", marks_text,
                                         strlen(marks_text), err)
                      : 0;
}

/* Parses the files that the program of the rank wrote. */
static int parse_dumps(struct parse_rank_work *work, struct err *err)
{
    struct dump_parse_work dumps = {.capture = capture,
                                    .run_id = run_id,
                                    .rank = (uint32_t)rank,
                                    .folder = work->folder,
                                    .lines = work->lines};
    int result = dump_parse(&dumps, err);

    work->bad += dumps.bad;
    return result;
}

/* Writes what a traced rank has beside its launches. */
static int parse_trace(struct json_write *lines, size_t *bad, struct err *err)
{
    struct trace_output trace = {
        .capture = capture,
        .run_id = run_id,
        .rank = (uint32_t)rank,
        .folder = out,
        .lines = lines,
    };
    int result = trace_output_write(&trace, err);

    *bad += trace.bad;
    return result;
}

static int parse_source(struct source *source, struct err *err)
{
    struct json_write lines;
    struct mark_names marks = {0};
    struct parse_rank_work work = {.folder = out,
                                   .lines = &lines,
                                   .parallel = jobs,
                                   .limit_ms = limit_s * 1000,
                                   .stops_when_killed = stops_when_killed,
                                   .complete_only = complete_only};
    int result;

    if (read_marks(&marks, err) < 0) {
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
    if (result == 0 && source->dump_count)
        result = parse_dumps(&work, err);
    if (result == 0 && source->is_traced)
        result = parse_trace(&lines, &work.bad, err);
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
        return err_set(
            err, ERR_INPUT,
            "rank needs --capture, --run and --out, a --rank up to 65535, and no "
            "argument; see muster-parser --help");
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

static int merge_traces(struct merge_ranks *ranks_of, struct err *err)
{
    struct trace_merge merge = {
        .capture = capture,
        .run_id = run_id,
        .ranks = ranks_of->ranks,
        .folder = out,
        .lines = ranks_of->lines,
    };
    int result = trace_merge_write(&merge, err);

    ranks_of->bad += merge.bad;
    return result;
}

static int run_merge(char **args, struct err *err)
{
    struct merge_ranks merge = {.folder = out, .read = read_rank};
    struct json_write lines;
    int result;

    if (*args || !capture || !out || !run_id || !ranks || ranks > UINT16_MAX)
        return err_set(
            err, ERR_INPUT,
            "merge needs --capture, --run, --ranks (1 to 65535) and --out, and no "
            "argument; see muster-parser --help");
    limit_memory();
    json_write_to_fd(&lines, STDOUT_FILENO);
    merge.ranks = (uint32_t)ranks;
    merge.lines = &lines;
    result = merge_ranks_write(&merge, err);
    if (result == 0)
        result = merge_traces(&merge, err);
    if (json_write_finish(&lines, result < 0 ? &(struct err){0} : err) < 0)
        result = -1;
    return result < 0 ? -1 : merge.bad ? EXIT_BAD : 0;
}

static int run_folder(char **args, struct err *err)
{
    struct source *source;

    if (!args[0] || args[1] || !out)
        return err_set(err, ERR_INPUT,
                       "folder needs one DIR and --out; see muster-parser --help");
    folder = args[0];
    limit_memory();
    if (source_open_folder(&source, folder, err) < 0)
        return -1;
    return parse_source(source, err);
}

static int run_report(char **args, struct err *err)
{
    if (*args || !store || !job_id || !out)
        return err_set(err, ERR_INPUT,
                       "report needs --store, --job and --out, and no argument; see "
                       "muster-parser --help");
    return reports_write(store, job_id, out, err);
}

static int run_list(char **args, struct err *err)
{
    (void)args;
    (void)err;
    for (const struct parser *it = parsers; it->name; it++)
        printf("%-24s %-34s %s\n", it->name, it->reads, it->makes);
    return 0;
}

static const struct command {
    const char *name, *args, *summary;
    const struct option_row *rows;
    int (*run)(char **args, struct err *err);
} commands[] = {
    {"rank", "--capture FILE --run ID --rank N --out DIR",
     "Parse one rank of an attempt", rank_rows, run_rank},
    {"merge", "--capture FILE --run ID --ranks N --out DIR",
     "Merge the timelines of all ranks of an attempt on one clock", merge_rows,
     run_merge},
    {"folder", "DIR --out DIR", "Parse a folder in the layout of the vendor's tool",
     folder_rows, run_folder},
    {"report", "--store DIR --job ID --out DIR",
     "Write report.html, report.json and junit.xml of a job", report_rows, run_report},
    {"list", "", "List the output files and the input of each", list_rows, run_list},
};

static void print_command(const struct command *command, FILE *to)
{
    fprintf(to, "muster-parser %s %s\n    %s\n", command->name, command->args,
            command->summary);
    options_print(command->rows, to);
}

static void print_help(FILE *to)
{
    fputs("usage: muster-parser COMMAND [OPTIONS]\n\n", to);
    for (size_t i = 0; i < COUNT(commands); i++)
        print_command(&commands[i], to);
}

static bool wants_help(char *const *words)
{
    for (; *words && strcmp(*words, "--") != 0; words++)
        if (strcmp(*words, "--help") == 0)
            return true;
    return false;
}

static void print_manual(void)
{
    static const struct option_row none[] = {{0}};
    const struct manual manual = {
        .name = "muster-parser",
        .usage = "muster-parser COMMAND [OPTIONS]",
        .summary = "convert captures to figures, tables, timelines and reports",
        .details =
            "The coordinator starts one process per rank, with limits on memory\n"
            "and time. The same command by hand writes the same files again.\n"
            "Figures, file names and errors go to stdout as JSON lines.",
        .version = "muster " MUSTER_VERSION,
    };

    manual_print(&manual, none, stdout);
    for (size_t i = 0; i < COUNT(commands); i++) {
        char title[160];

        snprintf(title, sizeof(title), "\"%s %s\"", commands[i].name, commands[i].args);
        manual_options(title, commands[i].rows, stdout);
    }
    manual_section("SEE ALSO", stdout);
    manual_text("muster(1), muster-coordinator(1)\n", stdout);
}

/* Writes the error to stdout, where the coordinator reads it, and to stderr. */
static void report_failure(const struct command *command, const struct err *err)
{
    char no_space[PATH_MAX + 32];
    const char *text = err->text;
    struct json_write line;

    if (err->code == ERR_NO_SPACE && out) {
        snprintf(no_space, sizeof(no_space), "no space left on %s", out);
        text = no_space;
    }
    fprintf(stderr, "muster-parser %s: %s\n", command->name, err->text);
    json_write_to_fd(&line, STDOUT_FILENO);
    json_write_object(&line);
    json_write_key(&line, "error");
    json_write_text(&line, text);
    json_write_object_end(&line);
    json_write_line(&line);
    json_write_finish(&line, &(struct err){0});
}

static int exit_code_of(enum err_code code)
{
    switch (code) {
    case ERR_INPUT:
    case ERR_NOT_FOUND:
        return EXIT_USAGE;
    case ERR_NO_SPACE:
    case ERR_NO_RESOURCE:
        return EXIT_LATER;
    default:
        return EXIT_INTERNAL;
    }
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COUNT(commands); i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

int main(int argc, char **argv)
{
    const struct command *command = argc > 1 ? find_command(argv[1]) : NULL;
    struct err err = {0};
    char **args;
    int code;

    fd_open_standard();
    log_open("muster-parser", LOG_INFO);
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)) {
        print_help(stdout);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "--man") == 0) {
        print_manual();
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        puts("muster-parser " MUSTER_VERSION);
        return 0;
    }
    if (!command) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (wants_help(argv + 2)) {
        print_command(command, stdout);
        return 0;
    }
    if (options_parse(command->rows, argc - 1, argv + 1, &args, &err) < 0) {
        fprintf(stderr, "muster-parser %s: %s\n", command->name, err.text);
        return EXIT_USAGE;
    }
    exit_with_parent();
    code = command->run(args, &err);
    if (code >= 0)
        return code;
    report_failure(command, &err);
    return exit_code_of(err.code);
}
