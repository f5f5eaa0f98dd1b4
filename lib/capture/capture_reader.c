#include "lib/capture/capture_reader.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/capture/capture_reader_internal.h"

struct capture_reader {
    struct scan scan;
    size_t next;
    size_t *order; /* of the entries, after a sort; NULL: file order */
    void *mapped;
};

/* Orders by run, shard and number, then by position in the file. */
static int compare(const void *left, const void *right, void *arg)
{
    const struct scan *scan = arg;
    size_t i = *(const size_t *)left, j = *(const size_t *)right;
    const struct capture_block_head *a = &scan->entries[i].block.head;
    const struct capture_block_head *b = &scan->entries[j].block.head;

    if (a->run_id != b->run_id)
        return a->run_id < b->run_id ? -1 : 1;
    if (a->shard != b->shard)
        return a->shard < b->shard ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return i < j ? -1 : i > j;
}

static bool same_shard(const struct capture_block_head *a,
                       const struct capture_block_head *b)
{
    return a->run_id == b->run_id && a->shard == b->shard;
}

static bool same_content(const struct capture_block *a, const struct capture_block *b)
{
    return a->head.payload_crc == b->head.payload_crc &&
           a->head.payload_bytes == b->head.payload_bytes &&
           a->head.records == b->head.records &&
           a->head.record_size == b->head.record_size &&
           (!a->has_texts || !b->has_texts || strcmp(a->type, b->type) == 0);
}

/* Selects the block to return from blocks with the same number: a verified one before a
 * torn one, one with texts before one without. Hides all when verified ones differ. */
static void select_copy(struct scan *scan, const size_t *same, size_t count)
{
    struct scan_entry *best = &scan->entries[same[0]];
    bool contradicted = false;

    for (size_t i = 1; i < count; i++) {
        struct scan_entry *entry = &scan->entries[same[i]];

        if (entry->block.verified && best->block.verified &&
            !same_content(&entry->block, &best->block))
            contradicted = true;
        if (entry->block.verified > best->block.verified ||
            (entry->block.verified == best->block.verified &&
             entry->block.has_texts > best->block.has_texts))
            best = entry;
    }
    for (size_t i = 0; i < count; i++)
        if (contradicted || &scan->entries[same[i]] != best)
            scan->entries[same[i]].hidden = true;
    if (contradicted)
        scan_problem(scan, CAPTURE_CONTRADICTION, best->block.offset, 0,
                     &best->block.head, (uint32_t)count,
                     "%zu blocks have this number and differ; none of them is used",
                     count);
    else
        scan->counts.duplicates += count - 1;
}

static void report_gap(struct scan *scan,
                       const struct capture_block *next,
                       uint32_t first,
                       uint32_t count)
{
    struct capture_block_head head = next->head;

    head.number = first;
    scan_problem(scan, CAPTURE_GAP, next->offset, 0, &head, count,
                 "%" PRIu32 " block%s missing", count, count == 1 ? " is" : "s are");
}

/* Finds copies, contradictions and gaps. Call it after the whole capture is scanned. */
static void resolve_blocks(struct scan *scan)
{
    size_t *order = xmalloc((scan->count + 1) * sizeof(*order));
    const struct capture_block_head *before = NULL;

    for (size_t i = 0; i < scan->count; i++)
        order[i] = i;
    qsort_r(order, scan->count, sizeof(*order), compare, scan);
    for (size_t i = 0, end; i < scan->count; i = end) {
        const struct capture_block *block = &scan->entries[order[i]].block;
        const struct capture_block_head *head = &block->head;
        uint32_t expected = before && same_shard(before, head) ? before->number + 1 : 0;

        for (end = i + 1; end < scan->count; end++) {
            const struct capture_block_head *other =
                &scan->entries[order[end]].block.head;

            if (!same_shard(other, head) || other->number != head->number)
                break;
        }
        if (head->number != expected)
            report_gap(scan, block, expected, head->number - expected);
        select_copy(scan, order + i, end - i);
        before = head;
    }
    free(order);
}

static void count_visible(struct scan *scan)
{
    for (size_t i = 0; i < scan->count; i++) {
        const struct scan_entry *entry = &scan->entries[i];

        if (entry->hidden)
            continue;
        scan->counts.blocks++;
        scan->counts.records += entry->block.records;
        scan->counts.dropped += entry->block.head.dropped;
    }
}

struct capture_reader *capture_reader_create(const void *bytes, size_t size)
{
    struct capture_reader *reader = xcalloc(1, sizeof(*reader));

    scan_run(&reader->scan, bytes, size);
    resolve_blocks(&reader->scan);
    count_visible(&reader->scan);
    return reader;
}

