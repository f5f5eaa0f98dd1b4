/* tracekit.h - blocks 0x0A and 0x0B: memory accesses and cache sets
 *
 * Both belong to a proof of concept: consecutive records of 32 bytes, little endian. No
 * released viewer reads them, and readers skip unknown blocks, so muster writes them
 * only on request. The proof of concept announced a map of call stacks after the
 * records of 0x0A, but its layout was never published, so none is written. */
#ifndef PARSERS_CONTAINER_TRACEKIT_H
#define PARSERS_CONTAINER_TRACEKIT_H

#include "lib/base/json_write.h"
#include "parsers/container/bin.h"

enum { TRACEKIT_BYTES = 32 };

enum tracekit_access {
    TRACEKIT_MALLOC,
    TRACEKIT_FREE,
    TRACEKIT_COPY,
    TRACEKIT_LOAD,
    TRACEKIT_STORE,
    TRACEKIT_ACCESSES,
};

/* record of block 0x0A */
struct tracekit_record {
    uint8_t access;     /* enum tracekit_access */
    int8_t core, space; /* space: 0 private, 1 GM, 2 L1, 3 L0A, 4 L0B, 5 L0C, 6 UB */
    uint8_t is_cube;
    uint32_t number;
    uint64_t address, bytes, pc;
};

/* record of block 0x0B; the file has the fields in this order */
struct tracekit_set {
    uint32_t loads, stores, line, hits, misses, allocated, written_back, dropped;
};

void tracekit_put_record(uint8_t out[TRACEKIT_BYTES],
                         const struct tracekit_record *record);
struct tracekit_record tracekit_record(const uint8_t bytes[TRACEKIT_BYTES]);
void tracekit_put_set(uint8_t out[TRACEKIT_BYTES], const struct tracekit_set *set);
struct tracekit_set tracekit_set(const uint8_t bytes[TRACEKIT_BYTES]);

/* Writes the records of such a block as a list of objects. */
void tracekit_write_json(const struct bin_block *block, struct json_write *json);
/* Writes the records of such a block as CSV. */
void tracekit_write_csv(const struct bin_block *block, struct text *out);
/* Writes totals of the records as a few lines of text. */
void tracekit_describe(const struct bin_block *block, struct text *out);

#endif
