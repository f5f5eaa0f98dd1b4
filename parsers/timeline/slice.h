/* slice.h - a slice between two ticks, for the files of this folder */
#ifndef PARSERS_TIMELINE_SLICE_H
#define PARSERS_TIMELINE_SLICE_H

#include "parsers/timeline/timeline.h"

enum { VIEW_NAME_BYTES = 80 };

struct view_slice {
    const char *pid, *tid, *name;
    unsigned colour;
    uint64_t start_ticks, end_ticks;
    void (*args)(struct json_write *json, const void *record);
    const void *record;
};

uint64_t view_ns(const struct timeline_view *view, uint64_t ticks);
/* Nothing for a slice that is empty or begins before the origin. */
void view_add(struct trace *trace,
              const struct timeline_view *view,
              const struct view_slice *slice);
/* Without a length: its start. */
void view_moment(struct trace *trace,
                 const struct timeline_view *view,
                 const struct view_slice *slice);
void view_lane(struct trace *trace,
               const struct timeline_view *view,
               const char *pid,
               const char *tid,
               int sort);
/* A pid of a labelled view is named, and put behind those of the views before it. */
enum view_process { VIEW_AI_CORE, VIEW_AI_CPU, VIEW_HCCL, VIEW_HCCL_TASK, VIEW_BLOCK };
void view_process(struct trace *trace,
                  const struct timeline_view *view,
                  enum view_process process);
const char *view_pid(enum view_process process);
/* A member of "args" whose value is a number, written as text. */
void view_arg_u64(struct json_write *json, const char *key, uint64_t value);
void view_arg_hex(struct json_write *json, const char *key, uint64_t value);
/* With six decimals; empty for what is no number. */
void view_arg_fixed(struct json_write *json, const char *key, double value);
void view_arg_text(struct json_write *json, const char *key, const char *value);
/* What the user calls a mark; NULL: nothing else than its number. Fused operators keep
 * theirs. */
const char *view_mark_name(const struct findings *findings, uint32_t id);
bool view_hides_blocks(const struct findings *findings);
/* "code": the lines of source at an address of the kernel; nothing where none is known.
 */
void view_arg_code(struct json_write *json,
                   const struct findings *findings,
                   uint64_t address);

/* The parts of a timeline. */
void blocks_add(struct trace *trace,
                const struct findings *findings,
                const struct timeline_view *view);
void stamps_add(struct trace *trace,
                const struct findings *findings,
                const struct timeline_view *view);
void communication_add(struct trace *trace,
                       const struct findings *findings,
                       const struct timeline_view *view);

/* Pipes and warps of a 950: cycles from the start of the launch. */
void pipes_add(struct trace *trace,
               const struct findings *findings,
               const struct timeline_view *view);
void warps_add(struct trace *trace,
               const struct findings *findings,
               const struct timeline_view *view);

/* Where a block's slice lies. */
struct block_span {
    uint64_t start_ticks, end_ticks;
    char tid[VIEW_NAME_BYTES];
};
/* The block of so many of the kind, as stamps count them; false: it was not seen. */
bool block_find(const struct findings *findings,
                enum core_kind kind,
                uint32_t number,
                struct block_span *out);

#endif
