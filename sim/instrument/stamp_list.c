#include "sim/instrument/stamp_list.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_VECTOR    25 /* physical cores below this number are cubes */
#define LCCL_FIRST_CUBE 50

void stamp_list_clear(struct stamp_list *list)
{
    free(list->rows);
    memset(list, 0, sizeof(*list));
}

void stamp_list_add(struct stamp_list *list, const struct stamp *stamp)
{
    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 64;
        struct stamp *grown = NULL;

        if (room <= STAMPS_MAX)
            grown = realloc(list->rows, room * sizeof(*grown));
        if (!grown)
            return;
        list->rows = grown;
        list->room = room;
    }
    list->rows[list->count++] = *stamp;
}

void stamp_list_end_body(struct stamp_list *list,
                         uint64_t cycles,
                         uint64_t start,
                         uint64_t end)
{
    for (size_t i = list->body; i < list->count; i++) {
        struct stamp *stamp = &list->rows[i];
        double part = cycles ? (double)stamp->ticks / (double)cycles : 0;

        stamp->ticks = start + (uint64_t)(part * (double)(end - start));
    }
    list->body = list->count;
}

void stamp_list_delay(struct stamp_list *list, uint32_t descriptor, uint64_t ticks)
{
    bool later = false;

    for (size_t i = 0; i < list->count; i++) {
        struct stamp *stamp = &list->rows[i];

        if (i > 0 && stamp->block != list->rows[i - 1].block)
            later = false;
        later |= stamp->descriptor == descriptor;
        if (later)
            stamp->ticks += ticks;
    }
}

static void put(uint8_t *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

void stamp_put(uint8_t *out, const struct stamp *stamp)
{
    put(out, stamp->ticks, 8);
    put(out + 8, stamp->block, 4);
    put(out + 12, stamp->descriptor, 4);
    put(out + 16, stamp->pc, 8);
}

void stamp_put_lccl(uint8_t *out, const struct stamp *stamp)
{
    uint32_t block = stamp->block & 0xFFFF;

    if (stamp->block >> 16 < FIRST_VECTOR)
        block += LCCL_FIRST_CUBE;
    memset(out, 0, STAMP_LCCL_BYTES);
    put(out, stamp->descriptor, 4);
    put(out + 4, block, 4);
    put(out + 8, stamp->ticks, 8);
    put(out + 16, stamp->pc, 8);
}
