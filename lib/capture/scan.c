#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/capture_reader_internal.h"
#include "lib/capture/format/crc.h"

enum { TABLE_LEAST = CAPTURE_CHUNK_HEAD + 8, IRPF_HEAD = 24 };

void scan_problem(struct scan *scan,
                  enum capture_problem_kind kind,
                  uint64_t offset,
                  uint64_t bytes,
                  const struct capture_block_head *head,
                  uint32_t count,
                  const char *fmt,
                  ...)
{
    struct capture_problem *problem;
    va_list args;

    scan->counts.problems++;
    if (scan->problem_count == SCAN_PROBLEMS_MAX)
        return;
    if (!scan->problems)
        scan->problems = xcalloc(SCAN_PROBLEMS_MAX, sizeof(*scan->problems));
    problem = &scan->problems[scan->problem_count++];
    problem->kind = kind;
    problem->offset = offset;
    problem->bytes = bytes;
    problem->count = count;
    if (head) {
        problem->run_id = head->run_id;
        problem->shard = head->shard;
        problem->block = head->number;
    }
    va_start(args, fmt);
    vsnprintf(problem->text, sizeof(problem->text), fmt, args);
    va_end(args);
}

uint32_t scan_whole_records(const struct capture_block_head *head,
                            const uint8_t *payload,
                            uint64_t bytes,
                            size_t *taken)
{
    uint32_t records = 0;
    uint64_t at = 0;

    while (records < head->records) {
        uint64_t size = head->record_size;

        if (!size && bytes - at < 4)
            break;
        if (!size && (size = load_u32(payload + at)) < 4)
            break;
        if (size > bytes - at)
            break;
        at += size;
        records++;
    }
    *taken = (size_t)at;
    return records;
}

/* Returns true when the first bytes may start a chunk of a known format. */
static bool is_magic(const struct scan *scan, uint64_t at)
{
    static const char magics[][5] = {"IIDB", "0IDB", "IRPF", "IRRP", "IRPA"};
    size_t left = scan->size - (size_t)at, length = left < 4 ? left : 4;

    for (size_t i = 0; i < COUNT(magics); i++)
        if (memcmp(scan->bytes + at, magics[i], length) == 0)
            return true;
    return false;
}

/* Returns true when a chunk may end here: at the end of the file or before a chunk. */
static bool is_boundary(const struct scan *scan, uint64_t at)
{
    return at <= scan->size && is_magic(scan, at);
}

/* Returns the end of a chunk including the padding that is present; 0: bytes are
 * missing. */
static uint64_t chunk_end(const struct scan *scan, uint64_t at, uint64_t content)
{
    uint64_t left = scan->size - at - CAPTURE_CHUNK_HEAD;
    uint64_t end;

    if (content > left)
        return 0;
    end = at + capture_padded(CAPTURE_CHUNK_HEAD + content);
    return end < scan->size ? end : scan->size;
}

static bool
block_at(const struct scan *scan, uint64_t at, struct capture_block_head *head)
{
    return scan->size - at >= CAPTURE_BLOCK_HEAD &&
           capture_block_decode(head, scan->bytes + at);
}

/* Returns the end of the table, or 0 when there is none. Sets *good when its CRC is
 * right. */
static uint64_t table_at(const struct scan *scan,
                         uint64_t at,
                         struct capture_strings *strings,
                         uint32_t *shard,
                         uint32_t *number,
                         bool *good)
{
    const uint8_t *head = scan->bytes + at;
    uint64_t end, content;

    if (scan->size - at < TABLE_LEAST || memcmp(head, "IIDB", 4) != 0 ||
        load_u16(head + 4) != CAPTURE_CHUNK_TABLE)
        return 0;
    content = load_u64(head + 8);
    end = chunk_end(scan, at, content);
    if (!end || !capture_strings_init(strings, head + CAPTURE_CHUNK_HEAD, content) ||
        !capture_binding_read(strings, shard, number, good))
        return 0;
    return end;
}

