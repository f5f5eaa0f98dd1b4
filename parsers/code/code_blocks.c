#include "parsers/code/code_blocks.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"
#include "parsers/code/code_map.h"

#define CALLBACK "__sanitizer_cov_trace_pc"

static const size_t blocks_max = (size_t)1 << 22;

static int by_start(const void *left, const void *right)
{
    const struct code_block *a = left, *b = right;

    return a->start < b->start ? -1 : a->start > b->start;
}

static void add_block(struct code_blocks *blocks, size_t *room, struct code_block block)
{
    if (blocks->count == blocks_max)
        return;
    if (blocks->count == *room) {
        *room = *room ? *room * 2 : 256;
        blocks->rows = xreallocarray(blocks->rows, *room, sizeof(blocks->rows[0]));
    }
    blocks->rows[blocks->count++] = block;
}

static void sort_blocks(struct code_blocks *blocks)
{
    if (blocks->count > 0)
        qsort(blocks->rows, blocks->count, sizeof(blocks->rows[0]), by_start);
}

/* Gives the blocks their counts, in order. */
static void
join_counts(struct code_blocks *blocks, const uint8_t *counts, size_t counts_bytes)
{
    size_t given = counts_bytes / sizeof(uint32_t);

    for (size_t i = 0; i < blocks->count && i < given; i++)
        blocks->rows[i].count = load_u32(counts + i * sizeof(uint32_t));
    if (given > blocks->count)
        blocks->unmatched_counts = given - blocks->count;
}

/* Returns the target of a call instruction, or 0 for other instructions. */
static uint64_t
call_target(unsigned machine, const uint8_t *at, size_t left, uint64_t address)
{
    if (machine == EM_X86_64 && left >= 5 && at[0] == 0xE8)
        return address + 5 + (uint64_t)(int64_t)(int32_t)load_u32(at + 1);
    if (machine == EM_AARCH64 && left >= 4 && load_u32(at) >> 26 == 0x25)
        return address + (uint64_t)(int64_t)((int32_t)(load_u32(at) << 6) >> 4);
    return 0;
}

static const struct code_function *
find_function(const struct code_map *map, const char *name, size_t length)
{
    size_t count;
    const struct code_function *all = code_map_functions(map, &count);

    for (size_t i = 0; i < count; i++)
        if (strlen(all[i].name) == length && memcmp(all[i].name, name, length) == 0)
            return &all[i];
    return NULL;
}

static void add_blocks_at_calls(struct code_blocks *blocks,
                                size_t *room,
                                const Elf64_Ehdr *head,
                                const Elf64_Phdr *part,
                                const uint8_t *bytes,
                                uint64_t callback)
{
    size_t step = head->e_machine == EM_AARCH64 ? 4 : 1;

    for (uint64_t i = 0; i < part->p_filesz; i += step) {
        uint64_t address = part->p_vaddr + i;

        if (call_target(head->e_machine, bytes + part->p_offset + i, part->p_filesz - i,
                        address) == callback)
            add_block(blocks, room, (struct code_block){address, address, 0});
    }
}

/* Sets the end of each block: the next block in its function, or the function's end. */
static void find_ends(struct code_blocks *blocks, const struct code_map *map)
{
    size_t count, f = 0;
    const struct code_function *all = code_map_functions(map, &count);

    for (size_t i = 0; i < blocks->count; i++) {
        struct code_block *block = &blocks->rows[i];
        uint64_t end;

        while (f + 1 < count && all[f + 1].address <= block->start)
            f++;
        end = count && block->start - all[f].address < all[f].size
                  ? all[f].address + all[f].size
                  : block->start + 1;
        if (i + 1 < blocks->count && blocks->rows[i + 1].start < end)
            end = blocks->rows[i + 1].start;
        block->end = end;
    }
}

