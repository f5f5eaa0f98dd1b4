/* capture.c - lists, checks, repairs and converts capture files */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/app/command_options.h"
#include "cli/capture/capture_extract.h"
#include "cli/capture/capture_files.h"
#include "cli/capture/extract_iree.h"
#include "cli/capture/record_json.h"
#include "lib/base/mem.h"
#include "lib/store/captures.h"

struct capture_options {
    const char *vendor, *iree;
    struct capture_extract_choice choice;
    struct json_write json; /* of cat */
};

const struct command command_capture;

static void print_problem(const struct capture_problem *problem, void *arg)
{
    (void)arg;
    fprintf(stderr,
            "%s at %" PRIu64 ": run %" PRIu64 " shard %08" PRIx32 " block %" PRIu32
            ": %s\n",
            capture_problem_name(problem->kind), problem->offset, problem->run_id,
            problem->shard, problem->block, problem->text);
}

static int list_block(const struct capture_block *block, void *arg, struct err *err)
{
    const struct capture_block_head *head = &block->head;

    (void)arg;
    (void)err;
    printf("%20" PRIu64 "  %08" PRIx32 "  %6" PRIu32 "  %8" PRIu32 "  %9zu  %7" PRIu32
           "  %-16s%s\n",
           head->run_id, head->shard, head->number, block->records,
           block->payload_bytes, head->dropped, block->has_texts ? block->type : "?",
           block->verified ? "" : " torn");
    return 0;
}

static int ls(char **files, struct capture_options *options, struct err *err)
{
    uint64_t problems, all = 0;

    printf("%20s  %-8s  %6s  %8s  %9s  %7s  %s\n", "run", "shard", "block", "records",
           "bytes", "dropped", "type");
    for (; *files; files++, all += problems)
        if (capture_each_block(*files, list_block, print_problem, &problems, options,
                               err) < 0)
            return -1;
    return all ? EXIT_SOME_FAILED : EXIT_GOOD;
}

static int cat_block(const struct capture_block *block, void *arg, struct err *err)
{
    struct json_write *json = &((struct capture_options *)arg)->json;
    const uint8_t *record;
    size_t at = 0, size;

    (void)err;
    while (capture_record_next(block, &at, &record, &size)) {
        json_write_object(json);
        json_write_key(json, "type");
        json_write_text(json, block->type);
        json_write_key(json, "shard");
        json_write_u64(json, block->head.shard);
        json_write_key(json, "block");
        json_write_u64(json, block->head.number);
        json_write_key(json, "verified");
        json_write_bool(json, block->verified);
        json_write_key(json, "size");
        json_write_u64(json, size);
        record_json_write(json, block->type, record, size);
        json_write_object_end(json);
        json_write_line(json);
    }
    return 0;
}

static int cat(char **files, struct capture_options *options, struct err *err)
{
    uint64_t problems, all = 0;

    json_write_to_fd(&options->json, STDOUT_FILENO);
    for (; *files; files++, all += problems)
        if (capture_each_block(*files, cat_block, print_problem, &problems, options,
                               err) < 0) {
            json_write_clear(&options->json);
            return -1;
        }
    if (json_write_finish(&options->json, err) < 0)
        return -1;
    return all ? EXIT_SOME_FAILED : EXIT_GOOD;
}

static int extract(char **files, struct capture_options *options, struct err *err)
{
    uint64_t launches;

    if (!options->vendor == !options->iree)
        return err_set(err, ERR_INPUT,
                       "capture extract needs either --vendor DIR, an empty folder, or "
                       "--iree DIR");
    if (options->iree)
        return extract_iree(*files, options->iree, options->choice.run_id,
                            options->choice.rank, err);
    for (; *files; files++) {
        if (capture_extract(*files, options->vendor, &options->choice, &launches, err) <
            0)
            return -1;
        printf("%s: %" PRIu64 " launches\n", *files, launches);
    }
    return EXIT_GOOD;
}

static int verify_database(const char *path, struct err *err)
{
    struct captures *captures;
    struct captures_totals totals = {0};
    int result;

    if (captures_open(&captures, path, STORE_READ, err) < 0)
        return -1;
    result = captures_check(captures, err);
    if (result == 0)
        result = captures_count(captures, 0, &totals, err);
    captures_close(captures);
    if (result == 0)
        printf("%s: %" PRIu64 " groups, %" PRIu64 " blocks, %" PRIu64
               " records, no problem found\n",
               path, totals.groups, totals.blocks, totals.records);
    return result;
}

static int verify(char **files, struct capture_options *options, struct err *err)
{
    int code = EXIT_GOOD;

    for (; *files; files++) {
        struct capture_reader *reader;
        const struct capture_problem *problem;
        const struct capture_counts *counts;

        if (capture_is_database(*files)) {
            if (verify_database(*files, err) < 0)
                return -1;
            continue;
        }
        if (capture_reader_open(&reader, *files, err) < 0)
            return -1;
        for (size_t i = 0; (problem = capture_reader_problem(reader, i)); i++)
            print_problem(problem, options);
        counts = capture_reader_counts(reader);
        printf("%s: %" PRIu64 " blocks, %" PRIu64 " records, %" PRIu64
               " copies, %" PRIu64 " foreign chunks, %" PRIu64 " dropped, %" PRIu64
               " problems\n",
               *files, counts->blocks, counts->records, counts->duplicates,
               counts->foreign, counts->dropped, counts->problems);
        if (counts->problems)
            code = EXIT_SOME_FAILED;
        capture_reader_destroy(reader);
    }
    return code;
}

