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

/* Whether a chunk of some kind could start here, by its first bytes. */
static bool is_magic(const struct scan *scan, uint64_t at)
{
    static const char magics[][5] = {"IIDB", "0IDB", "IRPF", "IRRP", "IRPA"};
    size_t left = scan->size - (size_t)at, length = left < 4 ? left : 4;

    for (size_t i = 0; i < COUNT(magics); i++)
        if (memcmp(scan->bytes + at, magics[i], length) == 0)
            return true;
    return false;
}

/* A chunk may end here: at the end of the file, or where another one starts. */
static bool is_seam(const struct scan *scan, uint64_t at)
{
    return at <= scan->size && is_magic(scan, at);
}

/* Where a chunk ends, its padding counted as far as it is there; 0 when it runs out. */
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

/* 0: no table; else where it ends, with `good` when its CRC is. */
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

/* Ours, and beyond doubt: what the search behind damage may trust. */
static bool is_ours(const struct scan *scan, uint64_t at)
{
    struct capture_block_head head;
    struct capture_strings strings;
    uint32_t shard, number;
    bool good;

    if (block_at(scan, at, &head))
        return true;
    return table_at(scan, at, &strings, &shard, &number, &good) && good;
}

/* Where a foreign chunk ends that is plausible; 0 when it is none. */
static uint64_t foreign_end(const struct scan *scan, uint64_t at)
{
    const uint8_t *head = scan->bytes + at;
    uint64_t left = scan->size - at, length, end;

    if (left >= IRPF_HEAD && memcmp(head, "IRPF", 4) == 0) {
        length = load_u64(head + 16);
        if (length < IRPF_HEAD || length > left)
            return 0;
        if (is_seam(scan, at + length))
            return at + length;
        end = capture_padded(at + length);
        return is_seam(scan, end) ? end : 0;
    }
    if (left < CAPTURE_CHUNK_HEAD ||
        (memcmp(head, "IIDB", 4) != 0 && memcmp(head, "0IDB", 4) != 0))
        return 0;
    end = chunk_end(scan, at, load_u64(head + 8));
    return end && is_seam(scan, end) ? end : 0;
}

/* The next place from `at` on where something stands that can be read; or the end. */
static uint64_t resync(const struct scan *scan, uint64_t at)
{
    for (; at < scan->size; at++) {
        const uint8_t *next = memchr(scan->bytes + at, 'I', scan->size - (size_t)at);

        if (!next)
            return scan->size;
        at = (uint64_t)(next - scan->bytes);
        if (is_ours(scan, at) || foreign_end(scan, at))
            return at;
        /* "0IDB" starts a byte earlier than its first I */
        if (at && scan->bytes[at - 1] == '0' && foreign_end(scan, at - 1))
            return at - 1;
    }
    return scan->size;
}

static void doubt_last(struct scan *scan)
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
                     "its string table %" PRIu32 " is not good, or not before it",
                     head->table);
    }
    return entry;
}

/* The capture ends inside this block: what is whole is shown, and marked. */
static uint64_t
take_torn(struct scan *scan, const struct capture_block_head *head, uint64_t at)
{
    const uint8_t *payload = scan->bytes + at + CAPTURE_BLOCK_HEAD;
    uint64_t left = scan->size - at - CAPTURE_BLOCK_HEAD;
    size_t taken;
    uint32_t records = scan_whole_records(head, payload, left, &taken);

    scan_problem(scan, CAPTURE_TORN, at, 0, head, head->records - records,
                 "the capture ends inside it: %" PRIu32 " of %" PRIu32
                 " records are here, not verified",
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
    /* Honest damage costs each byte once. Heads that all claim the same bytes would
     * cost their square: they are not believed for ever. */
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
    if (end && (end == scan->size || is_ours(scan, end)))
        next = end;
    else
        next = resync(scan, at + CAPTURE_BLOCK_HEAD);
    if (!end && next == scan->size)
        return take_torn(scan, head, at);
    doubt_last(scan);
    scan_problem(scan, CAPTURE_BAD_BLOCK, at, next - at, head, head->records,
                 end ? "its CRC or its count of records is wrong"
                     : "bytes of it are missing");
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
    if (!is_ours(scan, end) && end != scan->size)
        end = resync(scan, at + 1);
    scan_problem(scan, CAPTURE_BAD_TABLE, at, end - at, NULL, 0,
                 "the CRC of a string table is wrong: blocks have no texts");
    return end;
}

/* What stands at `at`; returns where to go on. */
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
        /* a block of ours with a flipped bit may look like a chunk of another */
        if (memcmp(scan->bytes + at, "IIDB", 4) == 0)
            doubt_last(scan);
        scan->counts.foreign_bytes += end - at;
        return end;
    }
    end = resync(scan, at + 1);
    doubt_last(scan);
    scan->counts.skipped_bytes += end - at;
    scan_problem(scan, CAPTURE_BAD_BYTES, at, end - at, NULL, 0,
                 "%" PRIu64 " bytes that are no part of a capture", end - at);
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
                     "blocks that claim each other's bytes: given up here");
}

void scan_clear(struct scan *scan)
{
    free(scan->entries);
    free(scan->problems);
}
