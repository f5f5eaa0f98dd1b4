#include "parsers/iree/key_table.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

enum { ROOM_LEAST = 64 };

static uint64_t hash(uint64_t first, uint64_t second)
{
    uint64_t value = (first ^ second << 32 ^ second >> 32) * 0x9e3779b97f4a7c15u;

    value ^= second * 0xc2b2ae3d27d4eb4fu;
    return value ^ value >> 29;
}

/* Returns the slot of this key, or the free slot where it belongs. */
static uint32_t *
find_slot(const struct key_table *table, uint64_t first, uint64_t second)
{
    size_t at = (size_t)hash(first, second) & (table->slot_count - 1);

    while (table->slots[at]) {
        const uint64_t *key = table->keys[table->slots[at] - 1];

        if (key[0] == first && key[1] == second)
            break;
        at = (at + 1) & (table->slot_count - 1);
    }
    return &table->slots[at];
}

static void grow(struct key_table *table)
{
    table->room = table->room ? 2 * table->room : ROOM_LEAST;
    table->rows = xreallocarray(table->rows, table->room, table->row_bytes);
    table->keys = xreallocarray(table->keys, table->room, sizeof(*table->keys));
    free(table->slots);
    table->slot_count = 2 * table->room;
    table->slots = xcalloc(table->slot_count, sizeof(*table->slots));
    for (size_t i = 0; i < table->count; i++)
        *find_slot(table, table->keys[i][0], table->keys[i][1]) = (uint32_t)i + 1;
}

void *key_table_at(const struct key_table *table, size_t index)
{
    return (char *)table->rows + index * table->row_bytes;
}

void *key_table_get(const struct key_table *table, uint64_t first, uint64_t second)
{
    uint32_t number = table->count ? *find_slot(table, first, second) : 0;

    return number ? key_table_at(table, number - 1) : NULL;
}

void *key_table_put(struct key_table *table, uint64_t first, uint64_t second)
{
    void *row = key_table_get(table, first, second);

    if (row || table->count == table->most)
        return row;
    if (table->count == table->room)
        grow(table);
    table->keys[table->count][0] = first;
    table->keys[table->count][1] = second;
    *find_slot(table, first, second) = (uint32_t)table->count + 1;
    row = key_table_at(table, table->count++);
    memset(row, 0, table->row_bytes);
    return row;
}

void key_table_clear(struct key_table *table)
{
    free(table->rows);
    free(table->keys);
    free(table->slots);
    table->rows = table->keys = NULL;
    table->slots = NULL;
    table->count = table->room = table->slot_count = 0;
}
