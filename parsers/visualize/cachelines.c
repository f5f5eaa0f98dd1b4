/* cachelines.c - block 0x0E: hits and misses of each set of the L2 cache, with the
 * addresses of the instructions */
#include <stdio.h>

#include "parsers/visualize/block_writers.h"

bool cachelines_has_sets(const struct findings *findings)
{
    return findings->detail.has_memory && findings->detail.memory.sets != NULL;
}

static void write_range(struct json_write *json, uint64_t from, uint64_t to)
{
    char text[32];

    json_write_array(json);
    snprintf(text, sizeof(text), "0x%08llx", (unsigned long long)from);
    json_write_text(json, text);
    snprintf(text, sizeof(text), "0x%08llx", (unsigned long long)to);
    json_write_text(json, text);
    json_write_array_end(json);
}

/* Writes the marked instructions; neighbours in the table form one range. */
static void write_pcs(struct json_write *json,
                      const struct memory_detail *memory,
                      const uint64_t *bits)
{
    size_t words = bits ? memory->set_words : 0, count = 64 * words;

    if (count > memory->pc_count)
        count = memory->pc_count;
    json_write_array(json);
    for (size_t i = 0; i < count; i++) {
        size_t from = i;

        if (!(bits[i / 64] >> (i % 64) & 1))
            continue;
        while (i + 1 < count && bits[(i + 1) / 64] >> ((i + 1) % 64) & 1)
            i++;
        write_range(json, memory->pcs[from].pc, memory->pcs[i].pc);
    }
    json_write_array_end(json);
}

static void write_side(struct json_write *json,
                       const char *name,
                       const struct memory_detail *memory,
                       uint64_t count,
                       uint64_t all,
                       const uint64_t *bits)
{
    json_write_key(json, name);
    json_write_object(json);
    json_write_key(json, "Value");
    json_write_array(json);
    json_write_u64(json, count);
    json_write_fixed(json, all ? (double)count / (double)all : 0.0, 6);
    json_write_array_end(json);
    json_write_key(json, "Address Range");
    write_pcs(json, memory, bits);
    json_write_object_end(json);
}

void cachelines_write(const struct findings *findings, struct json_write *json)
{
    const struct memory_detail *memory = &findings->detail.memory;

    json_write_object(json);
    json_write_key(json, "Cacheline Records");
    json_write_array(json);
    for (size_t i = 0; i < memory->set_count; i++) {
        const struct detail_set *set = &memory->sets[i];
        uint64_t all = set->hits + set->misses;

        json_write_object(json);
        json_write_key(json, "Cacheline Id");
        json_write_u64(json, i);
        write_side(json, "Hit", memory, set->hits, all, set->hit_pcs);
        write_side(json, "Miss", memory, set->misses, all, set->miss_pcs);
        json_write_object_end(json);
    }
    json_write_array_end(json);
    json_write_object_end(json);
}
