/* cmd_inspect.c - what is in a visualize_data.bin, and whether it will be shown */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_tree.h"
#include "base/json_write.h"
#include "cli/verb.h"
#include "parsers/visualize/bin.h"
#include "parsers/visualize/check.h"

static const size_t FILE_LIMIT = (size_t)2 << 30;

const struct command command_inspect;

struct bin_file {
    const char *path;
    uint8_t *bytes;
    size_t size;
};

static const char *name_of(unsigned type)
{
    const char *name = bin_type_name(type);

    return name ? name : "-";
}

static void print_blocks(const struct bin_file *file)
{
    struct bin_block block;
    size_t at = 0, index = 0;
    char problem[120];

    printf("%5s  %-4s  %-24s  %12s  %12s  %6s\n", "block", "type", "holds", "offset",
           "bytes", "filler");
    for (; bin_next(file->bytes, file->size, &at, index, &block, problem); index++)
        printf("%5zu  0x%02X  %-24s  %12" PRIu64 "  %12zu  %6u\n", index, block.type,
               name_of(block.type), block.offset, block.size, block.filler);
}

static void print_problem(const struct check_problem *problem, void *arg)
{
    (void)arg;
    printf("%s: block %zu type 0x%02X offset %" PRIu64 ": %s: %s\n",
           problem->is_error ? "error" : "warning", problem->block, problem->type,
           problem->offset, problem->rule, problem->text);
}

/* The payload as it is, when it is JSON; else null. */
static void write_content(struct json_write *json, const struct bin_block *block)
{
    struct arena *arena = arena_create(64 * 1024);
    const struct json_node *root;
    struct err err;

    json_write_key(json, "content");
    if (block->path || json_tree_parse(&root, "payload", block->payload, block->size,
                                       JSON_TREE_LIMITS, arena, &err) < 0)
        json_write_null(json);
    else
        json_write_raw(json, (const char *)block->payload, block->size);
    arena_destroy(arena);
}

static void write_blocks(struct json_write *json, const struct bin_file *file)
{
    struct bin_block block;
    size_t at = 0, index = 0;
    char problem[120];

    json_write_key(json, "blocks");
    json_write_array(json);
    for (; bin_next(file->bytes, file->size, &at, index, &block, problem); index++) {
        json_write_object(json);
        json_write_key(json, "block");
        json_write_u64(json, index);
        json_write_key(json, "type");
        json_write_u64(json, block.type);
        json_write_key(json, "name");
        json_write_text(json, bin_type_name(block.type));
        json_write_key(json, "offset");
        json_write_u64(json, block.offset);
        json_write_key(json, "bytes");
        json_write_u64(json, block.size);
        json_write_key(json, "filler");
        json_write_u64(json, block.filler);
        write_content(json, &block);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

static void write_problem(const struct check_problem *problem, void *arg)
{
    struct json_write *json = arg;

    json_write_object(json);
    json_write_key(json, "level");
    json_write_text(json, problem->is_error ? "error" : "warning");
    json_write_key(json, "block");
    json_write_u64(json, problem->block);
    json_write_key(json, "type");
    json_write_u64(json, problem->type);
    json_write_key(json, "offset");
    json_write_u64(json, problem->offset);
    json_write_key(json, "rule");
    json_write_text(json, problem->rule);
    json_write_key(json, "text");
    json_write_text(json, problem->text);
    json_write_object_end(json);
}

static int
print_json(const struct bin_file *file, bool check, size_t *errors, struct err *err)
{
    struct json_write json;

    json_write_to_fd(&json, STDOUT_FILENO);
    json_write_object(&json);
    json_write_key(&json, "schema");
    json_write_text(&json, "muster.inspect.v1");
    json_write_key(&json, "file");
    json_write_text(&json, file->path);
    json_write_key(&json, "bytes");
    json_write_u64(&json, file->size);
    write_blocks(&json, file);
    if (check) {
        json_write_key(&json, "problems");
        json_write_array(&json);
        *errors = visualize_check(file->bytes, file->size, write_problem, &json);
        json_write_array_end(&json);
    }
    json_write_object_end(&json);
    json_write_line(&json);
    return json_write_finish(&json, err);
}

static int inspect(const char *path, bool as_json, bool check, struct err *err)
{
    struct bin_file file = {.path = path};
    char *bytes;
    size_t errors = 0;
    int result = 0;

    if (file_read(&bytes, &file.size, path, FILE_LIMIT, err) < 0)
        return -1;
    file.bytes = (uint8_t *)bytes;
    if (as_json) {
        result = print_json(&file, check, &errors, err);
    } else {
        print_blocks(&file);
        if (check) {
            errors = visualize_check(file.bytes, file.size, print_problem, NULL);
            printf("%zu errors\n", errors);
        }
    }
    free(bytes);
    return result < 0 ? -1 : errors ? EXIT_SOME_FAILED : EXIT_GOOD;
}

static int run(int argc, char **argv, struct err *err)
{
    struct verb verb = {0};
    bool as_json = false, check = false;
    char **args;
    const struct option_row rows[] = {
        {"json", 0, OPTION_FLAG, &as_json, NULL, "all of it as JSON", NULL},
        {"check", 0, OPTION_FLAG, &check, NULL, "hold it against every rule", NULL},
        VERB_HELP_ROW(verb),
        {0},
    };

    int parsed =
        verb_parse(&command_inspect, rows, &verb, argc, argv, &args, 1, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    return inspect(args[0], as_json, check, err);
}

const struct command command_inspect = {
    .name = "inspect",
    .args = "FILE",
    .summary =
        "the blocks of a visualize_data.bin; --check tells what is wrong with it",
    .run = run,
};
