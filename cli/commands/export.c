/* export.c - converts a visualize_data.bin or an IREE dump to JSON, CSV or a trace */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/app/command_options.h"
#include "cli/capture/iree_files.h"
#include "cli/capture/visualize_print.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/container/bin.h"
#include "parsers/container/block_csv.h"

const struct command command_export;

/* Writes to stdout, or atomically to a file. */
static int
write_result(const char *out, const void *bytes, size_t size, struct err *err)
{
    if (out)
        return file_write(out, bytes, size, err);
    if (fd_write_all(STDOUT_FILENO, bytes, size) < 0)
        return err_errno(err, "writing to stdout");
    return 0;
}

/* Writes the timeline block unchanged: it is a Chrome trace already. */
static int
export_trace(const struct visualize_print *file, const char *out, struct err *err)
{
    struct bin_block block;
    size_t at = 0, index = 0;
    char problem[120];

    for (; bin_next(file->bytes, file->size, &at, index, &block, problem); index++)
        if (block.type == BIN_TRACE)
            return write_result(out, block.payload, block.size, err);
    if (problem[0])
        return err_set(err, ERR_INPUT, "%s: %s", file->path, problem);
    return err_set(err, ERR_NOT_FOUND,
                   "%s has no timeline block; 'muster inspect' lists its blocks",
                   file->path);
}

static int
export_json(const struct visualize_print *file, const char *out, struct err *err)
{
    struct file_new *new_file;
    size_t errors;

    if (!out)
        return visualize_print_json(file, STDOUT_FILENO, false, &errors, err);
    if (file_new_create(&new_file, out, err) < 0)
        return -1;
    if (visualize_print_json(file, file_new_fd(new_file), false, &errors, err) < 0) {
        file_new_abandon(&new_file);
        return -1;
    }
    return file_new_commit(&new_file, err);
}

static int
write_csv(const char *name, const struct text *csv, void *arg, struct err *err)
{
    const char *folder = arg;
    char *path = xasprintf("%s/%s.csv", folder, name);
    int result = file_write(path, text_get(csv), csv->length, err);

    if (result == 0)
        printf("%s\n", path);
    free(path);
    return result;
}

static int
export_csv(const struct visualize_print *file, const char *out, struct err *err)
{
    if (folder_create(out, err) < 0)
        return -1;
    if (block_csv_each(file->bytes, file->size, write_csv, (void *)out, err) < 0)
        return err_wrap(err, "%s", file->path);
    return 0;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = {0};
    bool trace = false, json = false, csv = false;
    const char *out = NULL;
    struct visualize_print file;
    char **args;
    const struct option_row rows[] = {
        {"trace", 0, OPTION_FLAG, &trace, NULL,
         "Write the timeline as Chrome trace JSON", NULL},
        {"csv", 0, OPTION_FLAG, &csv, NULL,
         "Write each table as a CSV file into the folder --out", NULL},
        {"json", 0, OPTION_FLAG, &json, NULL, "Write all blocks as one JSON document",
         NULL},
        {"out", 'o', OPTION_TEXT, &out, "PATH",
         "File to write, or folder for --csv (default: stdout)", NULL},
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };
    int result = command_options_parse(&command_export, rows, &options, argc, argv,
                                       &args, 1, 1, err);

    if (result)
        return result < 0 ? -1 : EXIT_GOOD;
    if (trace + csv + json != 1)
        return err_set(err, ERR_INPUT,
                       "export needs exactly one of --trace, --csv and --json");
    if (csv && !out)
        return err_set(err, ERR_INPUT,
                       "--csv writes several files and needs --out DIR");
    if (iree_file_is(args[0]))
        return iree_file_export(args[0],
                                trace ? IREE_FILE_TRACE
                                : csv ? IREE_FILE_CSV
                                      : IREE_FILE_JSON,
                                out, err);
    if (visualize_print_open(&file, args[0], err) < 0)
        return -1;
    result = trace ? export_trace(&file, out, err)
             : csv ? export_csv(&file, out, err)
                   : export_json(&file, out, err);
    visualize_print_close(&file);
    return result < 0 ? -1 : EXIT_GOOD;
}

const struct command command_export = {
    .name = "export",
    .args = "FILE --trace|--csv|--json [--out PATH]",
    .summary =
        "Convert a visualize_data.bin or an IREE dump to a Chrome trace, CSV or JSON",
    .details =
        "FILE may be from muster or from the vendor's tool. --csv writes only the\n"
        "tables that the file has. --trace fails when the file has no timeline.\n"
        "FILE may also be an instrument dump of IREE (IDB0), which has no times, or "
        "an\n"
        "IREE profile (.ireeprof).",
    .examples = "  muster export --csv --out sheets visualize_data.bin\n"
                "  muster export --trace --out trace.json visualize_data.bin",
    .run = run,
};
