/* stamps.h - aic_timestamp.bin: the times that a kernel itself wrote down
 *
 * Two forms: 24 bytes a record, and 32 of the operators with lightweight collectives.
 * Records of earlier launches may lie in the same file; whoever knows the origin of
 * the times leaves them out. */
#ifndef PARSERS_RECORDS_STAMPS_H
#define PARSERS_RECORDS_STAMPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/capture/counter_schedule.h"
#include "parsers/records/pmu.h"

enum { STAMP_USER_FIRST = 0xFFFF, STAMP_COLOURS = 12 };
enum lccl_stamp { LCCL_OVERALL, LCCL_INIT, LCCL_PROCESS, LCCL_STAMPS };

struct stamp {
    uint64_t ticks;
    uint64_t pc;
    uint32_t id; /* descriptor; of the other form enum lccl_stamp */
    uint32_t block;
    enum core_kind kind;
    uint32_t operation; /* of the other form */
};

struct stamps {
    struct stamp *rows; /* as in the file */
    size_t count;
    size_t tail_bytes;
    uint32_t users[STAMP_COLOURS]; /* the user's own ids, the smallest, in order */
    size_t user_count;
};

/* How many blocks the operator has decides which form the block numbers take. */
struct stamp_blocks {
    size_t cubes, vectors;
};

void stamps_read(struct stamps *stamps,
                 enum chip chip,
                 bool is_lccl,
                 struct stamp_blocks blocks,
                 const uint8_t *bytes,
                 size_t size);
void stamps_clear(struct stamps *stamps);

/* A library stamp: what its pair is called, and which half it is. False for the
 * user's own, and for ids that nobody knows. */
struct stamp_name {
    const char *name;
    unsigned colour; /* of the palette that the viewer knows */
    bool is_end;
};
bool stamp_library_name(uint32_t id, struct stamp_name *out);

#endif
