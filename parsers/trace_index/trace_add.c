/* trace_add.c - adds processes, lanes, slices, ends of arrows and samples to the index
 */
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/trace_index/trace_index_internal.h"

void trace_pair_key(char key[PAIR_KEY_BYTES], uint32_t a, uint32_t b)
{
    snprintf(key, PAIR_KEY_BYTES, "%x:%x", a, b);
}

/* Makes room for one more element; doubles the room. */
static void *grow(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    *room = *room ? 2 * *room : 64;
    return xregrow(array, count * size, *room * size);
}

/* Lanes without a sort index keep the order of the pipes; other lanes come first. */
static int64_t usual_order(const char *tid)
{
    static const char *const pipes[] = {"SCALAR", "FLOWCTRL", "MTE1",
                                        "CUBE",   "FIXP",     "MTE2",
                                        "VECTOR", "MTE3",     "CACHEMISS"};

    for (size_t i = 0; i < COUNT(pipes); i++)
        if (strcmp(tid, pipes[i]) == 0)
            return (int64_t)i + 1;
    return 0;
}

uint32_t trace_add_process(struct trace_index *index, const char *pid)
{
    struct trace_build *build = index->build;
    uint32_t found = names_add(index->process_keys, pid) - 1;

    if (found < index->process_count)
        return found;
    uint32_t name = names_add(index->names, pid);
    index->processes = grow(index->processes, index->process_count,
                            &build->process_room, sizeof(*index->processes));
    index->processes[index->process_count] =
        (struct trace_process){.pid = name, .name = name};
    return (uint32_t)index->process_count++;
}

uint32_t trace_add_lane(struct trace_index *index, const char *pid, const char *tid)
{
    struct trace_build *build = index->build;
    char key[PAIR_KEY_BYTES];

    if (build->last_lane != TRACE_NONE &&
        strcmp(pid, names_text(index->names, build->last_pid)) == 0 &&
        strcmp(tid, names_text(index->names, build->last_tid)) == 0)
        return build->last_lane;
    uint32_t pid_name = names_add(index->names, pid);
    uint32_t tid_name = names_add(index->names, tid);
    trace_pair_key(key, pid_name, tid_name);
    uint32_t lane = names_add(index->lane_keys, key) - 1;
    if (lane == index->lane_count) {
        uint32_t process = trace_add_process(index, pid);

        index->lanes = grow(index->lanes, index->lane_count, &build->lane_room,
                            sizeof(*index->lanes));
        index->lanes[index->lane_count++] = (struct trace_lane){
            .process = process,
            .tid = tid_name,
            .name = tid_name,
            .order = usual_order(tid),
        };
    }
    build->last_pid = pid_name;
    build->last_tid = tid_name;
    build->last_lane = lane;
    return lane;
}

/* Extends the span of the trace, start_ns to start_ns + length_ns. */
static void add_time(struct trace_index *index, int64_t start_ns, int64_t end_ns)
{
    int64_t last_ns = index->start_ns + (int64_t)index->length_ns;

    if (!index->build->has_time || start_ns < index->start_ns)
        index->start_ns = start_ns;
    if (!index->build->has_time || end_ns > last_ns)
        last_ns = end_ns;
    index->length_ns = (uint64_t)(last_ns - index->start_ns);
    index->build->has_time = true;
}

/* Returns how many slices the trace will have when the rest of the part has as many as
 * the part so far, and one in 16 more. */
static size_t expected_slices(const struct trace_index *index)
{
    const struct trace_build *build = index->build;
    double done = (double)build->part_done, found, rest;

    if (!build->part_done || build->part_done >= build->part_size)
        return 0;
    found = (double)(index->slice_count - build->part_first);
    rest = found / done * ((double)build->part_size - done);
    return index->slice_count + (size_t)(rest * 17 / 16);
}

/* Makes room for twice as many slices, or for all that are expected, up to 16 times as
 * many: the pages that stay unused cost nothing, but each growth copies the slices. */
static void grow_slices(struct trace_index *index)
{
    struct trace_build *build = index->build;
    size_t count = index->slice_count, room = count ? 2 * count : 64;
    size_t expected = expected_slices(index);

    if (expected > room)
        room = expected < 8 * room ? expected : 8 * room;
    build->slice_room = room;
    index->slices = xregrow(index->slices, count * sizeof(*index->slices),
                            room * sizeof(*index->slices));
    build->places = xregrow(build->places, count * sizeof(*build->places),
                            room * sizeof(*build->places));
}

int trace_add_slice(struct trace_index *index,
                    const struct trace_new *slice,
                    struct err *err)
{
    struct trace_build *build = index->build;

    if (index->slice_count == TRACE_SLICES_MAX)
        return err_set(err, ERR_LIMIT, "the timeline has more than %d slices",
                       TRACE_SLICES_MAX);
    if (index->slice_count == build->slice_room)
        grow_slices(index);
    index->slices[index->slice_count] = slice->slice;
    build->places[index->slice_count] = slice->place;
    index->slice_count++;
    index->slices[index->slice_count - 1].id = (uint32_t)index->slice_count;
    add_time(index, slice->slice.start_ns, trace_slice_end(&slice->slice));
    return 0;
}

void trace_add_point(struct trace_index *index, const struct trace_point *point)
{
    index->points = grow(index->points, index->point_count, &index->build->point_room,
                         sizeof(*index->points));
    index->points[index->point_count++] = *point;
    add_time(index, point->at_ns, point->at_ns);
}

void trace_add_sample(struct trace_index *index,
                      const char *pid,
                      const char *name,
                      const struct trace_sample *sample)
{
    uint32_t number = names_add(index->names, name);
    char key[PAIR_KEY_BYTES];

    trace_pair_key(key, names_add(index->names, pid), number);
    uint32_t found = names_add(index->counter_keys, key) - 1;
    if (found == index->counter_count) {
        uint32_t process = trace_add_process(index, pid);

        index->counters = grow(index->counters, index->counter_count,
                               &index->build->counter_room, sizeof(*index->counters));
        index->counters[index->counter_count++] =
            (struct trace_counter){.process = process, .name = number};
    }
    struct trace_counter *counter = &index->counters[found];
    counter->samples = grow(counter->samples, counter->count, &counter->room,
                            sizeof(*counter->samples));
    counter->samples[counter->count++] = *sample;
    add_time(index, sample->at_ns, sample->at_ns);
}
