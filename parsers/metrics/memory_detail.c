#include "parsers/metrics/memory_detail.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/metrics/l2_model.h"

enum { SLOTS_FIRST = 1024, PCS_MAX = 1 << 20, BLOCKS_MAX = 65536, SET_PCS_MAX = 1024 };
static const uint64_t LINES_MAX = (uint64_t)1 << 28;

struct memory_detail_builder {
    struct memory_detail detail;
    struct transfer_reader *reader;
    struct l2_model *model;
    uint64_t lines_left;
    uint32_t *slots; /* index in pcs + 1, by hash of the pc */
    size_t slot_count, pc_room;
    /* For each set, words of misses and words of hits; bit n: number n in pcs. Most
     * operators have few pcs that move data, so that the array starts with one word. */
    uint64_t *bits;
    size_t words;
};

static size_t slot_of(uint64_t pc, size_t slot_count)
{
    return (size_t)((pc * 0x9E3779B97F4A7C15u) >> 32) & (slot_count - 1);
}

static void grow_slots(struct memory_detail_builder *builder)
{
    size_t count = builder->slot_count ? builder->slot_count * 2 : SLOTS_FIRST;

    free(builder->slots);
    builder->slots = xcalloc(count, sizeof(builder->slots[0]));
    builder->slot_count = count;
    for (size_t i = 0; i < builder->detail.pc_count; i++) {
        size_t at = slot_of(builder->detail.pcs[i].pc, count);

        while (builder->slots[at])
            at = (at + 1) & (count - 1);
        builder->slots[at] = (uint32_t)i + 1;
    }
}

/* Returns the row of a pc, added if it is new, or NULL beyond PCS_MAX. */
static struct detail_pc *find_or_add_pc(struct memory_detail_builder *builder,
                                        uint64_t pc)
{
    struct memory_detail *detail = &builder->detail;
    size_t at;

    if (detail->pc_count * 2 >= builder->slot_count)
        grow_slots(builder);
    at = slot_of(pc, builder->slot_count);
    while (builder->slots[at]) {
        struct detail_pc *row = &detail->pcs[builder->slots[at] - 1];

        if (row->pc == pc)
            return row;
        at = (at + 1) & (builder->slot_count - 1);
    }
    if (detail->pc_count == PCS_MAX)
        return NULL;
    if (detail->pc_count == builder->pc_room) {
        builder->pc_room = builder->pc_room ? builder->pc_room * 2 : 64;
        detail->pcs =
            xreallocarray(detail->pcs, builder->pc_room, sizeof(detail->pcs[0]));
    }
    builder->slots[at] = (uint32_t)detail->pc_count + 1;
    detail->pcs[detail->pc_count] = (struct detail_pc){.pc = pc};
    return &detail->pcs[detail->pc_count++];
}

static void set_bit(uint64_t *bits, size_t at)
{
    bits[at / 64] |= 1ull << (at % 64);
}

static void grow_bits(struct memory_detail_builder *builder)
{
    size_t count = 2 * builder->detail.set_count;
    size_t words = builder->words ? 2 * builder->words : 1;
    uint64_t *bits = xcalloc(count, words * sizeof(*bits));

    for (size_t i = 0; builder->words && i < count; i++)
        memcpy(bits + i * words, builder->bits + i * builder->words,
               builder->words * sizeof(*bits));
    free(builder->bits);
    builder->bits = bits;
    builder->words = words;
}

