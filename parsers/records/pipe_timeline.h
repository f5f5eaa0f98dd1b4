/* pipe_timeline.h - timeline.bin of a 950: when each pipe of each core was busy, and
 * its marks; or, of a kernel whose instructions were marked, when each of these ran
 *
 * Entries of 4 bytes tell the cycles since the one before and either which pipes are
 * busy now, or a mark. Each channel has a clock of its own that starts with the launch
 * and runs on from unit to unit. */
#ifndef PARSERS_RECORDS_PIPE_TIMELINE_H
#define PARSERS_RECORDS_PIPE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    PIPE_MARK,        /* a moment */
    PIPE_REGION,      /* between two marks of the program */
    PIPE_INSTRUCTION, /* between two marks of the compiler: its id in the region map */
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
    struct pipe_span *spans; /* channel by channel */
    size_t count, room;
    size_t unpaired;   /* begins without an end, and ends without a begin */
    size_t unknown;    /* entries of another kind, passed over */
    size_t invalid;    /* units that cannot be */
    size_t tail_bytes; /* behind the last whole unit or entry */
};

void pipe_timeline_read(struct pipe_timeline *pipes,
                        enum pipe_marks marks,
                        const uint8_t *bytes,
                        size_t size);
void pipe_timeline_clear(struct pipe_timeline *pipes);
const char *pipe_name(enum pipe pipe);

#endif
