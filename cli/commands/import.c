/* import.c - parses raw data of the vendor's tool, logs of a simulator, IREE dumps */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/app/command_options.h"
#include "cli/capture/iree_files.h"
#include "cli/capture/out_folder.h"
#include "cli/imports/stored_import.h"
#include "lib/base/arena.h"
#include "lib/base/file.h"
#include "lib/base/json_tree.h"
#include "lib/base/mem.h"
#include "lib/marks/mark_names.h"
#include "parsers/run/parse_rank.h"
#include "parsers/simulator/sim_folder.h"
#include "parsers/source/launch_selection.h"
#include "parsers/source/source.h"

const struct command command_import;

static const char *const forms[] = {"text", "jsonl", NULL};
enum form { FORM_TEXT, FORM_JSONL };
enum { PROBLEMS_MAX = 20 }; /* printed with form text */

/* Fails when `out` lies inside `from`: import must not write into its input. */
static int check_apart(const char *from, const char *out, struct err *err)
{
    char source[PATH_MAX], target[PATH_MAX];
    size_t length;

    if (!realpath(from, source))
        return err_errno(err, "%s", from);
    if (!realpath(out, target))
        return err_errno(err, "%s", out);
    length = strlen(source);
    if (strncmp(target, source, length) == 0 &&
        (target[length] == '/' || target[length] == '\0'))
        return err_set(
            err, ERR_INPUT,
            "output folder %s lies in the imported folder, which is only read; "
            "choose another --out",
            out);
    return 0;
}

static void print_launches(const struct source *source, bool with_head)
{
    if (with_head)
        printf("%-40s  %6s  %6s  %-14s  %s\n", "kernel", "device", "launch", "chip",
               "state");
    for (size_t i = 0; i < source->count; i++) {
        const struct source_launch *launch = source->launches[i];

        printf("%-40s  %6" PRIu32 "  %6" PRIu32 "  %-14s  %s\n", launch->info.name,
               launch->info.device, launch->order, launch->info.soc,
               !launch->has_chip  ? "not read"
               : launch->complete ? "complete"
                                  : "incomplete");
    }
}

/* Prints the errors among the lines of the report. */
static void print_problems(const char *lines, size_t count)
{
    const char *line = lines, *end;
    size_t printed = 0;

    for (; *line && printed < PROBLEMS_MAX && (end = strchr(line, '\n'));
         line = end + 1) {
        struct arena *arena = arena_create(1024);
        const struct json_node *root;
        struct err ignored;
        const char *error;

        if (json_tree_parse(&root, "line", line, (size_t)(end - line), JSON_TREE_LIMITS,
                            arena, &ignored) == 0 &&
            json_tree_text(json_tree_get(root, "error"), &error)) {
            fprintf(stderr, "%s\n", error);
            printed++;
        }
        arena_destroy(arena);
    }
    if (count > printed)
        fprintf(stderr, "%zu further problems; --output jsonl prints them\n",
                count - printed);
}

/* Options that apply only to imported data. */
struct choices {
    bool as_vendor, with_tracekit, kernel_scale;
    bool store;         /* as a job of a store */
    const char *name;   /* of that job; NULL: of the folder */
    const char *marks;  /* file with the names of marks; NULL: none */
    const char *launch; /* see launch_selection.h; NULL: all launches */
};

/* Raw data of the vendor's tool, and what to do with it. */
struct folder_import {
    const char *from;
    const struct choices *choices;
    int form;
    struct mark_names marks;
    size_t launches, bad;
};

static int open_source(struct source **out, void *arg, struct err *err)
{
    struct folder_import *import = arg;
    const struct choices *choices = import->choices;
    struct source *source;

    if (source_open_folder(&source, import->from, err) < 0)
        return -1;
    if (choices->launch && launch_selection_apply(source, choices->launch, err) < 0) {
        source_destroy(source);
        return -1;
    }
    source_set_mark_names(source, &import->marks);
    if (choices->as_vendor)
        source_set_as_vendor(source);
    if (choices->with_tracekit)
        source_set_tracekit(source);
    if (choices->kernel_scale)
        source_set_kernel_scale(source);
    *out = source;
    return 0;
}

static void
print_parsed(const struct source *source, const char *lines, size_t bad, void *arg)
{
    struct folder_import *import = arg;

    if (import->form == FORM_JSONL) {
        fputs(lines, stdout);
    } else {
        print_launches(source, import->launches == 0);
        print_problems(lines, bad);
    }
    import->launches += source->count;
    import->bad += bad;
}

