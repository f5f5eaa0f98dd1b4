#include "parsers/visualize_check/check.h"

#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "parsers/visualize_check/check_payload.h"

enum { FILLER_MAX = 3 };
/* The reader's limit, and the size that the viewer's manual recommends. */
static const size_t PAYLOAD_MAX = (size_t)100 << 20;
static const size_t FILE_ADVISED = (size_t)500 * 1000 * 1000;

static const struct kind {
    unsigned type;
    void (*check)(struct checker *checker, const struct json_node *root);
} kinds[] = {
    {BIN_FILES, check_files},
    {BIN_INSTRUCTIONS, check_instructions},
    {BIN_BASIC_INFO, check_basic_info},
    {BIN_WORKLOAD_CHART, check_workload},
    {BIN_WORKLOAD_TABLE, check_workload},
    {BIN_MEMORY_MAP, check_memory_map},
    {BIN_MEMORY_TABLE, check_memory_table},
    {BIN_OCCUPANCY, check_occupancy},
    {BIN_ROOFLINE, check_roofline},
    {BIN_CACHELINES, check_cachelines},
    {BIN_STALLS, check_stalls},
};

static const struct kind *kind_of(unsigned type)
{
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (kinds[i].type == type)
            return &kinds[i];
    return NULL;
}

static void check_head(struct checker *checker, const struct bin_block *block)
{
    const uint8_t *filler = block->payload + block->size;
    uint8_t version = block->type == BIN_INSTRUCTIONS ? 0 : BIN_MAGIC;

    if (block->index == 0 && block->type == BIN_INSTRUCTIONS)
        check_error(checker, "first-block", "the first block must not be of type 0x04");
    else if (block->index == 0 &&
             (block->version != BIN_MAGIC || block->reserved != BIN_MAGIC))
        check_error(checker, "magic",
                    "bytes 10 and 11 of the first block are %02x %02x, not 5a 5a",
                    block->version, block->reserved);
    else if (block->reserved != BIN_MAGIC ||
             (block->version != version &&
              !(version == 0 && block->version == BIN_MAGIC)))
        check_warn(checker, "marks", "bytes 10 and 11 are %02x %02x, not %02x 5a",
                   block->version, block->reserved, version);
    if (!block->size && block->type != BIN_CODE)
        check_error(checker, "empty-payload",
                    "the payload is empty; the reader ignores all blocks after it");
    if (block->filler > FILLER_MAX)
        check_warn(checker, "filler",
                   "the block has %u filler bytes; at most 3 are needed",
                   block->filler);
    if (block->content_size % 4)
        check_warn(checker, "alignment", "the block size is not a multiple of 4");
    for (size_t i = 0; block->size && i < block->filler; i++)
        if (filler[i]) {
            check_error(checker, "filler",
                        "the filler bytes are not all zero: the filler count in the "
                        "head cuts off content");
            break;
        }
}

static void check_code(struct checker *checker, const struct bin_block *block)
{
    const char *path = (const char *)block->path;

    if (!memchr(path, '\0', BIN_CODE_PATH_BYTES)) {
        check_error(checker, "code-path",
                    "the path is not terminated within its 4096 bytes");
        return;
    }
    if (!path[0] || strlen(path) > BIN_PATH_MAX ||
        strpbrk(path, "|;&$><`\\!\"'\n\t\r\f"))
        check_error(checker, "code-path",
                    "path '%.100s' is empty, longer than 500 bytes, or has a character "
                    "that the viewer rejects",
                    path);
    if (strchr(path, ':'))
        check_warn(checker, "code-path",
                   "path '%.100s' has a colon, which breaks jumps to its lines", path);
    if (map_put(checker->code, path, checker->code))
        check_error(checker, "code-twice",
                    "the file has two code blocks of path '%.100s'", path);
    check_code_text(checker, block->payload, block->size);
}

