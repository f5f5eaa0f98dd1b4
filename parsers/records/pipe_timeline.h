/* pipe_timeline.h - reads timeline.bin of a 950: busy times and marks of each pipe
 *
 * An entry has 4 bytes: the cycles since the previous entry, and either a mask of the
 * busy pipes or a mark. Marks come from the program, or from the compiler around each
 * instruction. Each channel has its own clock, which starts with the launch and
 * continues over all units of the channel. */
#ifndef PARSERS_RECORDS_PIPE_TIMELINE_H
#define PARSERS_RECORDS_PIPE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/records/core_container.h"

enum pipe {
    PIPE_SCALAR,
    PIPE_VECTOR,
    PIPE_CUBE,
    PIPE_MTE1,
    PIPE_MTE2,
    PIPE_MTE3,
    PIPE_FIXP,
    PIPES,
};

enum pipe_span_kind {
    PIPE_BUSY,
    PIPE_MARK,        /* one point in time */
    PIPE_REGION,      /* between two marks of the program */
    PIPE_INSTRUCTION, /* between two marks of the compiler; id is in the region map */
};

enum pipe_marks { PIPE_MARKS_OF_PROGRAM, PIPE_MARKS_OF_INSTRUCTIONS };

struct pipe_span {
    uint64_t start_cycle, end_cycle;
    uint16_t id; /* of a mark, a region or an instruction */
    uint8_t channel;
    uint8_t pipe; /* enum pipe */
    uint8_t kind; /* enum pipe_span_kind */
};

struct pipe_timeline {
    struct pipe_span *spans; /* grouped by channel */
    size_t count, room;
    size_t unpaired;   /* region starts without an end, and ends without a start */
    size_t unknown;    /* entries of unknown kinds, ignored */
    size_t invalid;    /* units with an impossible core or kind */
    size_t tail_bytes; /* bytes after the last complete unit or entry */
};

void pipe_timeline_read(struct pipe_timeline *pipes,
                        enum pipe_marks marks,
                        struct core_container units);
void pipe_timeline_clear(struct pipe_timeline *pipes);
const char *pipe_name(enum pipe pipe);

#endif