static int write_files(struct folder_import *import, const char *out, struct err *err)
{
    struct source *source;
    struct text lines = {0};
    struct json_write json;
    struct parse_rank_work work = {.folder = out, .lines = &json};
    int result;

    if (folder_create(out, err) < 0 || check_apart(import->from, out, err) < 0 ||
        open_source(&source, import, err) < 0)
        return -1;
    json_write_to_text(&json, &lines);
    result = parse_rank(source, &work, err);
    json_write_finish(&json, &(struct err){0}); /* writing to memory cannot fail */
    if (result == 0)
        print_parsed(source, text_get(&lines), work.bad, import);
    if (result == 0 && import->form == FORM_TEXT)
        printf("%zu launches, files in %s\n", source->count, out);
    text_clear(&lines);
    source_destroy(source);
    return result;
}

static int write_job(struct folder_import *import, const char *out, struct err *err)
{
    const struct stored_import stored = {.from = import->from,
                                         .out = out,
                                         .name = import->choices->name,
                                         .open = open_source,
                                         .parsed = print_parsed,
                                         .arg = import};
    char *key;

    if (folder_create(out, err) < 0 || check_apart(import->from, out, err) < 0 ||
        stored_import_run(&stored, &key, err) < 0)
        return -1;
    if (import->form == FORM_JSONL)
        printf("{\"job\":\"%s\"}\n", key);
    else
        printf("%zu launches, job %s, files in %s/%s\n", import->launches, key, out,
               key);
    free(key);
    return 0;
}

static int import_folder(const char *from,
                         const char *out,
                         int form,
                         const struct choices *choices,
                         struct err *err)
{
    struct folder_import import = {.from = from, .choices = choices, .form = form};
    int result =
        choices->marks ? mark_names_read(&import.marks, choices->marks, err) : 0;

    if (result == 0)
        result = choices->store ? write_job(&import, out, err)
                                : write_files(&import, out, err);
    mark_names_clear(&import.marks);
    return result < 0 ? -1 : import.bad ? EXIT_SOME_FAILED : EXIT_GOOD;
}

static void print_file(void *arg, const char *file)
{
    if (*(const int *)arg == FORM_JSONL)
        printf("{\"output\":\"%s\"}\n", file);
}

/* Parses the logs of an instruction simulator, which belong to one launch. */
static int import_simulation(const char *from,
                             const char *out,
                             int form,
                             const struct simulation_options *options,
                             struct err *err)
{
    struct simulation simulation;
    int result;

    if (folder_create(out, err) < 0 || check_apart(from, out, err) < 0 ||
        simulation_open(&simulation, from, options, err) < 0)
        return -1;
    result = sim_folder_write(&simulation, out, print_file, &form, err);
    if (result == 0 && form == FORM_TEXT) {
        printf("%-20s  %12s  %5s  %6s\n", "core", "instructions", "marks", "misses");
        for (size_t i = 0; i < simulation.core_count; i++) {
            const struct simulation_core *core = &simulation.cores[i];

            printf("%-20s  %12zu  %5zu  %6zu\n", core->name, core->log.count,
                   core->log.mark_count, core->log.miss_count);
        }
        printf("%zu cores, files in %s\n", simulation.core_count, out);
    }
    for (size_t i = 0; i < simulation.notes.count; i++)
        fprintf(stderr, "%s\n", simulation.notes.notes[i].text);
    simulation_close(&simulation);
    return result < 0 ? -1 : EXIT_GOOD;
}

#define RAW_DATA "raw data of the vendor's tool"
#define LOGS     "logs of an instruction simulator"

static const struct command_mode modes[] = {
    {RAW_DATA, "store name as-vendor tracekit custom-input kernel-scale launch"},
    {LOGS, "soc kernel core-id"},
    {NULL, NULL}};

static bool is_file(const char *path)
{
    struct stat is;

    return stat(path, &is) == 0 && !S_ISDIR(is.st_mode);
}

/* Imports PATH by what it is: an IREE file, logs of a simulator, or raw data. */
static int import_path(const char *path,
                       const char *out,
                       int form,
                       const struct choices *choices,
                       struct simulation_options *simulation,
                       struct err *err)
{
    if (choices->name && !choices->store)
        return err_set(err, ERR_INPUT,
                       "--name is the name of a job in the store; add --store");
    bool is_iree = is_file(path), has_logs = !is_iree && simulation_has_logs(path);

