/* simlog.h - reads the logs of an instruction simulator: the instructions of one core
 *
 * An instruction has a line in two files: the popped log at its start, when it leaves
 * the queue, and the instruction log at its end. On the 950 both lines have its number.
 * For other chips the n-th line of an address in one log belongs to the n-th in the
 * other. Unknown lines are counted. Texts point into the bytes, which the reader
 * borrows. */
#ifndef PARSERS_SIMLOG_SIMLOG_H
#define PARSERS_SIMLOG_SIMLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text;

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

struct sim_span { /* a text without NUL, inside the log */
    const char *at;
    uint32_t length;
};

struct sim_instruction {
    uint64_t pc, start, end;
    uint64_t id; /* number on the 950; otherwise the index of the line */
    struct sim_span name, detail;
    enum sim_pipe pipe;
    uint32_t registers; /* live registers, set by simlog_count_registers() */
    int32_t warp;       /* on a 950: number of the warp; -1: not a SIMT instruction */
    bool has_overhead;  /* set by simlog_find_overhead(), like the next two */
    uint64_t fetched, issued;
};

/* a region that the program marked, from its first to its last instruction */
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
    bool is_numbered;  /* a log of the 950 */
    bool has_overhead; /* some instructions have it */
    bool has_block;
    uint64_t block, sub_block; /* as the program read its registers */
    size_t unknown_lines;      /* lines that are no instruction */
    size_t unpaired;           /* lines without the other half */
};

/* one line of a log */
struct sim_line {
    uint64_t cycle, pc, id;
    bool has_id, is_dropped; /* dropped: it left only the queue of another unit */
    enum sim_pipe pipe;
    struct sim_span name, detail;
};
/* Returns false when the line is not of an instruction. */
bool simlog_parse_line(const char *line, size_t length, struct sim_line *out);

/* Reads the instruction log and the popped log. Skips flag and event instructions
 * unless `keep_flags` is set. */
void simlog_read(struct sim_core *core,
                 const char *ended,
                 size_t ended_bytes,
                 const char *popped,
                 size_t popped_bytes,
                 bool keep_flags);
/* Adds the misses in the log of the instruction cache. */
void simlog_read_misses(struct sim_core *core, const char *bytes, size_t size);
void simlog_clear(struct sim_core *core);
/* Estimates the number of live registers at each instruction. */
void simlog_count_registers(struct sim_core *core);

/* Computes the bytes that a transfer moves. Returns false for other instructions, and
 * when the log lacks a value. */
bool simlog_moved_bytes(const struct sim_instruction *row, uint64_t *bytes);

/* Adds the operands without blanks, except those between two words. */
void simlog_add_operands(struct text *out, struct sim_span detail);
/* Adds the operands without their values, which differ between executions. */
void simlog_add_operand_names(struct text *out, struct sim_span detail);

const char *sim_pipe_name(enum sim_pipe pipe);
bool sim_span_is(struct sim_span span, const char *text);
bool sim_is_flag(struct sim_span name);

#endif
