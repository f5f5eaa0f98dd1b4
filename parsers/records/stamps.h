/* stamps.h - reads aic_timestamp.bin: time stamps that a kernel writes itself
 *
 * A record has 24 bytes, or 32 bytes for LCCL operators (lightweight collectives). The
 * file can have records of earlier launches; the caller skips them. */
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
    uint32_t id; /* descriptor; enum lccl_stamp for an LCCL operator */
    uint32_t block;
    enum core_kind kind;
    uint32_t operation; /* of an LCCL operator only */
};

struct stamps {
    struct stamp *rows; /* in the order of the file */
    size_t count;
    size_t tail_bytes;
    uint32_t users[STAMP_COLOURS]; /* the smallest ids of the user, sorted */
    size_t user_count;
};

/* blocks of the operator, from which the reader derives the form of block numbers */
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
/* Return the bytes of a record, and its time. */
size_t stamps_record_bytes(bool is_lccl);
uint64_t stamps_record_ticks(bool is_lccl, const uint8_t *record);

struct stamp_name {
    const char *name;
    unsigned colour; /* index in the palette of the viewer */
    bool is_end;
};
/* Finds the name of a library's time stamp, and whether the id is a start or an end.
 * Returns false for ids of the user and unknown ids. */
bool stamp_library_name(uint32_t id, struct stamp_name *out);

#endif