    if (command_options_check_mode(modes,
                                   is_iree    ? "an IREE file"
                                   : has_logs ? LOGS
                                              : RAW_DATA,
                                   err) < 0)
        return -1;
    if (is_iree)
        return iree_file_import(path, out, form == FORM_JSONL, err);
    out_folder_warn(command_import.name, out);
    if (!simulation->soc)
        simulation->soc = "Ascend910B1";
    return has_logs ? import_simulation(path, out, form, simulation, err)
                    : import_folder(path, out, form, choices, err);
}

static int run(int argc, char **argv, struct err *err)
{
    struct simulation_options simulation = {0};
    struct command_options options = {0};
    const char *out = NULL;
    int form = FORM_TEXT;
    struct choices choices = {0};
    char **args;
    const struct option_row rows[] = {
        {"out", 0, OPTION_TEXT, &out, "FOLDER",
         "Folder for the files, or with --store the folder of results (default: "
         "out/imported, or with --store out)",
         NULL},
        {"store", 0, OPTION_FLAG, &choices.store, NULL,
         "Import the data as a job of the store, which results, compare and the "
         "other commands read",
         NULL},
        {"name", 0, OPTION_TEXT, &choices.name, "NAME",
         "Name of the job of --store (default: the name of DIR)", NULL},
        {"output", 'o', OPTION_CHOICE, &form, "FORM",
         "Output format; jsonl has one line per file, figure and problem "
         "(default: text)",
         forms},
        {"as-vendor", 0, OPTION_FLAG, &choices.as_vendor, NULL,
         "Repeat the known mistakes of the vendor's tool, for a comparison with it",
         NULL},
        {"tracekit", 0, OPTION_FLAG, &choices.with_tracekit, NULL,
         "Also write blocks 0x0A and 0x0B, which current viewers ignore", NULL},
        {"custom-input", 0, OPTION_TEXT, &choices.marks, "FILE",
         "JSON file with the names of marks, see above (default: none)", NULL},
        {"kernel-scale", 0, OPTION_FLAG, &choices.kernel_scale, NULL,
         "Counters cover only a marked part of the kernel (KernelScale)", NULL},
        {"launch", 0, OPTION_TEXT, &choices.launch, "KERNEL[/N]",
         "Pattern of the kernels to parse, or of KERNEL/N for one launch, as the "
         "command "
         "numbers them (default: all launches)",
         NULL},
        {"soc", 0, OPTION_TEXT, &simulation.soc, "NAME",
         "Chip of simulator logs, for its clock rate (default: Ascend910B1)", NULL},
        {"kernel", 0, OPTION_TEXT, &simulation.elf, "FILE",
         "ELF file of the kernel of simulator logs, for source lines (default: none)",
         NULL},
        {"core-id", 0, OPTION_TEXT, &simulation.cores, "LIST",
         "Cores of simulator logs to read, such as 0,2-3 (default: all cores)", NULL},
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };
    int parsed = command_options_parse(&command_import, rows, &options, argc, argv,
                                       &args, 1, 1, err);

    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (!out)
        out = choices.store ? "out" : "out/imported";
    return import_path(args[0], out, form, &choices, &simulation, err);
}

const struct command command_import = {
    .name = "import",
    .args = "[OPTIONS] DIR|FILE",
    .summary = "Parse raw data of the vendor's tool, simulator logs, or an IREE dump",
    .details =
        "DIR has folders device<D>/<kernel>/<n>/dump below, and is only read. Each\n"
        "launch gets the files that a launch of a muster job gets:\n"
        "visualize_data.bin, the CSV tables and, when the raw data has one, a\n"
        "timeline. For the logs of an instruction simulator (core0.*instr_log.dump)\n"
        "the command writes a table of instructions and a table of source lines per\n"
        "core.\n"
        "With --store the launches of DIR become an ended job with a point for each\n"
        "card: 'muster results' prints its figures and 'muster compare' compares it\n"
        "with measured jobs. No coordinator may use the store.\n"
        "FILE is an instrument dump of IREE (IDB0), an IREE profile (.ireeprof), or a\n"
        "capture to which one was appended. The command writes a CSV table for each\n"
        "kind of data, iree.json, and trace.json where the file has times.\n"
        "\n"
        "Example of a --custom-input file:\n"
        "  {\"mc2_trace_config\": {\"enable_block_time\": true,\n"
        "   \"descid_display\": {\"65541\": \"all gather\", \"0x10006\": \"end\"}}}",
    .examples = "  muster import --out parsed OPPROF_20261123\n"
                "  muster import --launch 'Matmul*/0' --out parsed OPPROF_20261123\n"
                "  muster import --store --name baseline OPPROF_20261123",
    .run = run,
};
