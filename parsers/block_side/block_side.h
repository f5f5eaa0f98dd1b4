/* block_side.h - kernels of the main compute stream (the block), and those beside it
 *
 * Communication, AI CPU kernels, kernels below 10 us and other streams are the side.
 * Each of the two has four clocks, because no single one shows where the time went. */
#ifndef PARSERS_BLOCK_SIDE_BLOCK_SIDE_H
#define PARSERS_BLOCK_SIDE_BLOCK_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/busy_time/bubbles.h"
#include "parsers/framework/kernel_list.h"

enum kernel_place {
    PLACE_BLOCK,
    PLACE_COMM,
    PLACE_AICPU,
    PLACE_SMALL,
    PLACE_OTHER_STREAM,
    PLACE_COUNT,
};

enum { TOP_KERNELS = 5 };

/* The first kernels by some order, as places in the list of kernels. */
struct top_kernels {
    size_t rows[TOP_KERNELS];
    size_t count;
};

struct kernel_clocks {
    size_t count;
    int64_t start, end;           /* ns; 0 without kernels */
    int64_t wall;                 /* from the first start to the last end */
    int64_t busy;                 /* merged */
    int64_t kernel_sum;           /* durations */
    int64_t total_cost;           /* durations and waits */
    struct bubbles bubbles;       /* of its own kernels, from start to end */
    uint32_t unit;                /* name of the unit with the longest sum */
    int32_t stream;               /* with the longest sum; -1: none */
    struct top_kernels durations; /* longest first */
    struct top_kernels costs;     /* duration and wait, largest first */
    struct top_kernels waits;     /* with more than 80 % wait, largest first */
    size_t wait_heavy_count;
};

struct block_side {
    size_t places[PLACE_COUNT]; /* kernels */
    struct kernel_clocks block, side;
    /* Part of the side's communication during which the block computes; NaN without
     * communication. */
    double comm_overlap;
    /* Time from the end of one to the start of the other; 0 when they overlap. */
    int64_t apart;
};

/* Returns the stream with the longest sum of AI core kernels, the smallest of equal
 * ones; -1 when no kernel has a stream. */
int32_t block_side_main_stream(const struct kernel_list *kernels,
                               const size_t *rows,
                               size_t count);
enum kernel_place block_side_place_of(const struct kernel *kernel, int32_t main_stream);
const char *block_side_place_name(enum kernel_place place);
/* Rows are places in the list of kernels, by start. */
void block_side_measure(struct block_side *out,
                        const struct kernel_list *kernels,
                        const size_t *rows,
                        size_t count,
                        int32_t main_stream);
/* Writes how the clocks differ: one or more of stream_parallel, gaps_inside, wait_heavy
 * and sequential, divided by commas; "" without kernels. */
void block_side_interpret(const struct kernel_clocks *clocks, char out[64]);

#endif
