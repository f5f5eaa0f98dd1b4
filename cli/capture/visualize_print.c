#include "cli/capture/visualize_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/file.h"
#include "lib/base/json_tree.h"
#include "lib/base/json_write.h"
#include "parsers/container/bin.h"
#include "parsers/container/describe.h"
#include "parsers/container/tracekit.h"
#include "parsers/visualize_check/check.h"
#include "parsers/visualize_check/check_place.h"

static const size_t FILE_LIMIT = (size_t)2 << 30;

int visualize_print_open(struct visualize_print *file,
                         const char *path,
                         struct err *err)
{
    char *bytes;

    *file = (struct visualize_print){.path = path};
    if (file_read(&bytes, &file->size, path, FILE_LIMIT, err) < 0)
        return -1;
    file->bytes = (uint8_t *)bytes;
    return 0;
}

void visualize_print_close(struct visualize_print *file)
{
    free(file->bytes);
    *file = (struct visualize_print){0};
}

static const char *name_of(unsigned type)
{
    const char *name = bin_type_name(type);

    return name ? name : "-";
}

static int check_end(const struct visualize_print *file,
                     size_t index,
                     const char *problem,
                     struct err *err)
{
    return *problem ? err_set(err, ERR_INPUT, "%s: block %zu: %s", file->path, index,
                              problem)
                    : 0;
}

int visualize_print_blocks(const struct visualize_print *file, struct err *err)
{
    struct bin_block block;
    size_t at = 0, index = 0;
    char problem[120];

    printf("%5s  %-4s  %-24s  %12s  %12s  %6s\n", "block", "type", "holds", "offset",
           "bytes", "filler");
    for (; bin_next(file->bytes, file->size, &at, index, &block, problem); index++)
        printf("%5zu  0x%02X  %-24s  %12" PRIu64 "  %12zu  %6u\n", index, block.type,
               name_of(block.type), block.offset, block.size, block.filler);
    return check_end(file, index, problem, err);
}

int visualize_print_explain(const struct visualize_print *file, struct err *err)
{
    struct bin_block block;
    struct text text = {0};
    size_t at = 0, index = 0;
    char problem[120];

    for (; bin_next(file->bytes, file->size, &at, index, &block, problem); index++) {
        text_reset(&text);
        describe_write(&block, &text);
        fputs(text_get(&text), stdout);
    }
    text_clear(&text);
    return check_end(file, index, problem, err);
}

/* Writes a JSON payload unchanged, known records as objects, and null otherwise. */
static void write_content(struct json_write *json, const struct bin_block *block)
{
    struct arena *arena = arena_create(64 * 1024);
    const struct json_node *root;
    struct err err;

    json_write_key(json, "content");
    if (block->type == BIN_MEMORY_RECORDS || block->type == BIN_CACHE_SETS)
        tracekit_write_json(block, json);
    else if (block->path ||
             json_tree_parse(&root, "payload", block->payload, block->size,
                             JSON_TREE_LIMITS, arena, &err) < 0)
        json_write_null(json);
    else
        json_write_raw(json, (const char *)block->payload, block->size);
    arena_destroy(arena);
}

static void write_blocks(struct json_write *json, const struct visualize_print *file)
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

int visualize_print_json(const struct visualize_print *file,
                         int fd,
                         bool check,
                         size_t *errors,
                         struct err *err)
{
    struct json_write json;

    json_write_to_fd(&json, fd);
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
        *errors = visualize_check_place(file->path, write_problem, &json) +
                  visualize_check(file->bytes, file->size, write_problem, &json);
        json_write_array_end(&json);
    }
    json_write_object_end(&json);
    json_write_line(&json);
    return json_write_finish(&json, err);
}
