/* check.h - would MindStudio Insight show all of this file?
 *
 * Reads a visualize_data.bin block by block and holds it against the rules of the
 * format. It knows nothing of how we write such files: what it finds wrong in ours is
 * wrong. An error is what the reader refuses or loses; a warning is what it takes, and
 * a careful writer does not do. */
#ifndef PARSERS_VISUALIZE_CHECK_CHECK_H
#define PARSERS_VISUALIZE_CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct bin_block {
    size_t index;    /* from 0 */
    uint64_t offset; /* of its head in the file */
    unsigned type;
    uint64_t content_size; /* as the head says: payload and filler */
    unsigned filler;
    uint8_t version, reserved; /* bytes 10 and 11 */
    const uint8_t *path;       /* of a code block: 4096 bytes, else NULL */
    const uint8_t *payload;
    size_t size; /* of the payload that is there, filler taken off */
};

/* The block at *at, and *at moved behind it. False at the end, and where the walk
 * cannot go on; `problem` (room for 120) tells then, "" at a clean end. */
bool bin_next(const uint8_t *bytes,
              size_t size,
              size_t *at,
              size_t index,
              struct bin_block *block,
              char problem[120]);

struct check_problem {
    bool is_error;
    size_t block;    /* index from 0; of a file without one: 0 */
    unsigned type;   /* 0 when there is no block */
    uint64_t offset; /* in the file */
    const char *rule;
    char text[200];
};

typedef void check_fn(const struct check_problem *problem, void *arg);

/* How many errors; warnings are told and not counted. */
size_t visualize_check(const uint8_t *bytes, size_t size, check_fn *fn, void *arg);

#endif
