#include "parsers/source/hot_spots.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "parsers/metrics/memory_detail.h"
#include "parsers/source/code_blocks.h"
#include "parsers/source/code_map.h"

static const size_t places_max = (size_t)1 << 21;

struct making {
    struct hot_spots *spots;
    struct code_map *map;
    const struct code_blocks *blocks;
    const struct memory_detail *memory;
    uint64_t pc_start;
    size_t room;
    uint64_t *ends; /* of each place */
};

static uint64_t sum(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

static void add_work(struct hot_work *to, const struct hot_work *more)
{
    to->executed = sum(to->executed, more->executed);
    to->gm_bytes = sum(to->gm_bytes, more->gm_bytes);
    to->hits = sum(to->hits, more->hits);
    to->misses = sum(to->misses, more->misses);
}

static void add_place(struct making *m, uint64_t address, uint64_t end)
{
    struct hot_spots *spots = m->spots;
    const struct code_block *block =
        m->blocks ? code_blocks_find(m->blocks, address) : NULL;
    struct code_frame frame = {0};
    struct hot_place *place;

    if (spots->place_count == places_max)
        return;
    if (spots->place_count == m->room) {
        m->room = m->room ? m->room * 2 : 256;
        spots->places = xreallocarray(spots->places, m->room, sizeof(*place));
        m->ends = xreallocarray(m->ends, m->room, sizeof(m->ends[0]));
    }
    code_map_find_user(m->map, address, &frame);
    m->ends[spots->place_count] = end;
    place = &spots->places[spots->place_count++];
    *place = (struct hot_place){
        .address = address,
        .file = frame.file,
        .line = frame.line,
        .function = frame.function,
        .work.executed = block ? block->count : 0,
    };
}

static void take_piece(void *arg, uint64_t address, uint64_t end)
{
    add_place(arg, address, end);
}

/* Pieces of code of the functions in which anything ran; a block that begins within a
 * piece cuts it, for its count is another one. */
static void find_pieces(struct making *m)
{
    for (size_t i = 0; m->blocks && i < m->blocks->count; i++) {
        const struct code_block *block = &m->blocks->rows[i];

        if (block->count > 0)
            code_map_pieces(m->map, block->start, block->end, take_piece, m);
    }
}

static int by_address(const void *left, const void *right)
{
    const struct hot_place *a = left, *b = right;

    return a->address < b->address ? -1 : a->address > b->address;
}

static struct hot_place *
place_at(struct hot_spots *spots, size_t count, uint64_t address)
{
    struct hot_place wanted = {.address = address};

    return count ? bsearch(&wanted, spots->places, count, sizeof(wanted), by_address)
                 : NULL;
}

static void find_transfers(struct making *m)
{
    size_t pieces = m->spots->place_count;

    for (size_t i = 0; m->memory && i < m->memory->pc_count; i++) {
        const struct detail_pc *pc = &m->memory->pcs[i];
        uint64_t address = pc->pc - m->pc_start;
        struct hot_place *place = place_at(m->spots, pieces, address);

        if (!place) {
            add_place(m, address, address + 1);
            place = &m->spots->places[m->spots->place_count - 1];
        }
        place->is_transfer = true;
        place->from = pc->from;
        place->to = pc->to;
        place->work.gm_bytes = pc->gm_bytes;
        place->work.hits = pc->hits;
        place->work.misses = pc->misses;
    }
}

/* a place on its way to its line */
struct in_line {
    const struct hot_place *place;
    uint64_t end;
};

static int by_line(const void *left, const void *right)
{
    const struct in_line *a = left, *b = right;
    int files = strcmp(a->place->file, b->place->file);

    if (files)
        return files;
    if (a->place->line != b->place->line)
        return a->place->line < b->place->line ? -1 : 1;
    return by_address(a->place, b->place);
}

static void add_range(struct hot_line *line, uint64_t from, uint64_t to)
{
    struct hot_range *last =
        line->range_count ? &line->ranges[line->range_count - 1] : NULL;

    if (last && from <= last->to) {
        last->to = to > last->to ? to : last->to;
        return;
    }
    line->ranges = xreallocarray(line->ranges, line->range_count + 1, sizeof(*last));
    line->ranges[line->range_count++] = (struct hot_range){from, to};
}

static void gather_lines(struct making *m)
{
    struct hot_spots *spots = m->spots;
    struct in_line *all = xcalloc(spots->place_count + 1, sizeof(*all));
    size_t count = 0;

    for (size_t i = 0; i < spots->place_count; i++)
        if (spots->places[i].file && spots->places[i].line > 0)
            all[count++] = (struct in_line){&spots->places[i], m->ends[i]};
    if (count > 0)
        qsort(all, count, sizeof(*all), by_line);
    spots->lines = xcalloc(count + 1, sizeof(spots->lines[0]));
    for (size_t i = 0; i < count; i++) {
        const struct hot_place *place = all[i].place;
        struct hot_line *line =
            spots->line_count ? &spots->lines[spots->line_count - 1] : NULL;

        if (!line || line->line != place->line ||
            strcmp(line->file, place->file) != 0) {
            line = &spots->lines[spots->line_count++];
            line->file = place->file;
            line->line = place->line;
        }
        add_range(line, place->address, all[i].end);
        add_work(&line->work, &place->work);
    }
    free(all);
}

void hot_spots_make(struct hot_spots *spots,
                    struct code_map *map,
                    const struct code_blocks *blocks,
                    const struct memory_detail *memory,
                    uint64_t pc_start)
{
    struct making m = {
        .spots = spots,
        .map = map,
        .blocks = blocks,
        .memory = memory,
        .pc_start = pc_start,
    };

    *spots = (struct hot_spots){
        .has_counts = blocks != NULL,
        .has_memory = memory != NULL,
        .has_cache = memory && memory->sets,
    };
    find_pieces(&m);
    find_transfers(&m);
    gather_lines(&m);
    free(m.ends);
    /* last: the ends are by the places as they came */
    if (spots->place_count > 0)
        qsort(spots->places, spots->place_count, sizeof(spots->places[0]), by_address);
}

void hot_spots_clear(struct hot_spots *spots)
{
    for (size_t i = 0; i < spots->line_count; i++)
        free(spots->lines[i].ranges);
    free(spots->lines);
    free(spots->places);
    memset(spots, 0, sizeof(*spots));
}