/* Returns true for a chunk with a valid CRC. The search after damage stops there. */
static bool is_valid_chunk(const struct scan *scan, uint64_t at)
{
    struct capture_block_head head;
    struct capture_strings strings;
    uint32_t shard, number;
    bool good;

    if (block_at(scan, at, &head))
        return true;
    return table_at(scan, at, &strings, &shard, &number, &good) && good;
}

/* Returns the end of a plausible chunk of another format, or 0. */
static uint64_t foreign_end(const struct scan *scan, uint64_t at)
{
    const uint8_t *head = scan->bytes + at;
    uint64_t left = scan->size - at, length, end;

    if (left >= IRPF_HEAD && memcmp(head, "IRPF", 4) == 0) {
        length = load_u64(head + 16);
        if (length < IRPF_HEAD || length > left)
            return 0;
        if (is_boundary(scan, at + length))
            return at + length;
        end = capture_padded(at + length);
        return is_boundary(scan, end) ? end : 0;
    }
    if (left < CAPTURE_CHUNK_HEAD ||
        (memcmp(head, "IIDB", 4) != 0 && memcmp(head, "0IDB", 4) != 0))
        return 0;
    end = chunk_end(scan, at, load_u64(head + 8));
    return end && is_boundary(scan, end) ? end : 0;
}

/* Returns the next position from `at` on with a readable chunk, or the file size. */
static uint64_t resync(const struct scan *scan, uint64_t at)
{
    for (; at < scan->size; at++) {
        const uint8_t *next = memchr(scan->bytes + at, 'I', scan->size - (size_t)at);

        if (!next)
            return scan->size;
        at = (uint64_t)(next - scan->bytes);
        if (is_valid_chunk(scan, at) || foreign_end(scan, at))
            return at;
        /* "0IDB" starts one byte earlier than its first I */
        if (at && scan->bytes[at - 1] == '0' && foreign_end(scan, at - 1))
            return at - 1;
    }
    return scan->size;
}

static void mark_last_doubtful(struct scan *scan)
{
    if (scan->count)
        scan->entries[scan->count - 1].is_doubtful = true;
}

static struct scan_entry *add_entry(struct scan *scan,
                                    const struct capture_block_head *head,
                                    uint64_t at,
                                    uint64_t end)
{
    struct scan_entry *entry;
    struct capture_block *block;
    const char *type = NULL, *metadata = NULL;

    if (scan->count == scan->room) {
        scan->room = scan->room ? scan->room * 2 : 64;
        scan->entries =
            xreallocarray(scan->entries, scan->room, sizeof(*scan->entries));
    }
    entry = &scan->entries[scan->count++];
    *entry = (struct scan_entry){.table_offset = UINT64_MAX, .end = end};
    block = &entry->block;
    block->head = *head;
    block->offset = at;
    block->type = block->metadata = "";
    block->payload = scan->bytes + at + CAPTURE_BLOCK_HEAD;
    if (scan->has_table && scan->table_shard == head->shard &&
        scan->table_number == head->table) {
        type = capture_strings_get(&scan->strings, head->type_text);
        metadata = capture_strings_get(&scan->strings, head->metadata_text);
        entry->table_offset = scan->table_offset;
    }
    if (type && metadata && *type) {
        block->has_texts = true;
        block->type = type;
        block->metadata = metadata;
    } else {
        scan_problem(scan, CAPTURE_NO_TABLE, at, 0, head, 0,
                     "string table %" PRIu32 " is missing before the block, or damaged",
                     head->table);
    }
    return entry;
}

/* Adds the complete records of a block in which the capture ends; not verified. */
static uint64_t
take_torn(struct scan *scan, const struct capture_block_head *head, uint64_t at)
{
    const uint8_t *payload = scan->bytes + at + CAPTURE_BLOCK_HEAD;
    uint64_t left = scan->size - at - CAPTURE_BLOCK_HEAD;
    size_t taken;
    uint32_t records = scan_whole_records(head, payload, left, &taken);

    scan_problem(scan, CAPTURE_TORN, at, 0, head, head->records - records,
                 "the capture ends inside the block; %" PRIu32 " of %" PRIu32
                 " records are left, not verified",
                 records, head->records);
    if (records) {
        struct scan_entry *entry = add_entry(scan, head, at, scan->size);

        entry->block.records = records;
        entry->block.payload_bytes = taken;
    }
    return scan->size;
}

