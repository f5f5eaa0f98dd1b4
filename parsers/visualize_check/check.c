#include "parsers/visualize_check/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "parsers/visualize_check/check_report.h"

enum {
    HEAD = 12,
    PATH_AREA = 4096,
    PATH_ADVISED = 500,
    MARK = 0x5A,
    FILLER_MAX = 3,
    TYPE_CODE = 0x01,
    TYPE_TRACE = 0x02,
    TYPE_INSTRUCTIONS = 0x04,
};
static const size_t PAYLOAD_MAX = (size_t)100 << 20;
static const size_t FILE_ADVISED = (size_t)500 * 1000 * 1000;

static uint64_t little(const uint8_t *bytes, size_t count)
{
    uint64_t value = 0;

    while (count-- > 0)
        value = value << 8 | bytes[count];
    return value;
}

bool bin_next(const uint8_t *bytes,
              size_t size,
              size_t *at,
              size_t index,
              struct bin_block *block,
              char problem[120])
{
    size_t left = size - *at, area;

    problem[0] = '\0';
    if (!left)
        return false;
    if (left < HEAD) {
        snprintf(problem, 120, "%zu stray bytes behind the last block", left);
        return false;
    }
    const uint8_t *head = bytes + *at;
    *block = (struct bin_block){
        .index = index,
        .offset = *at,
        .type = head[8],
        .content_size = little(head, 8),
        .filler = head[9],
        .version = head[10],
        .reserved = head[11],
    };
    area = block->type == TYPE_CODE ? PATH_AREA : 0;
    left -= HEAD;
    if (area > left || block->content_size > left - area) {
        snprintf(problem, 120, "the head says %" PRIu64 " bytes, %zu are left",
                 block->content_size, left);
        return false;
    }
    block->path = area ? head + HEAD : NULL;
    block->payload = head + HEAD + area;
    block->size = block->filler < block->content_size
                      ? (size_t)block->content_size - block->filler
                      : 0;
    *at += HEAD + area + (size_t)block->content_size;
    return true;
}

static void tell(struct checker *checker,
                 bool is_error,
                 const char *rule,
                 const char *fmt,
                 va_list args)
{
    struct check_problem problem = {.is_error = is_error, .rule = rule};

    if (checker->block) {
        problem.block = checker->block->index;
        problem.type = checker->block->type;
        problem.offset = checker->block->offset;
    }
    vsnprintf(problem.text, sizeof(problem.text), fmt, args);
    checker->errors += is_error;
    checker->fn(&problem, checker->arg);
}

void check_error(struct checker *checker, const char *rule, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    tell(checker, true, rule, fmt, args);
    va_end(args);
}

void check_warn(struct checker *checker, const char *rule, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    tell(checker, false, rule, fmt, args);
    va_end(args);
}

static const struct kind {
    unsigned type;
    void (*check)(struct checker *checker, const struct json_node *root);
} kinds[] = {
    {0x03, check_files},        {0x04, check_instructions}, {0x05, check_basic_info},
    {0x06, check_workload},     {0x07, check_workload},     {0x08, check_memory_map},
    {0x09, check_memory_table}, {0x0C, check_occupancy},    {0x0D, check_roofline},
    {0x0E, check_cachelines},   {0x0F, check_stalls},
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
    uint8_t version = block->type == TYPE_INSTRUCTIONS ? 0 : MARK;

    if (block->index == 0 && block->type == TYPE_INSTRUCTIONS)
        check_error(checker, "first-block", "a file must not start with type 0x04");
    else if (block->index == 0 && (block->version != MARK || block->reserved != MARK))
        check_error(checker, "magic",
                    "bytes 10 and 11 of the first block are %02x %02x, not 5a 5a",
                    block->version, block->reserved);
    else if (block->reserved != MARK ||
             (block->version != version && !(version == 0 && block->version == MARK)))
        check_warn(checker, "marks", "bytes 10 and 11 are %02x %02x", block->version,
                   block->reserved);
    if (!block->size && block->type != TYPE_CODE)
        check_error(checker, "empty-payload", "all that follows is lost");
    if (block->filler > FILLER_MAX)
        check_warn(checker, "filler", "%u bytes of filler", block->filler);
    if (block->content_size % 4)
        check_warn(checker, "alignment", "the size is no multiple of 4");
    for (size_t i = 0; block->size && i < block->filler; i++)
        if (filler[i]) {
            check_error(checker, "filler", "the filler cuts off text: it is not zero");
            break;
        }
}