static void check_payload(struct checker *checker, const struct bin_block *block)
{
    const struct kind *kind = kind_of(block->type);
    const struct json_node *root;
    struct err err;

    if (block->type == BIN_TRACE) {
        check_trace(checker);
        return;
    }
    if (block->type == BIN_MEMORY_RECORDS || block->type == BIN_CACHE_SETS) {
        check_warn(checker, "type", "no released viewer reads type 0x%02X",
                   block->type);
        check_tracekit(checker);
        return;
    }
    if (!kind) {
        check_warn(checker, "type", "type 0x%02X is unknown; the viewer skips it",
                   block->type);
        return;
    }
    if (block->size > PAYLOAD_MAX) {
        check_error(checker, "payload-size",
                    "the payload is larger than 100 MiB; the reader discards it");
        return;
    }
    if (block->size > JSON_TREE_BYTES_MAX) {
        check_warn(
            checker, "not-checked",
            "the payload is larger than 64 MiB; muster does not check its content");
        return;
    }
    arena_reset(checker->arena);
    if (json_tree_parse(&root, "payload", block->payload, block->size, JSON_TREE_LIMITS,
                        checker->arena, &err) < 0)
        check_error(checker, "json", "%s", err.text);
    else if (!json_tree_is(root, JSON_OBJECT))
        check_error(checker, "root", "the top-level value must be an object, not %s",
                    json_kind_name(root->kind));
    else
        kind->check(checker, root);
}

/* The viewer shows a block of `type` only when the file has a block of type `needs`. */
static const struct need {
    unsigned type, needs;
} needs[] = {
    {BIN_ROOFLINE, BIN_BASIC_INFO},
    {BIN_CODE, BIN_INSTRUCTIONS},
    {BIN_FILES, BIN_INSTRUCTIONS},
};

/* Checks the rules about the file as a whole. `seen` counts the blocks by type. */
static void check_file(struct checker *checker, const size_t *seen, size_t size)
{
    const char *source;
    void *value;
    size_t at = 0;

    checker->block = NULL;
    for (size_t i = 0; i < COUNT(needs); i++)
        if (seen[needs[i].type] && !seen[needs[i].needs])
            check_error(checker, "needs",
                        "the viewer does not show type 0x%02X without type 0x%02X",
                        needs[i].type, needs[i].needs);
    while (map_next(checker->sources, &at, &source, &value))
        if (!map_get(checker->code, source))
            check_warn(checker, "no-code",
                       "the viewer does not show the lines of '%.100s': the file has "
                       "no type 0x01 for it",
                       source);
    if (!seen[BIN_BASIC_INFO])
        check_warn(checker, "basic-info",
                   "the file has no block of type 0x05 (basic info)");
    if (size > FILE_ADVISED)
        check_warn(
            checker, "file-size",
            "the file is larger than 500 MB, the size that the viewer recommends");
}

size_t visualize_check(const uint8_t *bytes, size_t size, check_fn *fn, void *arg)
{
    struct checker checker = {.fn = fn,
                              .arg = arg,
                              .arena = arena_create(64 * 1024),
                              .code = map_create(),
                              .sources = map_create()};
    struct bin_block block;
    size_t seen[256] = {0}, at = 0, index = 0;
    char problem[BIN_PROBLEM_BYTES];

    while (bin_next(bytes, size, &at, index, &block, problem)) {
        checker.block = &block;
        check_head(&checker, &block);
        if (block.type == BIN_CODE)
            check_code(&checker, &block);
        else if (block.size)
            check_payload(&checker, &block);
        if (seen[block.type]++ && block.type > BIN_TRACE)
            check_error(&checker, "twice",
                        "the reader uses only the first block of type 0x%02X",
                        block.type);
        index++;
    }
    if (problem[0]) {
        block.index = index;
        block.offset = at;
        if (size - at < BIN_HEAD_BYTES)
            block.type = 0;
        checker.block = &block;
        check_error(&checker, "walk", "%s", problem);
    }
    if (!size)
        check_error(&checker, "walk", "the file is empty");
    check_file(&checker, seen, size);
    map_destroy(checker.code);
    map_destroy(checker.sources);
    arena_destroy(checker.arena);
    return checker.errors;
}