bool code_blocks_from_calls(struct code_blocks *blocks,
                            const struct code_map *map,
                            const void *elf,
                            size_t size,
                            const uint8_t *counts,
                            size_t counts_bytes)
{
    const struct code_function *callback =
        find_function(map, CALLBACK, strlen(CALLBACK));
    const uint8_t *bytes = elf;
    Elf64_Ehdr head;
    size_t room = 0;

    memset(blocks, 0, sizeof(*blocks));
    if (!callback || size < sizeof(head))
        return false;
    memcpy(&head, bytes, sizeof(head));
    if (head.e_phentsize != sizeof(Elf64_Phdr) || head.e_phoff > size ||
        head.e_phnum > (size - head.e_phoff) / sizeof(Elf64_Phdr))
        return false;
    for (unsigned i = 0; i < head.e_phnum; i++) {
        Elf64_Phdr part;

        memcpy(&part, bytes + head.e_phoff + i * sizeof(part), sizeof(part));
        if (part.p_type == PT_LOAD && (part.p_flags & PF_X) && part.p_offset <= size &&
            part.p_filesz <= size - part.p_offset)
            add_blocks_at_calls(blocks, &room, &head, &part, bytes, callback->address);
    }
    sort_blocks(blocks);
    find_ends(blocks, map);
    join_counts(blocks, counts, counts_bytes);
    return true;
}

static bool next_line(const char **at, const char *end, char *line, size_t room)
{
    const char *feed;
    size_t length;

    if (*at >= end)
        return false;
    feed = memchr(*at, '\n', (size_t)(end - *at));
    length = (size_t)((feed ? feed : end) - *at);
    snprintf(line, room, "%.*s", (int)(length < room ? length : room - 1), *at);
    *at += length + (feed ? 1 : 0);
    return true;
}

void code_blocks_from_map(struct code_blocks *blocks,
                          const char *text,
                          size_t size,
                          const uint8_t *counts,
                          size_t counts_bytes)
{
    const char *end = text + size;
    uint64_t start = 0, id, from, to;
    size_t room = 0;
    char line[1024];

    memset(blocks, 0, sizeof(*blocks));
    while (next_line(&text, end, line, sizeof(line))) {
        if (sscanf(line, "start addr: 0x%" SCNx64, &start) == 1 ||
            strncmp(line, "function:", 9) == 0)
            continue;
        if (sscanf(line, "BBB id:%" SCNu64 " Offset: 0x%" SCNx64 " end: 0x%" SCNx64,
                   &id, &from, &to) == 3 &&
            to >= from)
            add_block(blocks, &room,
                      (struct code_block){start + from, start + to + 1, 0});
        else
            blocks->unknown_lines += line[strspn(line, " \t\r")] != '\0';
    }
    join_counts(
        blocks, counts,
        counts_bytes); /* counts are in the order of the map, so sort afterwards */
    sort_blocks(blocks);
}

void code_blocks_from_fdata(struct code_blocks *blocks,
                            const struct code_map *map,
                            const char *text,
                            size_t size)
{
    const char *end = text + size;
    size_t room = 0;
    char line[1024], name[512];

    memset(blocks, 0, sizeof(*blocks));
    while (next_line(&text, end, line, sizeof(line))) {
        const struct code_function *function;
        uint64_t number, offset, count;

        if (sscanf(line, "%" SCNu64 " %511s %" SCNx64 " %" SCNu64, &number, name,
                   &offset, &count) != 4 ||
            !(function = find_function(map, name, strlen(name)))) {
            blocks->unknown_lines += line[strspn(line, " \t\r")] != '\0';
            continue;
        }
        add_block(blocks, &room,
                  (struct code_block){function->address + offset,
                                      function->address + offset, count});
    }
    sort_blocks(blocks);
    find_ends(blocks, map);
}

void code_blocks_clear(struct code_blocks *blocks)
{
    free(blocks->rows);
    memset(blocks, 0, sizeof(*blocks));
}

const struct code_block *code_blocks_find(const struct code_blocks *blocks,
                                          uint64_t address)
{
    size_t from = 0, to = blocks->count;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (blocks->rows[middle].start <= address)
            from = middle + 1;
        else
            to = middle;
    }
    return from > 0 && address < blocks->rows[from - 1].end ? &blocks->rows[from - 1]
                                                            : NULL;
}