static int salvage(char **files, struct capture_options *options, struct err *err)
{
    struct capture_counts counts;

    (void)options;
    if (capture_salvage(files[0], files[1], &counts, err) < 0)
        return -1;
    printf("%s: %" PRIu64 " blocks, %" PRIu64 " problems not copied\n", files[1],
           counts.blocks, counts.problems);
    return EXIT_GOOD;
}

static int export_groups(char **files, struct capture_options *options, struct err *err)
{
    struct captures *captures;
    int result;

    (void)options;
    if (captures_open(&captures, files[0], STORE_READ, err) < 0)
        return -1;
    result = captures_export(captures, files[1], err);
    captures_close(captures);
    return result;
}

static int import_groups(char **files, struct capture_options *options, struct err *err)
{
    struct captures *captures;
    uint64_t stored = 0, already = 0;
    int result;

    (void)options;
    if (captures_open(&captures, files[1], STORE_WRITE, err) < 0)
        return -1;
    result = captures_import(captures, files[0], &stored, &already, err);
    captures_close(captures);
    if (result == 0)
        printf("%s: %" PRIu64 " groups stored, %" PRIu64 " were stored before\n",
               files[1], stored, already);
    return result;
}

static const struct action {
    const char *name;
    size_t least, most;
    int (*run)(char **files, struct capture_options *options, struct err *err);
} actions[] = {
    {"ls", 1, 64, ls},
    {"cat", 1, 64, cat},
    {"extract", 1, 1, extract},
    {"verify", 1, 64, verify},
    {"salvage", 2, 2, salvage},
    {"export", 2, 2, export_groups},
    {"import", 2, 2, import_groups},
};

static const char *const action_names[] = {"ls",      "cat",    "extract", "verify",
                                           "salvage", "export", "import",  NULL};

static const struct command_mode modes[] = {{"extract", "vendor iree run rank launch"},
                                            {NULL, NULL}};

static int run(int argc, char **argv, struct err *err)
{
    struct command_options common = {0};
    struct capture_options options = {.choice = {.rank = -1}};
    char **args;
    size_t count = 0;
    const struct option_row rows[] = {
        {"vendor", 0, OPTION_TEXT, &options.vendor, "DIR",
         "Empty folder for the vendor's folder layout (with extract; default: none)",
         NULL},
        {"iree", 0, OPTION_TEXT, &options.iree, "DIR",
         "Folder for the IREE files in the capture, unchanged (with extract; default: "
         "none)",
         NULL},
        {"run", 0, OPTION_COUNT, &options.choice.run_id, "ID",
         "Attempt to extract, by its number (with extract; default: the first one)",
         NULL},
        {"rank", 0, OPTION_I64, &options.choice.rank, "N",
         "Rank of the attempt to extract (with extract; default: the first one)", NULL},
        {"launch", 0, OPTION_TEXT, &options.choice.launch, "KERNEL[/N]",
         "Pattern of the kernels to extract, or of KERNEL/N for one launch (with "
         "extract; default: all launches)",
         NULL},
        COMMAND_OPTIONS_HELP_ROW(common),
        {0},
    };

    int parsed = command_options_parse(&command_capture, rows, &common, argc, argv,
                                       &args, 2, 65, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    while (args[count + 1])
        count++;
    for (size_t i = 0; i < COUNT(actions); i++) {
        if (strcmp(actions[i].name, args[0]) != 0)
            continue;
        if (command_options_check_mode(modes, args[0], err) < 0)
            return -1;
        if (count < actions[i].least || count > actions[i].most)
            return err_set(err, ERR_INPUT, "capture %s needs %zu file argument%s",
                           args[0], actions[i].least, actions[i].least == 1 ? "" : "s");
        return actions[i].run(args + 1, &options, err);
    }
    return err_set(err, ERR_INPUT,
                   "unknown action '%s'; use ls, cat, extract, verify, salvage, export "
                   "or import",
                   args[0]);
}

const struct command command_capture = {
    .name = "capture",
    .args = "ls|cat|extract|verify FILE... | salvage FILE OUT | export DB FILE | "
            "import FILE DB",
    .summary = "List, check, repair and convert capture files",
    .details =
        "ls       lists the blocks of capture files\n"
        "cat      prints each record as one JSON line\n"
        "extract  writes the raw data in the folder layout of the vendor's tool; each\n"
        "         launch of a replayed range has a folder of its own; or, with "
        "--iree,\n"
        "         the dumps and profiles of IREE as the programs wrote them\n"
        "verify   checks each checksum; exit code 1 reports a problem\n"
        "salvage  copies all undamaged blocks of FILE to OUT\n"
        "export   copies all groups of a capture database to a capture file\n"
        "import   stores the groups of a capture file in a capture database",
    .choices = action_names,
    .examples = "  muster capture export out/store/captures/7.db night.iidb\n"
                "  muster capture verify night.iidb\n"
                "  muster capture extract --vendor raw night.iidb",
    .run = run,
};
