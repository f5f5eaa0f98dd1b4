#include "parsers/code/code_hot_spots.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/code/code_blocks.h"
#include "parsers/code/code_map.h"
#include "parsers/metrics/memory_detail.h"
#include "parsers/records/live_registers.h"

static const size_t PLACES_MAX = (size_t)1 << 21;

struct hot_spot_builder {
    struct code_hot_spots *spots;
    struct code_map *map;
    const struct hot_sources *sources;
    uint64_t pc_start;
    size_t room;
};

static uint64_t saturating_sum(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

static void add_work(struct hot_work *to, const struct hot_work *more)
{
    to->executed = saturating_sum(to->executed, more->executed);
    to->gm_bytes = saturating_sum(to->gm_bytes, more->gm_bytes);
    to->hits = saturating_sum(to->hits, more->hits);
    to->misses = saturating_sum(to->misses, more->misses);
    if (more->registers > to->registers)
        to->registers = more->registers;
    for (size_t i = 0; i < STALLS; i++)
        to->stalls[i] = saturating_sum(to->stalls[i], more->stalls[i]);
}

/* Adds a place. Returns NULL beyond PLACES_MAX. */
static struct hot_place *
add_place(struct hot_spot_builder *builder, uint64_t address, uint64_t end)
{
    struct code_hot_spots *spots = builder->spots;
    const struct code_blocks *blocks = builder->sources->blocks;
    const struct code_block *block = blocks ? code_blocks_find(blocks, address) : NULL;
    struct code_frame frame = {0};
    struct hot_place *place;

    if (spots->place_count == PLACES_MAX)
        return NULL;
    if (spots->place_count == builder->room) {
        builder->room = builder->room ? builder->room * 2 : 256;
        spots->places = xreallocarray(spots->places, builder->room, sizeof(*place));
    }
    code_map_find_user(builder->map, address, &frame);
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

static void add_range_place(void *arg, uint64_t address, uint64_t end)
{
    add_place(arg, address, end);
}

/* Adds the line ranges of all executed blocks. A block boundary splits a range, since
 * the counts differ. */
static void add_executed_places(struct hot_spot_builder *builder)
{
    const struct code_blocks *blocks = builder->sources->blocks;

    for (size_t i = 0; blocks && i < blocks->count; i++) {
        const struct code_block *block = &blocks->rows[i];

        if (block->count > 0)
            code_map_each_range(builder->map, block->start, block->end, add_range_place,
                                builder);
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

/* Returns the place at an address among the first `count`, which are sorted, or adds
 * one. Returns NULL beyond PLACES_MAX. */
static struct hot_place *
place_at(struct hot_spot_builder *builder, size_t count, uint64_t address)
{
    struct hot_place wanted = {.address = address}, *found = NULL;

    if (count)
        found =
            bsearch(&wanted, builder->spots->places, count, sizeof(wanted), by_address);
    return found ? found : add_place(builder, address, address + 1);
}

static void add_transfers(struct hot_spot_builder *builder)
{
    const struct memory_detail *memory = builder->sources->memory;
    size_t known = builder->spots->place_count;

    for (size_t i = 0; memory && i < memory->pc_count; i++) {
        const struct detail_pc *pc = &memory->pcs[i];
        struct hot_place *place = place_at(builder, known, pc->pc - builder->pc_start);

        if (!place)
            return;
        place->is_transfer = true;
        place->from = pc->from;
        place->to = pc->to;
        place->work.gm_bytes = pc->gm_bytes;
        place->work.hits = pc->hits;
        place->work.misses = pc->misses;
    }
    sort_places(builder->spots);
}

/* Adds the live registers: one line per instruction, all functions in sequence. */
static void add_registers(struct hot_spot_builder *builder)
{
    const struct live_registers *registers = builder->sources->registers;
    size_t known = builder->spots->place_count;

    for (size_t i = 0; registers && i < registers->line_count; i++) {
        struct hot_place *place = place_at(builder, known, registers->lines[i].address);

        if (!place)
            return;
        place->has_registers = true;
        place->register_line = i;
        place->work.registers = registers->lines[i].count;
    }
    sort_places(builder->spots);
}

/* Adds the samples. An address without symbol is outside the kernel's code. */
static void add_samples(struct hot_spot_builder *builder)
{
    const struct pc_samples *samples = builder->sources->samples;
    size_t known = builder->spots->place_count;
    struct code_hot_spots *spots = builder->spots;

    for (size_t i = 0; samples && i < samples->count; i++) {
        const struct pc_sample *row = &samples->rows[i];
        struct code_frame frame;
        struct hot_place *place;

        if (!code_map_find_user(builder->map, row->pc, &frame)) {
            spots->unknown_samples++;
            continue;
        }
        place = place_at(builder, known, row->pc);
        if (!place)
            return;
        for (size_t k = 0; k < STALLS; k++) {
            place->work.stalls[k] = row->counts[k];
            spots->stall_totals[k] =
                saturating_sum(spots->stall_totals[k], row->counts[k]);
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

static void add_line_range(struct hot_line *line, uint64_t from, uint64_t to)
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

static void sum_lines(struct hot_spot_builder *builder)
{
    struct code_hot_spots *spots = builder->spots;
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
        add_line_range(line, place->address, place->end);
        add_work(&line->work, &place->work);
    }
    free(all);
}

void code_hot_spots_find(struct code_hot_spots *spots,
                         struct code_map *map,
                         const struct hot_sources *sources,
                         uint64_t pc_start)
{
    struct hot_spot_builder builder = {
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
    add_executed_places(&builder);
    add_transfers(&builder);
    add_registers(&builder);
    add_samples(&builder);
    sum_lines(&builder);
}

void code_hot_spots_clear(struct code_hot_spots *spots)
{
    for (size_t i = 0; i < spots->line_count; i++)
        free(spots->lines[i].ranges);
    free(spots->lines);
    free(spots->places);
    memset(spots, 0, sizeof(*spots));
}