static void check_code(struct checker *checker, const struct bin_block *block)
{
    const char *path = (const char *)block->path;

    if (!memchr(path, '\0', PATH_AREA)) {
        check_error(checker, "code-path", "the path has no end in its 4096 bytes");
        return;
    }
    if (!path[0] || strlen(path) > PATH_ADVISED ||
        strpbrk(path, "|;&$><`\\!\"'\n\t\r\f"))
        check_error(checker, "code-path",
                    "'%.100s' is empty, too long, or has a letter that is refused",
                    path);
    if (strchr(path, ':'))
        check_warn(checker, "code-path", "'%.100s' has a colon", path);
    if (map_put(checker->code, path, checker->code))
        check_error(checker, "code-twice", "'%.100s' is there twice", path);
    check_code_text(checker, block->payload, block->size);
}

static void check_payload(struct checker *checker, const struct bin_block *block)
{
    const struct kind *kind = kind_of(block->type);
    const struct json_node *root;
    struct err err;

    if (block->type == TYPE_TRACE) {
        check_trace(checker);
        return;
    }
    if (block->type == 0x0A || block->type == 0x0B) {
        check_warn(checker, "type", "type 0x%02X is read by no viewer of today",
                   block->type);
        check_tracekit(checker);
        return;
    }
    if (!kind) {
        check_warn(checker, "type", "type 0x%02X is not read by anybody", block->type);
        return;
    }
    if (block->size > PAYLOAD_MAX) {
        check_error(checker, "payload-size", "more than 100 MiB read as nothing");
        return;
    }
    if (block->size > JSON_TREE_BYTES_MAX) {
        check_warn(checker, "not-checked", "more than 64 MiB are not looked into");
        return;
    }
    arena_reset(checker->arena);
    if (json_tree_parse(&root, "payload", block->payload, block->size, JSON_TREE_LIMITS,
                        checker->arena, &err) < 0)
        check_error(checker, "json", "%s", err.text);
    else if (!json_tree_is(root, JSON_OBJECT))
        check_error(checker, "root", "the root is %s", json_kind_name(root->kind));
    else
        kind->check(checker, root);
}

/* Which types need which other to be seen. */
static const struct need {
    unsigned type, needs;
} needs[] = {
    {0x0D, 0x05},
    {0x01, 0x04},
    {0x03, 0x04},
};

static void check_whole(struct checker *checker, const size_t *seen, size_t size)
{
    const char *source;
    void *value;
    size_t at = 0;

    checker->block = NULL;
    for (size_t i = 0; i < COUNT(needs); i++)
        if (seen[needs[i].type] && !seen[needs[i].needs])
            check_error(checker, "needs",
                        "type 0x%02X is not shown without type 0x%02X", needs[i].type,
                        needs[i].needs);
    while (map_next(checker->sources, &at, &source, &value))
        if (!map_get(checker->code, source))
            check_warn(checker, "no-code",
                       "lines of '%.100s' are not shown: it has no type 0x01", source);
    if (!seen[0x05])
        check_warn(checker, "basic-info", "there is no type 0x05");
    if (size > FILE_ADVISED)
        check_warn(checker, "file-size", "more than the advised 500 MB");
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
    char problem[120];

    while (bin_next(bytes, size, &at, index, &block, problem)) {
        checker.block = &block;
        check_head(&checker, &block);
        if (block.type == TYPE_CODE)
            check_code(&checker, &block);
        else if (block.size)
            check_payload(&checker, &block);
        if (seen[block.type]++ && block.type > TYPE_TRACE)
            check_error(&checker, "twice", "only the first of type 0x%02X is read",
                        block.type);
        index++;
    }
    if (problem[0]) {
        block.index = index;
        block.offset = at;
        if (size - at < HEAD)
            block.type = 0;
        checker.block = &block;
        check_error(&checker, "walk", "%s", problem);
    }
    if (!size)
        check_error(&checker, "walk", "the file is empty");
    check_whole(&checker, seen, size);
    map_destroy(checker.code);
    map_destroy(checker.sources);
    arena_destroy(checker.arena);
    return checker.errors;
}
