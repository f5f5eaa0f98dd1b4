#include "parsers/container/bin.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"

enum { FILL_TO = 4 };

static const char *const names[] = {
    [BIN_CODE] = "code",
    [BIN_TRACE] = "trace",
    [BIN_FILES] = "hot spot files",
    [BIN_INSTRUCTIONS] = "hot spot instructions",
    [BIN_BASIC_INFO] = "basic info",
    [BIN_WORKLOAD_CHART] = "compute workload chart",
    [BIN_WORKLOAD_TABLE] = "compute workload table",
    [BIN_MEMORY_MAP] = "memory map",
    [BIN_MEMORY_TABLE] = "memory table",
    [BIN_MEMORY_RECORDS] = "memory records",
    [BIN_CACHE_SETS] = "cache sets",
    [BIN_OCCUPANCY] = "occupancy",
    [BIN_ROOFLINE] = "roofline",
    [BIN_CACHELINES] = "cachelines",
    [BIN_STALLS] = "stall reasons",
};

const char *bin_type_name(unsigned type)
{
    return type < COUNT(names) ? names[type] : NULL;
}

static size_t filler_of(size_t payload_size)
{
    return (FILL_TO - payload_size % FILL_TO) % FILL_TO;
}

static void
write_head(uint8_t head[BIN_HEAD_BYTES], enum bin_type type, size_t payload_size)
{
    size_t filler = filler_of(payload_size);

    store_u64(head, payload_size + filler);
    head[8] = (uint8_t)type;
    head[9] = (uint8_t)filler;
    head[10] = type == BIN_INSTRUCTIONS ? 0 : BIN_MAGIC;
    head[11] = BIN_MAGIC;
}

static void add_filler(struct text *out, size_t payload_size)
{
    static const char zeros[FILL_TO] = {0};

    text_add_bytes(out, zeros, filler_of(payload_size));
}

size_t bin_begin(struct text *out)
{
    static const uint8_t head[BIN_HEAD_BYTES] = {0};

    text_add_bytes(out, head, sizeof(head));
    return out->length;
}

void bin_end(struct text *out, enum bin_type type, size_t payload_at)
{
    size_t size = out->length - payload_at;

    assert(size && type != BIN_CODE);
    write_head((uint8_t *)out->bytes + payload_at - BIN_HEAD_BYTES, type, size);
    add_filler(out, size);
}

void bin_add(struct text *out, enum bin_type type, const struct text *payload)
{
    size_t payload_at = bin_begin(out);

    text_add_bytes(out, payload->bytes, payload->length);
    bin_end(out, type, payload_at);
}

/* The viewer requests a source file by its path and rejects long paths and these
 * characters. A colon breaks its jumps from instructions to lines. */
static bool is_accepted_path(const char *path)
{
    return *path && strlen(path) <= BIN_PATH_MAX &&
           !strpbrk(path, "|;&$><`\\!\"'\n\t\r\f:");
}

bool bin_add_code(struct text *out, const char *path, const struct text *payload)
{
    char area[BIN_CODE_PATH_BYTES] = {0};
    uint8_t head[BIN_HEAD_BYTES];

    if (!payload->length || payload->length > BIN_CODE_MAX || !is_accepted_path(path))
        return false;
    memcpy(area, path, strlen(path));
    write_head(head, BIN_CODE, payload->length);
    text_add_bytes(out, head, sizeof(head));
    text_add_bytes(out, area, sizeof(area));
    text_add_bytes(out, payload->bytes, payload->length);
    add_filler(out, payload->length);
    return true;
}

bool bin_read_head(const uint8_t head[BIN_HEAD_BYTES],
                   uint64_t left,
                   struct bin_block *block,
                   char problem[BIN_PROBLEM_BYTES])
{
    uint64_t path_bytes = head[8] == BIN_CODE ? BIN_CODE_PATH_BYTES : 0;

    *block = (struct bin_block){
        .index = block->index,
        .offset = block->offset,
        .type = head[8],
        .content_size = load_u64(head),
        .filler = head[9],
        .version = head[10],
        .reserved = head[11],
    };
    if (path_bytes > left || block->content_size > left - path_bytes) {
        snprintf(problem, BIN_PROBLEM_BYTES,
                 "the block is cut off: its head announces %" PRIu64
                 " bytes, the file has %" PRIu64 " left",
                 block->content_size, left);
        return false;
    }
    block->size = block->filler < block->content_size
                      ? (size_t)block->content_size - block->filler
                      : 0;
    return true;
}

bool bin_next(const uint8_t *bytes,
              size_t size,
              size_t *at,
              size_t index,
              struct bin_block *block,
              char problem[BIN_PROBLEM_BYTES])
{
    size_t left = size - *at, path_bytes;
    const uint8_t *head = bytes + *at;

    problem[0] = '\0';
    if (!left)
        return false;
    if (left < BIN_HEAD_BYTES) {
        snprintf(problem, BIN_PROBLEM_BYTES,
                 "%zu extra bytes after the last block are no block head", left);
        return false;
    }
    block->index = index;
    block->offset = *at;
    if (!bin_read_head(head, left - BIN_HEAD_BYTES, block, problem))
        return false;
    path_bytes = block->type == BIN_CODE ? BIN_CODE_PATH_BYTES : 0;
    head += BIN_HEAD_BYTES;
    block->path = path_bytes ? head : NULL;
    block->payload = head + path_bytes;
    *at += BIN_HEAD_BYTES + path_bytes + (size_t)block->content_size;
    return true;
}
