#include "parsers/simulator/sim_sums.h"

#include <stdlib.h>

#include "lib/base/mem.h"

static int by_interval(const void *left, const void *right)
{
    const struct sim_interval *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

uint64_t sim_sums_union(struct sim_interval *intervals, size_t count)
{
    uint64_t busy = 0, until = 0;

    if (count > 0)
        qsort(intervals, count, sizeof(*intervals), by_interval);
    for (size_t i = 0; i < count; i++) {
        uint64_t from = intervals[i].start > until ? intervals[i].start : until;

        if (intervals[i].end > from) {
            busy += intervals[i].end - from;
            until = intervals[i].end;
        }
    }
    return busy;
}

static int by_pc(const void *left, const void *right)
{
    const struct sim_instruction *const *a = left, *const *b = right;

    if ((*a)->pc != (*b)->pc)
        return (*a)->pc < (*b)->pc ? -1 : 1;
    return *a < *b ? -1 : *a > *b;
}

static void add_transfer(struct sim_sum *sum, const struct sim_instruction *row)
{
    uint64_t bytes;

    if (!simlog_moved_bytes(row, &bytes))
        return;
    sum->moves = true;
    sum->moved = bytes > UINT64_MAX - sum->moved ? UINT64_MAX : sum->moved + bytes;
}

struct sim_sum *sim_sums_create(const struct simulation_core *core, size_t *count)
{
    const struct sim_core *log = &core->log;
    const struct sim_instruction **rows = xcalloc(log->count + 1, sizeof(*rows));
    struct sim_interval *spans = xcalloc(log->count + 1, sizeof(*spans));
    struct sim_sum *sums = xcalloc(log->count + 1, sizeof(*sums));

    *count = 0;
    for (size_t i = 0; i < log->count; i++)
        rows[i] = &log->rows[i];
    if (log->count > 0)
        qsort(rows, log->count, sizeof(*rows), by_pc);
    for (size_t i = 0; i < log->count;) {
        struct sim_sum *sum = &sums[(*count)++];

        *sum = (struct sim_sum){.pc = rows[i]->pc, .first = rows[i]};
        for (; i < log->count && rows[i]->pc == sum->pc; i++) {
            spans[sum->count++] = (struct sim_interval){rows[i]->start, rows[i]->end};
            sum->cycles += rows[i]->end - rows[i]->start;
            add_transfer(sum, rows[i]);
            if (rows[i]->has_overhead) {
                sum->cache_cycles += rows[i]->issued - rows[i]->fetched;
                sum->unit_cycles += rows[i]->start - rows[i]->issued;
            }
            if (rows[i]->registers > sum->registers)
                sum->registers = rows[i]->registers;
        }
        sum->busy = sim_sums_union(spans, sum->count);
    }
    free(rows);
    free(spans);
    return sums;
}