static bool
payload_is_good(struct scan *scan, const struct capture_block_head *head, uint64_t at)
{
    const uint8_t *payload = scan->bytes + at + CAPTURE_BLOCK_HEAD;
    size_t taken;

    if (crc32c(0, payload, (size_t)head->payload_bytes) == head->payload_crc &&
        scan_whole_records(head, payload, head->payload_bytes, &taken) ==
            head->records &&
        taken == head->payload_bytes)
        return true;
    /* Real damage costs one check per byte. Forged heads that overlap would cost the
     * square of the size, so work_left limits the failed checks. */
    scan->work_left -=
        head->payload_bytes < scan->work_left ? head->payload_bytes : scan->work_left;
    return false;
}

static uint64_t
take_block(struct scan *scan, const struct capture_block_head *head, uint64_t at)
{
    uint64_t end = chunk_end(scan, at, head->payload_bytes + 80);
    uint64_t next;

    if (end && payload_is_good(scan, head, at)) {
        struct scan_entry *entry = add_entry(scan, head, at, end);

        entry->block.verified = true;
        entry->block.records = head->records;
        entry->block.payload_bytes = (size_t)head->payload_bytes;
        return end;
    }
    if (end && (end == scan->size || is_valid_chunk(scan, end)))
        next = end;
    else
        next = resync(scan, at + CAPTURE_BLOCK_HEAD);
    if (!end && next == scan->size)
        return take_torn(scan, head, at);
    mark_last_doubtful(scan);
    scan_problem(scan, CAPTURE_BAD_BLOCK, at, next - at, head, head->records,
                 end ? "the CRC or the count of records of the block is wrong"
                     : "bytes of the block are missing");
    return next;
}

static uint64_t take_table(struct scan *scan, uint64_t at)
{
    struct capture_strings strings;
    uint32_t shard = 0, number = 0;
    bool good = false;
    uint64_t end = table_at(scan, at, &strings, &shard, &number, &good);

    if (!end)
        return 0;
    if (good) {
        scan->strings = strings;
        scan->table_offset = at;
        scan->table_shard = shard;
        scan->table_number = number;
        scan->has_table = true;
        scan->counts.tables++;
        return end;
    }
    scan->has_table = false;
    if (!is_valid_chunk(scan, end) && end != scan->size)
        end = resync(scan, at + 1);
    scan_problem(scan, CAPTURE_BAD_TABLE, at, end - at, NULL, 0,
                 "the CRC of a string table is wrong; its blocks have no texts");
    return end;
}

/* Reads the chunk at `at`. Returns the position after it. */
static uint64_t take_chunk(struct scan *scan, uint64_t at)
{
    struct capture_block_head head;
    uint64_t end;

    if (block_at(scan, at, &head))
        return take_block(scan, &head, at);
    if ((end = take_table(scan, at)))
        return end;
    if ((end = foreign_end(scan, at))) {
        scan->counts.foreign++;
        /* a block with a flipped bit may look like a chunk of another format */
        if (memcmp(scan->bytes + at, "IIDB", 4) == 0)
            mark_last_doubtful(scan);
        scan->counts.foreign_bytes += end - at;
        return end;
    }
    end = resync(scan, at + 1);
    mark_last_doubtful(scan);
    scan->counts.skipped_bytes += end - at;
    scan_problem(scan, CAPTURE_BAD_BYTES, at, end - at, NULL, 0,
                 "%" PRIu64 " bytes do not belong to a capture", end - at);
    return end;
}

void scan_run(struct scan *scan, const void *bytes, size_t size)
{
    uint64_t at = 0;

    *scan = (struct scan){.bytes = bytes, .size = size};
    scan->work_left = 4 * (uint64_t)size + CAPTURE_GROUP_MAX;
    while (at < size && scan->work_left)
        at = take_chunk(scan, at);
    if (at < size)
        scan_problem(scan, CAPTURE_BAD_BYTES, at, size - at, NULL, 0,
                     "too many overlapping damaged blocks; the rest is not read");
}

void scan_clear(struct scan *scan)
{
    free(scan->entries);
    free(scan->problems);
}