static void access_l2(struct memory_detail_builder *builder,
                      struct detail_pc *row,
                      uint64_t address,
                      uint64_t bytes,
                      bool is_store)
{
    uint64_t first = address / L2_LINE_BYTES, count;
    size_t place = (size_t)(row - builder->detail.pcs);

    if (!builder->model || bytes == 0 || bytes - 1 > UINT64_MAX - address)
        return;
    count = (address + bytes - 1) / L2_LINE_BYTES - first + 1;
    if (count > builder->lines_left) {
        builder->detail.model_stopped = true;
        return;
    }
    builder->lines_left -= count;
    while (place < SET_PCS_MAX && place / 64 >= builder->words)
        grow_bits(builder);
    for (uint64_t i = 0; i < count; i++) {
        struct l2_access access =
            l2_model_access(builder->model, (first + i) * L2_LINE_BYTES, is_store);
        struct detail_set *set = &builder->detail.sets[access.set];
        bool hit = access.is_hit;

        *(hit ? &row->hits : &row->misses) += 1;
        *(hit ? &set->hits : &set->misses) += 1;
        *(is_store ? &set->stores : &set->loads) += 1;
        set->written_back += access.writes_back;
        set->dropped += access.evicts && !access.writes_back;
        if (place < SET_PCS_MAX)
            set_bit(builder->bits + (2 * access.set + hit) * builder->words, place);
    }
}

static void add_saturating(uint64_t *sum, uint64_t more)
{
    *sum = more > UINT64_MAX - *sum ? UINT64_MAX : *sum + more;
}

static void add_path(struct detail_path *path, uint64_t bytes)
{
    add_saturating(&path->bytes, bytes);
    add_saturating(&path->requests_128, bytes / 128 + (bytes % 128 > 0));
    add_saturating(&path->requests_256, bytes / 256 + (bytes % 256 > 0));
}

static void add_to_block(struct memory_detail_builder *builder,
                         const struct transfer *t)
{
    struct memory_detail *detail = &builder->detail;
    struct detail_block *block;

    if (t->src_memory >= MEMORY_KINDS || t->dst_memory >= MEMORY_KINDS ||
        t->block >= BLOCKS_MAX)
        return;
    if (t->block >= detail->block_count) {
        detail->blocks =
            xreallocarray(detail->blocks, t->block + 1, sizeof(detail->blocks[0]));
        memset(&detail->blocks[detail->block_count], 0,
               (t->block + 1 - detail->block_count) * sizeof(detail->blocks[0]));
        detail->block_count = t->block + 1;
    }
    block = &detail->blocks[t->block];
    add_path(&block->paths[t->src_memory * MEMORY_KINDS + t->dst_memory], t->src_bytes);
    if (t->src_memory == MEMORY_L1 && t->dst_memory == MEMORY_UB)
        add_path(&block->l1_to_ub[t->sub_block & 1], t->src_bytes);
}

static void add_transfer(void *arg, const struct transfer *t)
{
    struct memory_detail_builder *builder = arg;
    struct detail_pc *row = find_or_add_pc(builder, t->pc);
    uint64_t gm = 0;

    builder->detail.transfers++;
    add_to_block(builder, t);
    if (!row)
        return;
    if (row->transfers++ == 0) {
        row->from = t->src_memory;
        row->to = t->dst_memory;
    }
    if (t->src_memory == MEMORY_GM) {
        gm = t->src_bytes;
        access_l2(builder, row, t->src, t->src_bytes, false);
    }
    if (t->dst_memory == MEMORY_GM) {
        add_saturating(&gm, t->dst_bytes);
        access_l2(builder, row, t->dst, t->dst_bytes, true);
    }
    add_saturating(&row->gm_bytes, gm);
}

struct memory_detail_builder *memory_detail_begin(const char *soc,
                                                  struct transfer_reader *reader)
{
    struct memory_detail_builder *builder = xcalloc(1, sizeof(*builder));

    builder->reader = reader;
    builder->lines_left = LINES_MAX;
    builder->model = l2_model_create(soc);
    if (builder->model) {
        builder->detail.set_count = l2_model_sets(builder->model);
        builder->detail.sets =
            xcalloc(builder->detail.set_count, sizeof(builder->detail.sets[0]));
    }
    transfer_reader_init(reader, add_transfer, builder);
    return builder;
}

