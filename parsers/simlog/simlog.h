/* simlog.h - the logs of an instruction simulator: one core's instructions, with the
 * cycle at which each began and ended
 *
 * An instruction stands in two files: where it left its queue (popped) and where it was
 * done. On the 950 a number ties the two lines together, elsewhere the n-th of an
 * address here is the n-th there. Lines that do not fit the grammar are counted. Texts
 * point into the bytes, which are borrowed. */
#ifndef PARSERS_SIMLOG_SIMLOG_H
#define PARSERS_SIMLOG_SIMLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_pipe {
    SIM_SCALAR,
    SIM_FLOWCTRL,
    SIM_VECTOR,
    SIM_CUBE,
    SIM_MTE1,
    SIM_MTE2,
    SIM_MTE3,
    SIM_FIXP,
    SIM_EVENT,
    SIM_CACHEMISS,
    SIM_ALL,
    SIM_USERMARK,
    SIM_RVECST,
    SIM_RVECLD,
    SIM_RVECEX,
    SIM_PUSHQ,
    SIM_RVECSU,
    SIM_RVECLP,
    SIM_PIPES
};

struct sim_span { /* a text without its end */
    const char *at;
    uint32_t length;
};

struct sim_instruction {
    uint64_t pc, start, end;
    uint64_t id; /* of the 950; else its place in the log */
    struct sim_span name, detail;
    enum sim_pipe pipe;
    uint32_t registers; /* live at once; simlog_count_registers() fills it in */
    int32_t warp;       /* of a 950's many threads; -1: not of these */
    bool has_overhead;  /* simlog_find_overhead() does the rest */
    uint64_t fetched, issued;
};

/* what the program's user marked: from its first instruction to its last */
struct sim_mark {
    unsigned number;
    uint64_t start, end;
    uint64_t start_pc, end_pc;
};

struct sim_miss {
    uint64_t cycle, address;
    uint32_t bytes;
};

struct sim_core {
    struct sim_instruction *rows; /* by address, then start; on the 950 by number */
    size_t count;
    struct sim_mark *marks;
    size_t mark_count;
    struct sim_miss *misses;
    size_t miss_count;
    bool is_numbered;  /* of the 950 */
    bool has_overhead; /* of some of its instructions */
    bool has_block;
    uint64_t block, sub_block; /* as the program read them */
    size_t unknown_lines;      /* that are none */
    size_t unpaired;           /* that began and did not end, or the other way round */
};

/* False: not a line of an instruction. */
struct sim_line {
    uint64_t cycle, pc, id;
    bool has_id, is_dropped; /* dropped: it only left the queue of another unit */
    enum sim_pipe pipe;
    struct sim_span name, detail;
};
bool simlog_parse_line(const char *line, size_t length, struct sim_line *out);

/* Flags and events are kept where `keep_flags` says so. */
void simlog_read(struct sim_core *core,
                 const char *ended,
                 size_t ended_bytes,
                 const char *popped,
                 size_t popped_bytes,
                 bool keep_flags);
void simlog_read_misses(struct sim_core *core, const char *bytes, size_t size);
void simlog_clear(struct sim_core *core);
/* How many registers each instruction finds in use: a straight-line estimate. */
void simlog_count_registers(struct sim_core *core);

/* False: it moves nothing, or the log does not tell. */
bool simlog_moved_bytes(const struct sim_instruction *row, uint64_t *bytes);

const char *sim_pipe_name(enum sim_pipe pipe);
bool sim_span_is(struct sim_span span, const char *text);
bool sim_is_flag(struct sim_span name);

#endif