int capture_reader_open(struct capture_reader **out, const char *path, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat stat;
    void *mapped = NULL;

    if (fd < 0)
        return err_errno(err, "opening %s", path);
    if (fstat(fd, &stat) < 0) {
        err_errno(err, "%s", path);
        goto fail;
    }
    if (!S_ISREG(stat.st_mode)) {
        err_set(err, ERR_INPUT, "%s is not a regular file", path);
        goto fail;
    }
    if (stat.st_size) {
        mapped = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (mapped == MAP_FAILED) {
            err_errno(err, "mapping %s", path);
            goto fail;
        }
    }
    close(fd);
    *out = capture_reader_create(mapped ? mapped : "", (size_t)stat.st_size);
    (*out)->mapped = mapped;
    return 0;

fail:
    close(fd);
    return -1;
}

void capture_reader_destroy(struct capture_reader *reader)
{
    if (!reader)
        return;
    if (reader->mapped)
        munmap(reader->mapped, reader->scan.size);
    scan_clear(&reader->scan);
    free(reader->order);
    free(reader);
}

bool capture_reader_next(struct capture_reader *reader, struct capture_block *block)
{
    while (reader->next < reader->scan.count) {
        size_t i = reader->next++;
        const struct scan_entry *entry =
            &reader->scan.entries[reader->order ? reader->order[i] : i];

        if (entry->hidden)
            continue;
        *block = entry->block;
        return true;
    }
    return false;
}

void capture_reader_rewind(struct capture_reader *reader)
{
    reader->next = 0;
}

void capture_reader_sort(struct capture_reader *reader)
{
    reader->next = 0;
    if (reader->order)
        return;
    reader->order = xmalloc((reader->scan.count + 1) * sizeof(*reader->order));
    for (size_t i = 0; i < reader->scan.count; i++)
        reader->order[i] = i;
    qsort_r(reader->order, reader->scan.count, sizeof(*reader->order), compare,
            &reader->scan);
}

/* Returns the number of adjacent, valid entries of the same group from `first` on. */
static size_t group_length(const struct scan *scan, size_t first)
{
    const struct scan_entry *entry = &scan->entries[first];
    const uint8_t *table = scan->bytes + entry->table_offset;
    uint64_t at =
        entry->table_offset + capture_padded(CAPTURE_CHUNK_HEAD + load_u64(table + 8));
    size_t i = first;

    for (; i < scan->count; i++) {
        const struct scan_entry *next = &scan->entries[i];

        if (next->table_offset != entry->table_offset || next->block.offset != at ||
            !next->block.verified || !next->block.has_texts || next->hidden ||
            next->block.head.run_id != entry->block.head.run_id)
            break;
        at = next->end;
    }
    return i - first;
}

bool capture_reader_next_group(const struct capture_reader *reader,
                               size_t *cursor,
                               struct capture_group *group)
{
    const struct scan *scan = &reader->scan;

    while (*cursor < scan->count) {
        const struct scan_entry *first = &scan->entries[*cursor];
        size_t all = 1, length;

        if (first->table_offset == UINT64_MAX) {
            ++*cursor;
            continue;
        }
        while (*cursor + all < scan->count &&
               scan->entries[*cursor + all].table_offset == first->table_offset)
            all++;
        length = group_length(scan, *cursor);
        *cursor += all;
        if (length != all || first[length - 1].is_doubtful)
            continue;
        *group = (struct capture_group){
            .run_id = first->block.head.run_id,
            .shard = first->block.head.shard,
            .number = first->block.head.table,
            .offset = first->table_offset,
            .bytes = scan->bytes + first->table_offset,
            .size = (size_t)(first[length - 1].end - first->table_offset),
            .blocks = (uint32_t)length,
        };
        if (group->size <= CAPTURE_GROUP_MAX)
            return true;
    }
    return false;
}

const struct capture_counts *capture_reader_counts(const struct capture_reader *reader)
{
    return &reader->scan.counts;
}

const struct capture_problem *
capture_reader_problem(const struct capture_reader *reader, size_t index)
{
    return index < reader->scan.problem_count ? &reader->scan.problems[index] : NULL;
}

const char *capture_problem_name(enum capture_problem_kind kind)
{
    static const char *const names[] = {
        [CAPTURE_BAD_BYTES] = "bad bytes",         [CAPTURE_BAD_TABLE] = "bad table",
        [CAPTURE_BAD_BLOCK] = "bad block",         [CAPTURE_TORN] = "torn",
        [CAPTURE_CONTRADICTION] = "contradiction", [CAPTURE_GAP] = "gap",
        [CAPTURE_NO_TABLE] = "no table",
    };

    return (unsigned)kind < COUNT(names) ? names[kind] : "?";
}

bool capture_record_next(const struct capture_block *block,
                         size_t *at,
                         const uint8_t **record,
                         size_t *size)
{
    size_t left = block->payload_bytes - *at;

    *size = block->head.record_size;
    if (!*size && left >= 4)
        *size = load_u32(block->payload + *at);
    if (!*size || *size > left)
        return false;
    *record = block->payload + *at;
    *at += *size;
    return true;
}
