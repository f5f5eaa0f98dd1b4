#include "parsers/block_side/block_side.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

enum { SMALL_NS = 10000 };

/* Durations per stream or unit; there are few different ones. */
struct sums {
    struct {
        int64_t key, sum;
    } * rows;
    size_t count;
};

static void add_sum(struct sums *sums, int64_t key, int64_t value)
{
    size_t i = 0;

    while (i < sums->count && sums->rows[i].key != key)
        i++;
    if (i == sums->count) {
        sums->rows = xreallocarray(sums->rows, sums->count + 1, sizeof(*sums->rows));
        sums->rows[sums->count].key = key;
        sums->rows[sums->count++].sum = 0;
    }
    sums->rows[i].sum += value;
}

/* Returns the key with the largest sum, the smallest of equal ones. */
static int64_t largest_sum(struct sums *sums, int64_t none)
{
    int64_t best = none, most = -1;

    for (size_t i = 0; i < sums->count; i++)
        if (sums->rows[i].sum > most ||
            (sums->rows[i].sum == most && sums->rows[i].key < best)) {
            most = sums->rows[i].sum;
            best = sums->rows[i].key;
        }
    free(sums->rows);
    return best;
}

int32_t block_side_main_stream(const struct kernel_list *kernels,
                               const size_t *rows,
                               size_t count)
{
    struct sums sums = {0};

    for (size_t i = 0; i < count; i++) {
        const struct kernel *kernel = &kernels->rows[rows[i]];

        if ((kernel->unit_class == UNIT_CORE || kernel->unit_class == UNIT_UNKNOWN) &&
            kernel->stream >= 0)
            add_sum(&sums, kernel->stream, kernel_duration(kernel));
    }
    return (int32_t)largest_sum(&sums, -1);
}

enum kernel_place block_side_place_of(const struct kernel *kernel, int32_t main_stream)
{
    if (kernel->unit_class == UNIT_COMM)
        return PLACE_COMM;
    if (kernel->unit_class == UNIT_AICPU)
        return PLACE_AICPU;
    if (kernel_duration(kernel) < SMALL_NS)
        return PLACE_SMALL;
    return kernel->stream == main_stream ? PLACE_BLOCK : PLACE_OTHER_STREAM;
}

const char *block_side_place_name(enum kernel_place place)
{
    static const char *const names[] = {
        [PLACE_BLOCK] = "block",
        [PLACE_COMM] = "comm",
        [PLACE_AICPU] = "aicpu",
        [PLACE_SMALL] = "small",
        [PLACE_OTHER_STREAM] = "other_stream",
    };

    return names[place];
}

static int64_t cost_of(const struct kernel *kernel)
{
    return kernel_duration(kernel) + kernel->wait;
}

static int64_t wait_of(const struct kernel *kernel)
{
    return kernel->wait;
}

/* Inserts the row by falling value; of equal values the earlier one is first. */
static void insert(struct top_kernels *top,
                   const struct kernel_list *kernels,
                   size_t row,
                   int64_t (*value)(const struct kernel *))
{
    int64_t mine = value(&kernels->rows[row]);
    size_t at = top->count;

    while (at > 0 && value(&kernels->rows[top->rows[at - 1]]) < mine)
        at--;
    if (at == TOP_KERNELS)
        return;
    if (top->count < TOP_KERNELS)
        top->count++;
    memmove(&top->rows[at + 1], &top->rows[at],
            (top->count - at - 1) * sizeof(*top->rows));
    top->rows[at] = row;
}

static int64_t duration_of(const struct kernel *kernel)
{
    return kernel_duration(kernel);
}

