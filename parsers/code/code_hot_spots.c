#include "parsers/code/code_hot_spots.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/code/code_blocks.h"
#include "parsers/code/code_map.h"
#include "parsers/metrics/memory_detail.h"
#include "parsers/records/live_registers.h"

static const size_t places_max = (size_t)1 << 21;

struct making {
    struct code_hot_spots *spots;
    struct code_map *map;
    const struct hot_sources *sources;
    uint64_t pc_start;
    size_t room;
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
    if (more->registers > to->registers)
        to->registers = more->registers;
    for (size_t i = 0; i < STALLS; i++)
        to->stalls[i] = sum(to->stalls[i], more->stalls[i]);
}

/* NULL: there are too many. */
static struct hot_place *add_place(struct making *m, uint64_t address, uint64_t end)
{
    struct code_hot_spots *spots = m->spots;
    const struct code_blocks *blocks = m->sources->blocks;
    const struct code_block *block = blocks ? code_blocks_find(blocks, address) : NULL;
    struct code_frame frame = {0};
    struct hot_place *place;

    if (spots->place_count == places_max)
        return NULL;
    if (spots->place_count == m->room) {
        m->room = m->room ? m->room * 2 : 256;
        spots->places = xreallocarray(spots->places, m->room, sizeof(*place));
    }
    code_map_find_user(m->map, address, &frame);
    place = &spots->places[spots->place_count++];
    *place = (struct hot_place){
        .address = address,
        .end = end,
        .file = frame.file,
        .line = frame.line,
        .function = frame.function,
        .work.executed = block ? block->count : 0,
    };
    return place;
}

static void take_piece(void *arg, uint64_t address, uint64_t end)
{
    add_place(arg, address, end);
}

/* Pieces of code of the functions in which anything ran; a block that begins within a
 * piece cuts it, for its count is another one. */
static void find_pieces(struct making *m)
{
    const struct code_blocks *blocks = m->sources->blocks;

    for (size_t i = 0; blocks && i < blocks->count; i++) {
        const struct code_block *block = &blocks->rows[i];

        if (block->count > 0)
            code_map_each_range(m->map, block->start, block->end, take_piece, m);
    }
}

static int by_address(const void *left, const void *right)
{
    const struct hot_place *a = left, *b = right;

    return a->address < b->address ? -1 : a->address > b->address;
}

static void sort_places(struct code_hot_spots *spots)
{
    if (spots->place_count > 0)
        qsort(spots->places, spots->place_count, sizeof(spots->places[0]), by_address);
}

/* Of the first `count` places, which are in order, that at the address; else a new one.
 * NULL: there are too many. */
static struct hot_place *place_at(struct making *m, size_t count, uint64_t address)
{
    struct hot_place wanted = {.address = address}, *found = NULL;

    if (count)
        found = bsearch(&wanted, m->spots->places, count, sizeof(wanted), by_address);
    return found ? found : add_place(m, address, address + 1);
}

static void find_transfers(struct making *m)
{
    const struct memory_detail *memory = m->sources->memory;
    size_t known = m->spots->place_count;

    for (size_t i = 0; memory && i < memory->pc_count; i++) {
        const struct detail_pc *pc = &memory->pcs[i];
        struct hot_place *place = place_at(m, known, pc->pc - m->pc_start);

        if (!place)
            return;
        place->is_transfer = true;
        place->from = pc->from;
        place->to = pc->to;
        place->work.gm_bytes = pc->gm_bytes;
        place->work.hits = pc->hits;
        place->work.misses = pc->misses;
    }
    sort_places(m->spots);
}

/* One line an instruction, those of all functions one behind the other. */
static void find_registers(struct making *m)
{
    const struct live_registers *registers = m->sources->registers;
    size_t known = m->spots->place_count;

    for (size_t i = 0; registers && i < registers->line_count; i++) {
        struct hot_place *place = place_at(m, known, registers->lines[i].address);

        if (!place)
            return;
        place->has_registers = true;
        place->register_line = i;
        place->work.registers = registers->lines[i].count;
    }
    sort_places(m->spots);
}

/* Where nothing is known of an address it is no code of this kernel. */
static void find_samples(struct making *m)
{
    const struct pc_samples *samples = m->sources->samples;
    size_t known = m->spots->place_count;
    struct code_hot_spots *spots = m->spots;

    for (size_t i = 0; samples && i < samples->count; i++) {
        const struct pc_sample *row = &samples->rows[i];
        struct code_frame frame;
        struct hot_place *place;

        if (!code_map_find_user(m->map, row->pc, &frame)) {
            spots->unknown_samples++;
            continue;
        }
        place = place_at(m, known, row->pc);
        if (!place)
            return;
        for (size_t k = 0; k < STALLS; k++) {
            place->work.stalls[k] = row->counts[k];
            spots->stall_totals[k] = sum(spots->stall_totals[k], row->counts[k]);
        }
    }
    sort_places(spots);
}

static int by_line(const void *left, const void *right)
{
    const struct hot_place *const *a = left, *const *b = right;
    int files = strcmp((*a)->file, (*b)->file);

    if (files)
        return files;
    if ((*a)->line != (*b)->line)
        return (*a)->line < (*b)->line ? -1 : 1;
    return by_address(*a, *b);
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
    struct code_hot_spots *spots = m->spots;
    const struct hot_place **all = xcalloc(spots->place_count + 1, sizeof(*all));
    size_t count = 0;

    for (size_t i = 0; i < spots->place_count; i++)
        if (spots->places[i].file && spots->places[i].line > 0)
            all[count++] = &spots->places[i];
    if (count > 0)
        qsort(all, count, sizeof(*all), by_line);
    spots->lines = xcalloc(count + 1, sizeof(spots->lines[0]));
    for (size_t i = 0; i < count; i++) {
        const struct hot_place *place = all[i];
        struct hot_line *line =
            spots->line_count ? &spots->lines[spots->line_count - 1] : NULL;

        if (!line || line->line != place->line ||
            strcmp(line->file, place->file) != 0) {
            line = &spots->lines[spots->line_count++];
            line->file = place->file;
            line->line = place->line;
        }
        add_range(line, place->address, place->end);
        add_work(&line->work, &place->work);
    }
    free(all);
}

void code_hot_spots_find(struct code_hot_spots *spots,
                         struct code_map *map,
                         const struct hot_sources *sources,
                         uint64_t pc_start)
{
    struct making m = {
        .spots = spots,
        .map = map,
        .sources = sources,
        .pc_start = pc_start,
    };

    *spots = (struct code_hot_spots){
        .has_counts = sources->blocks != NULL,
        .has_memory = sources->memory != NULL,
        .has_cache = sources->memory && sources->memory->sets,
        .has_registers = sources->registers != NULL,
        .has_samples = sources->samples != NULL,
    };
    find_pieces(&m);
    find_transfers(&m);
    find_registers(&m);
    find_samples(&m);
    gather_lines(&m);
}

void code_hot_spots_clear(struct code_hot_spots *spots)
{
    for (size_t i = 0; i < spots->line_count; i++)
        free(spots->lines[i].ranges);
    free(spots->lines);
    free(spots->places);
    memset(spots, 0, sizeof(*spots));
}