static int by_pc(const void *left, const void *right)
{
    const struct detail_pc *a = left, *b = right;

    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

/* Writes bits in the sorted order of the pcs. Returns false when there are none. */
static bool renumber_bits(uint64_t *out,
                          const uint64_t *bits,
                          size_t words,
                          const uint64_t *indexes)
{
    bool found = false;

    for (size_t word = 0; word < words; word++)
        for (uint64_t left = bits[word]; left; left &= left - 1) {
            size_t at = indexes[64 * word + (size_t)__builtin_ctzll(left)];

            if (at >= SET_PCS_MAX)
                continue;
            set_bit(out, at);
            found = true;
        }
    return found;
}

/* Gives the sets their bits, in the sorted order of the pcs. */
static void finish_sets(struct memory_detail_builder *builder, const uint64_t *indexes)
{
    struct memory_detail *detail = &builder->detail;
    size_t tracked = detail->pc_count < SET_PCS_MAX ? detail->pc_count : SET_PCS_MAX;

    if (!builder->words)
        return;
    detail->set_words = (tracked + 63) / 64;
    detail->set_bits =
        xcalloc(2 * detail->set_count, detail->set_words * sizeof(detail->set_bits[0]));
    for (size_t i = 0; i < 2 * detail->set_count; i++) {
        uint64_t *out = detail->set_bits + i * detail->set_words;
        struct detail_set *set = &detail->sets[i / 2];

        if (renumber_bits(out, builder->bits + i * builder->words, builder->words,
                          indexes))
            *(i % 2 ? &set->hit_pcs : &set->miss_pcs) = out;
    }
}

void memory_detail_finish(struct memory_detail_builder **owner,
                          struct memory_detail *out)
{
    struct memory_detail_builder *builder = *owner;
    struct memory_detail *detail = &builder->detail;
    size_t tracked = detail->pc_count < SET_PCS_MAX ? detail->pc_count : SET_PCS_MAX;
    uint64_t *original = xcalloc(tracked, sizeof(*original));
    uint64_t *indexes = xcalloc(tracked, sizeof(*indexes));

    for (size_t i = 0; i < tracked; i++)
        original[i] = detail->pcs[i].pc;
    if (detail->pc_count > 0)
        qsort(detail->pcs, detail->pc_count, sizeof(detail->pcs[0]), by_pc);
    for (size_t i = 0; i < tracked; i++)
        indexes[i] = (uint64_t)(memory_detail_at(detail, original[i]) - detail->pcs);
    finish_sets(builder, indexes);
    detail->untracked_pcs = detail->sets ? detail->pc_count : 0;
    for (size_t i = 0; detail->sets && i < tracked; i++)
        detail->untracked_pcs -= indexes[i] < SET_PCS_MAX;
    detail->records = builder->reader->records;
    detail->lost = builder->reader->lost;
    detail->too_large = builder->reader->too_large;
    detail->contradictory = builder->reader->contradictory;
    detail->unread_bytes = builder->reader->unread_bytes;
    *out = *detail;
    free(original);
    free(indexes);
    free(builder->slots);
    free(builder->bits);
    l2_model_destroy(builder->model);
    free(builder);
    *owner = NULL;
}

void memory_detail_clear(struct memory_detail *detail)
{
    free(detail->set_bits);
    free(detail->sets);
    free(detail->pcs);
    free(detail->blocks);
    memset(detail, 0, sizeof(*detail));
}

const struct detail_pc *memory_detail_at(const struct memory_detail *detail,
                                         uint64_t pc)
{
    struct detail_pc wanted = {.pc = pc};

    return detail->pc_count ? bsearch(&wanted, detail->pcs, detail->pc_count,
                                      sizeof(detail->pcs[0]), by_pc)
                            : NULL;
}

struct detail_path memory_detail_path(const struct memory_detail *detail,
                                      uint32_t block,
                                      enum transfer_memory from,
                                      enum transfer_memory to)
{
    return block < detail->block_count
               ? detail->blocks[block].paths[from * MEMORY_KINDS + to]
               : (struct detail_path){0};
}

struct detail_path memory_detail_l1_to_ub(const struct memory_detail *detail,
                                          uint32_t block,
                                          unsigned vector)
{
    return block < detail->block_count ? detail->blocks[block].l1_to_ub[vector & 1]
                                       : (struct detail_path){0};
}