static void measure(struct kernel_clocks *clocks,
                    struct intervals *busy,
                    const struct kernel_list *kernels,
                    const size_t *rows,
                    size_t count)
{
    struct sums units = {0}, streams = {0};

    clocks->count = count;
    for (size_t i = 0; i < count; i++) {
        const struct kernel *kernel = &kernels->rows[rows[i]];
        int64_t duration = kernel_duration(kernel);

        if (i == 0 || kernel->start < clocks->start)
            clocks->start = kernel->start;
        if (i == 0 || kernel->end > clocks->end)
            clocks->end = kernel->end;
        clocks->kernel_sum += duration;
        clocks->total_cost += duration + kernel->wait;
        intervals_add(busy, kernel->start, kernel->end);
        add_sum(&units, kernel->unit, duration);
        if (kernel->stream >= 0)
            add_sum(&streams, kernel->stream, duration);
        insert(&clocks->durations, kernels, rows[i], duration_of);
        insert(&clocks->costs, kernels, rows[i], cost_of);
        if (kernel->wait * 5 > (duration + kernel->wait) * 4) {
            clocks->wait_heavy_count++;
            insert(&clocks->waits, kernels, rows[i], wait_of);
        }
    }
    intervals_merge(busy);
    clocks->wall = clocks->end - clocks->start;
    clocks->busy = intervals_length(busy);
    clocks->unit = (uint32_t)largest_sum(&units, 0);
    clocks->stream = (int32_t)largest_sum(&streams, -1);
    if (count > 0)
        bubbles_measure(&clocks->bubbles, busy, clocks->start, clocks->end);
}

static void
compare(struct block_side *out, const struct intervals *block, struct intervals *comm)
{
    int64_t length;

    intervals_merge(comm);
    length = intervals_length(comm);
    out->comm_overlap =
        length > 0 ? (double)intervals_shared(comm, block, INT64_MIN, INT64_MAX) /
                         (double)length
                   : NAN;
    if (out->block.count == 0 || out->side.count == 0)
        return;
    if (out->side.start > out->block.end)
        out->apart = out->side.start - out->block.end;
    else if (out->block.start > out->side.end)
        out->apart = out->block.start - out->side.end;
}

void block_side_measure(struct block_side *out,
                        const struct kernel_list *kernels,
                        const size_t *rows,
                        size_t count,
                        int32_t main_stream)
{
    size_t *parts[2] = {xcalloc(count + 1, sizeof(size_t)),
                        xcalloc(count + 1, sizeof(size_t))};
    size_t counts[2] = {0};
    struct intervals busy[2] = {{0}, {0}}, comm = {0};

    *out = (struct block_side){0};
    for (size_t i = 0; i < count; i++) {
        const struct kernel *kernel = &kernels->rows[rows[i]];
        enum kernel_place place = block_side_place_of(kernel, main_stream);
        size_t part = place != PLACE_BLOCK;

        out->places[place]++;
        parts[part][counts[part]++] = rows[i];
        if (place == PLACE_COMM)
            intervals_add(&comm, kernel->start, kernel->end);
    }
    measure(&out->block, &busy[0], kernels, parts[0], counts[0]);
    measure(&out->side, &busy[1], kernels, parts[1], counts[1]);
    compare(out, &busy[0], &comm);
    for (size_t i = 0; i < 2; i++) {
        free(parts[i]);
        intervals_clear(&busy[i]);
    }
    intervals_clear(&comm);
}

/* Returns true when a is more than 1.2 times b. */
static bool is_longer(int64_t a, int64_t b)
{
    return (double)a > 1.2 * (double)b;
}

void block_side_interpret(const struct kernel_clocks *clocks, char out[64])
{
    const int64_t all[] = {clocks->wall, clocks->busy, clocks->kernel_sum,
                           clocks->total_cost};
    const struct {
        bool applies;
        const char *name;
    } words[] = {
        {is_longer(clocks->kernel_sum, clocks->wall), "stream_parallel"},
        {is_longer(clocks->wall, clocks->busy), "gaps_inside"},
        {is_longer(clocks->total_cost, clocks->kernel_sum), "wait_heavy"},
    };
    int64_t least = all[0], most = all[0];

    out[0] = '\0';
    for (size_t i = 0; i < COUNT(words); i++)
        if (words[i].applies)
            snprintf(out + strlen(out), 64 - strlen(out), "%s%s", out[0] ? "," : "",
                     words[i].name);
    for (size_t i = 1; i < COUNT(all); i++) {
        least = all[i] < least ? all[i] : least;
        most = all[i] > most ? all[i] : most;
    }
    if (clocks->count > 0 && !out[0] && (double)most <= 1.05 * (double)least)
        snprintf(out, 64, "sequential");
}
