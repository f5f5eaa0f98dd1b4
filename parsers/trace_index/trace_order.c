/* trace_order.c - the order of processes, and of the lanes and counters of each
 *
 * The sort index decides, then the name. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/trace_index/trace_index_internal.h"

static int compare(const struct trace_index *index,
                   int64_t a_order,
                   int64_t b_order,
                   uint32_t a_name,
                   uint32_t b_name)
{
    if (a_order != b_order)
        return a_order < b_order ? -1 : 1;
    return strcmp(names_text(index->names, a_name), names_text(index->names, b_name));
}

static int order_of_lanes(const void *left, const void *right, void *arg)
{
    const struct trace_index *index = arg;
    const struct trace_lane *a = &index->lanes[*(const uint32_t *)left];
    const struct trace_lane *b = &index->lanes[*(const uint32_t *)right];

    return compare(index, a->order, b->order, a->name, b->name);
}

static int order_of_counters(const void *left, const void *right, void *arg)
{
    const struct trace_index *index = arg;
    uint32_t a = index->counters[*(const uint32_t *)left].name;
    uint32_t b = index->counters[*(const uint32_t *)right].name;

    return compare(index, 0, 0, a, b);
}

static int order_of_processes(const void *left, const void *right, void *arg)
{
    const struct trace_index *index = arg;
    const struct trace_process *a = &index->processes[*(const uint32_t *)left];
    const struct trace_process *b = &index->processes[*(const uint32_t *)right];

    return compare(index, a->order, b->order, a->name, b->name);
}

/* Allocates the lists of a process; the counts become lengths while they are filled. */
static void allocate_lists(struct trace_index *index)
{
    for (size_t i = 0; i < index->lane_count; i++)
        index->processes[index->lanes[i].process].lane_count++;
    for (size_t i = 0; i < index->counter_count; i++)
        index->processes[index->counters[i].process].counter_count++;
    for (size_t i = 0; i < index->process_count; i++) {
        struct trace_process *process = &index->processes[i];

        process->lanes = xcalloc(process->lane_count, sizeof(uint32_t));
        process->counters = xcalloc(process->counter_count, sizeof(uint32_t));
        process->lane_count = process->counter_count = 0;
    }
}

void trace_order_build(struct trace_index *index)
{
    allocate_lists(index);
    for (size_t i = 0; i < index->lane_count; i++) {
        struct trace_process *process = &index->processes[index->lanes[i].process];

        process->lanes[process->lane_count++] = (uint32_t)i;
    }
    for (size_t i = 0; i < index->counter_count; i++) {
        struct trace_process *process = &index->processes[index->counters[i].process];

        process->counters[process->counter_count++] = (uint32_t)i;
    }
    index->process_order = xcalloc(index->process_count, sizeof(uint32_t));
    for (size_t i = 0; i < index->process_count; i++) {
        struct trace_process *process = &index->processes[i];

        index->process_order[i] = (uint32_t)i;
        qsort_r(process->lanes, process->lane_count, sizeof(uint32_t), order_of_lanes,
                index);
        qsort_r(process->counters, process->counter_count, sizeof(uint32_t),
                order_of_counters, index);
    }
    qsort_r(index->process_order, index->process_count, sizeof(uint32_t),
            order_of_processes, index);
}
