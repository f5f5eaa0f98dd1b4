/* slice.h - a slice between two ticks, for the files of this folder */
#ifndef PARSERS_TIMELINE_SLICE_H
#define PARSERS_TIMELINE_SLICE_H

#include "parsers/timeline/timeline.h"

enum { SLICE_NAME_BYTES = 80 };

struct slice_slice {
    const char *pid, *tid, *name;
    unsigned colour;
    uint64_t start_ticks, end_ticks;
    void (*args)(struct json_write *json, const void *record);
    const void *record;
};

uint64_t slice_ns(const struct timeline_view *view, uint64_t ticks);
/* Nothing for a slice that is empty or begins before the origin. */
void slice_add(struct trace_writer *trace,
               const struct timeline_view *view,
               const struct slice_slice *slice);
/* Without a length: its start. */
void slice_add_instant(struct trace_writer *trace,
                       const struct timeline_view *view,
                       const struct slice_slice *slice);
void slice_add_track(struct trace_writer *trace,
                     const struct timeline_view *view,
                     const char *pid,
                     const char *tid,
                     int sort);
/* A pid of a labelled view is named, and put behind those of the views before it. */
enum slice_process {
    SLICE_AI_CORE,
    SLICE_AI_CPU,
    SLICE_HCCL,
    SLICE_HCCL_TASK,
    SLICE_BLOCK
};
void slice_process(struct trace_writer *trace,
                   const struct timeline_view *view,
                   enum slice_process process);
const char *slice_pid(enum slice_process process);
/* A member of "args" whose value is a number, written as text. */
void slice_arg_u64(struct json_write *json, const char *key, uint64_t value);
void slice_arg_hex(struct json_write *json, const char *key, uint64_t value);
/* With six decimals; empty for what is no number. */
void slice_arg_fixed(struct json_write *json, const char *key, double value);
void slice_arg_text(struct json_write *json, const char *key, const char *value);
/* What the user calls a mark; NULL: nothing else than its number. Fused operators keep
 * theirs. */
const char *slice_mark_name(const struct findings *findings, uint32_t id);
bool slice_hides_blocks(const struct findings *findings);
/* "code": the lines of source at an address of the kernel; nothing where none is known.
 */
void slice_arg_code(struct json_write *json,
                    const struct findings *findings,
                    uint64_t address);

/* The parts of a timeline. */
void block_slices_add(struct trace_writer *trace,
                      const struct findings *findings,
                      const struct timeline_view *view);
void stamps_add(struct trace_writer *trace,
                const struct findings *findings,
                const struct timeline_view *view);
void communication_slices_add(struct trace_writer *trace,
                              const struct findings *findings,
                              const struct timeline_view *view);

/* Pipes and warps of a 950: cycles from the start of the launch. */
void pipes_add(struct trace_writer *trace,
               const struct findings *findings,
               const struct timeline_view *view);
void warps_add(struct trace_writer *trace,
               const struct findings *findings,
               const struct timeline_view *view);

/* Where a block's slice lies. */
struct block_span {
    uint64_t start_ticks, end_ticks;
    char tid[SLICE_NAME_BYTES];
};
/* The block of so many of the kind, as stamps count them; false: it was not seen. */
bool block_find(const struct findings *findings,
                enum core_kind kind,
                uint32_t number,
                struct block_span *out);

#endif
